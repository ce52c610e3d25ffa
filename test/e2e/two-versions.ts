import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { SandboxProcess } from '../support/sandbox-process.ts';

/** The credentials of the sandbox, in the variables that the configuration names. */
export const env = {
  NEW_KEY: 'sandbox-key',
  OLD_EMAIL: 'sandbox@airbatch.test',
  OLD_TOKEN: 'sandbox-token',
  HOOK_SECRET: 'canary-hook-secret',
};

/** Options of a sandbox that lets a test go as fast as it can. */
export const fastSandbox = ['--rate', '60000', '--settle-ms', '300'];

/** Writes a configuration with the sandbox as both of its versions: `new` is Version 2, `old` Version 1. */
export function writeConfig(cwd: string, { url }: Pick<SandboxProcess, 'url'>, callbackUrl?: string): void {
  const common = {
    baseUrl: url,
    limits: { creation: { limit: 60_000 }, read: { limit: 60_000 }, catalog: { limit: 60_000 } },
    requestDeadlineMs: 5_000,
    doubt: { lookupDelaysMs: [300, 600], resendDelaysMs: [400, 800, 1_200], sameNumberSpacingMs: 0 },
  };
  const webhooks = callbackUrl === undefined ? {} : { callbackUrl, webhooks: { secretEnvs: ['HOOK_SECRET'] } };
  const accounts = {
    new: { ...common, ...webhooks, apiKeyEnv: 'NEW_KEY' },
    old: { ...common, version: 'v1', emailEnv: 'OLD_EMAIL', tokenEnv: 'OLD_TOKEN' },
  };
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ accounts }));
}

/** What becomes of the rows whose numbers end in these digits, on either version (`docs/sandbox.md`). */
const magic = {
  '0001': 'failed',
  '0005': 'completed',
  '0006': 'completed',
  '0007': 'failed',
  '0009': 'completed',
  '0010': 'completed',
  '0012': 'failed',
} as const;

/** A file of thirty rows: magic numbers, plain ones, a product, and rows of other countries. */
export function writePayout(cwd: string, name: string): { file: string; expected: Map<string, string> } {
  const expected = new Map<string, string>();
  const lines: string[] = ['phone_number,network_id,amount,currency,product_id,reference'];
  const add = (reference: string, status: string, cells: string) => {
    lines.push(`${cells},${reference}`);
    expected.set(reference, status);
  };
  for (const [digits, status] of Object.entries(magic)) {
    add(`magic-${digits}`, status, `+25471234${digits},1,100,KES,`);
  }
  for (let index = 0; index < 20; index++) add(`plain-${index}`, 'completed', `+2547224${41_100 + index},1,50.50,KES,`);
  add('bundle', 'completed', '+254722444555,1,,,102');
  add('uganda', 'completed', '+256772604815,4,20000,UGX,');
  add('south-africa', 'completed', '+27823915570,19,99.90,ZAR,');
  const file = join(cwd, name);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return { file, expected };
}

/**
 * A port that nothing listens at: a callback URL stands in the configuration before the receiver listens. It is none
 * of those that the system gives out, so that no other test gets it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

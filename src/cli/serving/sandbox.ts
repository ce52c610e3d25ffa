import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { jsonLine } from '../../core/text/json-output.ts';
import type { FaultMix, Sandbox, SandboxOptions } from '../../sandbox/index.ts';
import { listening } from '../../serving/listening.ts';
import type { CommandContext } from '../base/command.ts';
import type { Terminal } from '../base/terminal.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { onInterrupt } from '../session/interrupt.ts';

interface Given {
  port?: string;
  host?: string;
  balances?: string;
  allowHttpCallbacks?: boolean;
  data?: string;
  ephemeral?: boolean;
  rate?: string;
  windowMs?: string;
  settleMs?: string;
  instant?: boolean;
  seed?: string;
  faults?: string;
}

/** `airbatch sandbox`: runs a sandbox of the service on this machine until Ctrl-C. */
export async function execute(
  { terminal, cwd, json }: CommandContext,
  _args: string[],
  options: Record<string, unknown>,
): Promise<number> {
  const given = options as Given;
  const { makeSandbox } = await import('../../sandbox/index.ts');
  const port = wholeNumber('--port', given.port) ?? 0;
  const balances = balancesOf(given.balances);
  const host = given.host ?? '127.0.0.1';
  const made = await sandboxOptions(given, cwd);
  const sandbox = await makeSandbox(made).catch((error: unknown) => {
    if (made.data === undefined) throw error;
    throw new AirbatchError('USAGE', `the sandbox cannot keep its data in ${made.data}: ${errorMessage(error)}`, {
      hint: 'Name another file with --data, or keep its data only in memory with --ephemeral.',
    });
  });
  try {
    for (const [id, balance] of balances) setBalance(sandbox, id, balance);
    const place = given.host === undefined ? `port ${port}` : `${host}, port ${port}`;
    const url = await listening(place, '--port and --host', () => sandbox.listen({ port, host }));
    sayWhere(terminal, json, url);
    const asked = Promise.withResolvers<void>();
    onInterrupt(asked.resolve);
    await asked.promise;
    return 0;
  } finally {
    await sandbox.close();
  }
}

function sayWhere(terminal: Terminal, json: boolean, url: string): void {
  if (json) terminal.print(jsonLine({ url }));
  else {
    terminal.print(`The sandbox listens at ${url}\n`);
    terminal.print('  Version 2   key sandbox-key\n  Version 1   sandbox@airbatch.test, token sandbox-token\n');
    terminal.print(`  Open ${url}/ in a browser to look inside. Ctrl-C ends it.\n`);
  }
}

async function sandboxOptions(given: Given, cwd: string): Promise<SandboxOptions> {
  return {
    data: given.ephemeral === true ? undefined : resolve(cwd, given.data ?? '.airbatch/sandbox.db'),
    rate: wholeNumber('--rate', given.rate, 1),
    windowMs: wholeNumber('--window-ms', given.windowMs, 1),
    settleMs: given.instant === true ? 0 : wholeNumber('--settle-ms', given.settleMs),
    allowHttpCallbacks: given.allowHttpCallbacks,
    seed: wholeNumber('--seed', given.seed),
    faults: given.faults === undefined ? undefined : await readFaults(resolve(cwd, given.faults)),
  };
}

/** Reads "wallet-usd=50,wallet-kes=0". The balances apply at once, also to data that an earlier start stored. */
function balancesOf(list: string | undefined): [id: string, balance: string][] {
  if (list === undefined) return [];
  return list.split(',').map((item) => {
    const [, id, balance] = /^\s*([^=\s]+)\s*=\s*([0-9]+(?:\.[0-9]+)?)\s*$/.exec(item) ?? [];
    if (id !== undefined && balance !== undefined) return [id, balance];
    throw new AirbatchError('USAGE', `--balances: "${item.trim()}" is not a wallet with its balance`, {
      hint: 'Write for example --balances wallet-usd=50,wallet-kes=0',
    });
  });
}

function setBalance(sandbox: Sandbox, id: string, balance: string): void {
  if (sandbox.setBalance(id, balance)) return;
  const known = sandbox.wallets.list('sandbox-company', 'v2').map((wallet) => wallet.id);
  throw new AirbatchError('USAGE', `--balances: the sandbox has no wallet "${id}"`, {
    hint: `It has ${known.join(', ')}, and the accounts of Version 1 by their accountId (GET /adp/balances).`,
  });
}

async function readFaults(path: string): Promise<FaultMix> {
  const { faultMixShape } = await import('../../sandbox/index.ts');
  try {
    return faultMixShape.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw new AirbatchError('CONFIG_INVALID', `the faults in ${path} cannot be used: ${errorMessage(error)}`, {
      hint: 'Correct that file: docs/sandbox.md says what it can contain.',
    });
  }
}

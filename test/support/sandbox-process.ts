import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import { type RunningCommand, startCommand } from './command.ts';
import type { Lifetime } from './folder.ts';

/** A sandbox that listens. */
export interface ListeningSandbox {
  url: string;
  /** The environment that makes it the account `default`. */
  env: Record<string, string>;
  /** The sandbox's own count of charges that were not given back, by reference. */
  liveCharges(): Promise<Map<string, number>>;
}

/** A sandbox in a process of its own. */
export interface SandboxProcess extends ListeningSandbox {
  command: RunningCommand;
  stop(): Promise<void>;
}

/** Opens a sandbox in this process, which saves the start of another; it is closed at the end. */
export async function sandboxHere(lifetime: Lifetime, options: SandboxOptions = {}): Promise<ListeningSandbox> {
  const sandbox = await makeSandbox(options);
  lifetime.after(() => sandbox.close());
  return listeningAt(await sandbox.listen({ port: 0 }));
}

/** Starts a sandbox, which is stopped at the end, with `cwd` as its working directory. */
export async function startSandbox(
  lifetime: Lifetime,
  cwd: string,
  args: readonly string[] = [],
): Promise<SandboxProcess> {
  const place = args.includes('--data') ? [] : ['--ephemeral'];
  const command = startCommand(['sandbox', ...place, ...args], { cwd });
  const stop = async () => {
    command.child.kill('SIGKILL');
    await command.ended;
  };
  lifetime.after(stop);
  const [, url = ''] = await command.seen(/(http:\/\/127\.0\.0\.1:[0-9]+)/);
  return { ...listeningAt(url), command, stop };
}

function listeningAt(url: string): ListeningSandbox {
  return {
    url,
    env: { AIRBATCH_BASE_URL: url, AIRBATCH_API_KEY: 'sandbox-key' },
    async liveCharges() {
      const response = await fetch(`${url}/_sandbox/charges`);
      const { charges } = (await response.json()) as { charges: { reference: string; live: boolean }[] };
      const live = new Map<string, number>();
      for (const { reference, live: isLive } of charges)
        if (isLive) live.set(reference, (live.get(reference) ?? 0) + 1);
      return live;
    },
  };
}

/**
 * Configures one account at the sandbox that sends so fast. A rehearsal does not wait the minutes that a real service
 * may need to show a payment.
 */
export function configureAccount(folder: string, baseUrl: string, creationsPerSecond: number): void {
  const main = {
    baseUrl,
    apiKeyEnv: 'AIRBATCH_API_KEY',
    limits: { creation: { limit: creationsPerSecond, windowMs: 1_000 } },
    doubt: { lookupDelaysMs: [300], resendDelaysMs: [600] },
  };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts: { main } }));
}

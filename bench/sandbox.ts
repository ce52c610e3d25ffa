import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

const launcher = resolve(import.meta.dirname, '../src/cli/airbatch.js');

export interface Charge {
  reference: string;
  /** When the service took it, epoch milliseconds. */
  at: number;
}

export interface SandboxProcess extends AsyncDisposable {
  url: string;
  charges(): Promise<Charge[]>;
}

/** `airbatch sandbox` in a process of its own, with its data in memory. */
export async function startSandbox(args: readonly string[]): Promise<SandboxProcess> {
  const child = spawn(process.execPath, [launcher, 'sandbox', '--ephemeral', '--json', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([once(lines, 'line'), once(child, 'exit')])) as [unknown];
  if (typeof line !== 'string') throw new Error(`the sandbox ended with code ${String(line)}`);
  const { url } = JSON.parse(line) as { url: string };
  return {
    url,
    async charges() {
      const response = await fetch(new URL('/_sandbox/charges', url));
      return ((await response.json()) as { charges: Charge[] }).charges;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

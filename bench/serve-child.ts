import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { Client } from 'pg';
import { serve } from '../src/serving/serve.ts';
import { asLauncher } from './memory.ts';
import type { Workplace } from './workplace.ts';

/** What `airbatch serve` has used since its code was loaded. */
export interface ServeUsage {
  /** The processor time of the main thread, and of all threads together. */
  mainSeconds: number;
  cpuSeconds: number;
  residentMiB: number;
  /** Statements of the ledger without `BEGIN` and `COMMIT`, and transactions. */
  statements: number;
  commits: number;
  /** To a ledger on a server: how often a connection sent something while it waited for no answer. */
  roundTrips: number;
  pid: number;
}

/** `airbatch serve` in a process of its own, which can be asked what it uses. */
export interface ServeProcess extends AsyncDisposable {
  /** When the program, with its code loaded, began to open its ledger (epoch ms). */
  startedAt: number;
  /** Where the API is; null without one. */
  apiUrl: string | null;
  usage(): Promise<ServeUsage>;
}

/** `machine`: what the program takes for the name of its machine. On another one, nobody sees whether it has ended. */
export async function startServe(
  { folder, env }: Workplace,
  { hasApi = false, machine = null }: { hasApi?: boolean; machine?: string | null } = {},
): Promise<ServeProcess> {
  const profile = process.env.AIRBATCH_BENCH_PROFILE;
  const child = fork(import.meta.filename, [hasApi ? 'api' : 'serve', folder, machine ?? os.hostname()], {
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
    env: { ...process.env, ...asLauncher.env, ...env },
    execArgv: [...asLauncher.serveExecArgv, ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [])],
  });
  const answer = async <Answer>(): Promise<Answer> => {
    const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
    if (typeof message !== 'object' || message === null) throw new Error(`serve ended with code ${message}`);
    return message as Answer;
  };
  const { startedAt, apiUrl } = await answer<{ startedAt: number; apiUrl: string | null }>();
  return {
    startedAt,
    apiUrl,
    async usage() {
      child.send('usage');
      return answer<ServeUsage>();
    },
    async [Symbol.asyncDispose]() {
      child.send('stop');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

function renameMachine(name: string): void {
  os.hostname = () => name;
  syncBuiltinESMExports();
}

const counts = { statements: 0, commits: 0, roundTrips: 0 };

/** Counts every statement that this process runs, by all of its connections. */
function countStatements(): void {
  for (const name of ['all', 'get', 'run'] as const) {
    const run = StatementSync.prototype[name] as (...params: unknown[]) => unknown;
    Object.assign(StatementSync.prototype, {
      [name](this: StatementSync, ...params: unknown[]) {
        counts.statements += 1;
        return run.apply(this, params);
      },
    });
  }
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
    if (sql === 'COMMIT') counts.commits += 1;
    exec.call(this, sql);
  };
}

/** The same for a ledger on a server. The connections of pg-boss have no pipeline. */
function countQueries(): void {
  const awaited = new WeakMap<Client, number>();
  const { query } = Client.prototype as unknown as { query(...args: unknown[]): Promise<unknown> };
  Object.assign(Client.prototype, {
    query(this: Client & { pipeline?: boolean }, ...args: unknown[]) {
      const [what] = args as [string | { text: string }];
      const text = typeof what === 'string' ? what : what.text;
      const answer = query.apply(this, args);
      if (!this.pipeline) return answer;
      if (text === 'COMMIT') counts.commits += 1;
      else if (!text.startsWith('BEGIN')) counts.statements += 1;
      const before = awaited.get(this) ?? 0;
      if (before === 0) counts.roundTrips += 1;
      awaited.set(this, before + 1);
      const end = () => void awaited.set(this, (awaited.get(this) ?? 0) - 1);
      answer.then(end, end);
      return answer;
    },
  });
}

function usage({ main: mainBefore, all: allBefore }: ReturnType<typeof processorTimes>): ServeUsage {
  const { main, all } = processorTimes();
  return {
    mainSeconds: main - mainBefore,
    cpuSeconds: all - allBefore,
    residentMiB: residentMiB(),
    ...counts,
    pid: process.pid,
  };
}

function processorTimes(): { main: number; all: number } {
  const seconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1e6;
  return { main: seconds(process.threadCpuUsage()), all: seconds(process.cpuUsage()) };
}

function residentMiB(): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Math.round(Number(kibibytes) / 1_024);
}

if (process.send && process.argv[1] === import.meta.filename) {
  countStatements();
  countQueries();
  renameMachine(process.argv[4] ?? '');
  const stopping = new AbortController();
  const before = processorTimes();
  process.on('message', (message) => {
    if (message === 'usage') process.send?.(usage(before));
    else stopping.abort();
  });
  const startedAt = Date.now();
  const address = { host: '127.0.0.1', port: 0 };
  const inner = { metricsAddress: null, apiAddress: process.argv[2] === 'api' ? address : null };
  await serve(
    { cwd: process.argv[3] ?? '', env: process.env, screen: null, configPath: undefined, ledgerPath: undefined },
    { address, ...inner, graceMs: 25_000, restored: false, invitation: null, sandbox: false },
    {
      onServing: (_url, api) => process.send?.({ startedAt, apiUrl: api?.url ?? null }),
      stopSignal: () => stopping.signal,
      exitLate: () => process.exit(5),
      nameOf: (field) => field,
    },
  );
  process.disconnect();
}

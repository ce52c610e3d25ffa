import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { main } from '../../src/cli/main.ts';
import { ledgerEnv, madeLedgerEnv } from './folder-ledger.ts';

/** `npm test` names a bundle, which starts faster. A test file that is run alone starts the sources. */
const launcher = process.env.AIRBATCH_TEST_PROGRAM ?? resolve(import.meta.dirname, '../../src/cli/airbatch.js');

export interface CommandResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunningCommand {
  child: ChildProcess;
  /** Resolves when the process has ended. */
  ended: Promise<CommandResult>;
  /** Resolves with the match as soon as stdout or stderr has it; rejects when the process ends without. */
  seen(pattern: RegExp): Promise<RegExpMatchArray>;
}

/** With limits on garbage, the launcher does not start Node anew to set its own: that saves 0.15 s of processor time. */
const garbageLimits = ['--max-semi-space-size=32', '--max-old-space-size=1000'];

interface CommandOptions {
  cwd: string;
  env?: Record<string, string>;
  uid?: number;
  /** Whether the launcher starts Node anew, as where people call it. */
  restarts?: boolean;
}

/** An environment that knows no account. */
function environment(more: Record<string, string> = {}) {
  const { AIRBATCH_BASE_URL: _url, AIRBATCH_API_KEY: _key, NODE_TEST_CONTEXT: _test, ...env } = process.env;
  return { ...env, NO_COLOR: '1', ...more };
}

/**
 * Starts the real command as a process of its own, with an environment that knows no account. On PostgreSQL, its
 * working directory has its ledger already (`makeLedgerIn`, `runCommand`, `runHere`).
 */
export function startCommand(args: readonly string[], options: CommandOptions): RunningCommand {
  const child = spawn(process.execPath, [...(options.restarts ? [] : garbageLimits), launcher, ...args], {
    cwd: options.cwd,
    env: environment({ ...madeLedgerEnv(args, options), ...options.env }),
    uid: options.uid,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  const note = () => {
    for (const watcher of watchers) watcher();
  };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    note();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    note();
  });
  const ended = new Promise<CommandResult>((done, failed) => {
    child.once('error', failed);
    child.once('close', (code, signal) => done({ code, signal, stdout, stderr }));
  });
  return {
    child,
    ended,
    seen: (pattern) =>
      new Promise((found, failed) => {
        const watch = () => {
          const match = stdout.match(pattern) ?? stderr.match(pattern);
          if (match) {
            watchers.delete(watch);
            found(match);
          }
        };
        watchers.add(watch);
        watch();
        void ended.then(() => {
          watch();
          if (watchers.delete(watch)) failed(new Error(`the command ended without ${pattern}:\n${stdout}\n${stderr}`));
        });
      }),
  };
}

/** Runs the real command to its end. */
export async function runCommand(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  await ledgerEnv(args, options);
  return startCommand(args, options).ended;
}

/**
 * Runs the command to its end in this process, which saves the start of another: for tests whose point is not that the
 * command is a process. All that run here at the same time hold leases under one name.
 */
export async function runHere(
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<CommandResult> {
  const stdout = collected();
  const stderr = collected();
  const code = await main([process.execPath, launcher, ...args], {
    stdin: Readable.from([]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    cwd: () => options.cwd,
    env: environment({ ...(await ledgerEnv(args, options)), ...options.env }),
  });
  return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
}

function collected(): { stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

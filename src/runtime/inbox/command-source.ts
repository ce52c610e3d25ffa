import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stripVTControlCharacters } from 'node:util';
import { AirbatchError, type ErrorCode, errorMessage } from '../../core/basics/errors.ts';
import { slotReason } from '../../core/basics/slot-result.ts';
import { withoutCredentials, withoutNumbers, withoutSecrets } from '../../core/text/redact.ts';
import type { Clock } from '../../core/time/clock.ts';

/** How much of a command's stderr is repeated. */
const complaintLengthMax = 300;
/**
 * How much of its stderr is kept until the command ends. Numbers and secrets are removed before it is cut to the part
 * that is repeated.
 */
const stderrLengthMax = 16_384;

const mebibyte = 2 ** 20;

export interface SourceCommandOptions {
  cwd: string;
  path: string;
  clock: Clock;
  timeoutMs: number;
  /**
   * How much the command may write to its standard output, in MiB. A command that never ends would fill the ledger's
   * disk.
   */
  maxSizeMb: number;
  /** Texts that are removed from its stderr. */
  secrets: readonly string[];
  /** Aborted when airbatch stops: the command ends with it. */
  stopping?: AbortSignal | undefined;
}

type Program = ChildProcessByStdio<null, Readable, Readable>;

/** Disk errors while its output is kept next to the ledger. They are not the command's fault. */
const diskTroubles: Readonly<Record<string, ErrorCode>> = {
  ENOSPC: 'LEDGER_FULL',
  EDQUOT: 'LEDGER_FULL',
  EROFS: 'LEDGER_IO',
  EIO: 'LEDGER_IO',
};

/**
 * Runs a command without a shell and keeps its standard output in `path`, whole or not at all. Throws `FILE_REJECTED`
 * if it cannot be run, ends with an exit code other than 0, takes too long, writes too much, or is stopped. Throws
 * `LEDGER_FULL` or `LEDGER_IO` if its output cannot be kept. By then the command and every process that it started have
 * ended.
 */
export async function runSourceCommand(command: readonly string[], options: SourceCommandOptions): Promise<void> {
  const { cwd, path, stopping } = options;
  const [program = '', ...args] = command;
  const partial = `${path}.part`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    stopping?.throwIfAborted();
    // The command leads its own process group, so that airbatch can end its child processes too. These would otherwise
    // hold the pipes beyond every limit.
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const watch = endInTime(child, options);
    try {
      const written = pipeline(child.stdout, atMost(options.maxSizeMb), createWriteStream(partial, { mode: 0o600 }));
      const [trouble] = await Promise.all([endOf(child, options.secrets), written]);
      if (trouble !== null) throw trouble;
    } catch (error) {
      killGroup(child);
      throw error;
    } finally {
      watch.dispose();
    }
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    const code = diskTroubles[(error as NodeJS.ErrnoException).code ?? ''] ?? 'FILE_REJECTED';
    const values = (error as { values?: Why }).values ?? { why: 'error', error: errorMessage(error) };
    throw new AirbatchError(code, `the command ${program} did not deliver a file: ${errorMessage(error)}`, {
      reason: slotReason('SLOT_COMMAND', { program, end: '', limit: '', error: '', ...values }),
      cause: error,
    });
  }
}

/** Why a command has not delivered a file: what the text of `SLOT_COMMAND` names. */
interface Why {
  why: 'exit' | 'exit_said' | 'size' | 'time' | 'stopped' | 'error';
  end?: string;
  limit?: number;
  error?: string;
}

function notDelivered(message: string, values: Why): Error {
  return Object.assign(new Error(message), { values });
}

/** Passes its input on, and fails when that exceeds the limit. */
function atMost(maxSizeMb: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes <= maxSizeMb * mebibyte) return done(null, chunk);
      const message = `it wrote more than ${maxSizeMb} MiB, and was stopped ("source.maxSizeMb" of the job)`;
      done(notDelivered(message, { why: 'size', limit: maxSizeMb }));
    },
  });
}

/** The end of a command's stderr in one line, without numbers and secrets. */
function complaintOf(said: string, secrets: readonly string[]): string {
  // If the beginning was cut off, the first piece may be the rest of a number or a secret.
  const whole = said.length < stderrLengthMax ? said : said.replace(/^\S*/, '');
  const line = stripVTControlCharacters(whole)
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
  return withoutNumbers(withoutCredentials(withoutSecrets(line, secrets))).slice(-complaintLengthMax);
}

/** Resolves when the command has ended and its pipes are closed: with null, or with why it has no output. */
function endOf(child: Program, secrets: readonly string[]): Promise<Error | null> {
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-stderrLengthMax);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      const end = code === null ? `signal ${signal}` : `exit code ${code}`;
      const complaint = complaintOf(said, secrets);
      if (code === 0) return resolve(null);
      const why = complaint ? 'exit_said' : 'exit';
      const message = `ended with ${end}${complaint ? `: ${complaint}` : ''}`;
      resolve(notDelivered(message, { why, end: String(code ?? signal), error: complaint }));
    });
  });
}

/**
 * Ends the command and its child processes when its time is over, when airbatch is asked to stop, and when airbatch
 * exits.
 */
function endInTime(child: Program, { clock, timeoutMs, stopping }: SourceCommandOptions): { dispose(): void } {
  const over = new AbortController();
  const end = (message: string, values: Why) => {
    killGroup(child);
    // A process that has left the group may still hold the pipes; airbatch does not wait for it.
    child.stdout.destroy(notDelivered(message, values));
    child.stderr.destroy();
  };
  const stop = () => end('it was stopped with airbatch', { why: 'stopped' });
  const leave = () => killGroup(child);
  stopping?.addEventListener('abort', stop);
  // Ctrl-C in the terminal does not reach a process group of its own, so airbatch ends the group.
  process.on('exit', leave);
  void clock.sleep(timeoutMs, over.signal).then(() => {
    const limit = timeoutMs / 1_000;
    if (!over.signal.aborted) end(`it took longer than ${limit} s, and was stopped`, { why: 'time', limit });
  });
  return {
    dispose() {
      over.abort();
      stopping?.removeEventListener('abort', stop);
      process.off('exit', leave);
    },
  };
}

function killGroup({ pid }: Program): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All processes have ended, or run as another user. airbatch closes their pipes in any case.
  }
}

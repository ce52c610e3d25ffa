import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stripVTControlCharacters } from 'node:util';
import { AirbatchError, type ErrorCode, errorMessage } from '../../core/basics/errors.ts';
import { withoutCredentials, withoutNumbers, withoutSecrets } from '../../core/text/redact.ts';
import type { Clock } from '../../core/time/clock.ts';

/** How much of what a command says on stderr is repeated. */
const complaintLengthMax = 300;
/**
 * How much of it is kept until the command ends: numbers and secrets are looked for before it is cut to what is
 * repeated.
 */
const stderrLengthMax = 16_384;

const mebibyte = 2 ** 20;

export interface SourceCommandOptions {
  cwd: string;
  path: string;
  clock: Clock;
  timeoutMs: number;
  /**
   * How much it may write to its standard output, in MiB: a program that never ends would fill the disk that the
   * ledger is on.
   */
  maxSizeMb: number;
  /** What is not repeated of its complaints. */
  secrets: readonly string[];
  /** Aborted when airbatch is to end: the program ends with it. */
  stopping?: AbortSignal | undefined;
}

type Program = ChildProcessByStdio<null, Readable, Readable>;

/** What the disk refuses of what it wrote, which is kept beside the ledger: that is no fault of the program's. */
const diskTroubles: Readonly<Record<string, ErrorCode>> = {
  ENOSPC: 'LEDGER_FULL',
  EDQUOT: 'LEDGER_FULL',
  EROFS: 'LEDGER_IO',
  EIO: 'LEDGER_IO',
};

/**
 * Runs a program, without a shell, and keeps what it writes to its standard output in `path`, whole or not at all.
 * Throws `FILE_REJECTED` when it cannot be run, ends with another exit code than 0, takes too long, writes too much,
 * or is stopped, and `LEDGER_FULL` or `LEDGER_IO` when what it writes cannot be kept; then it has ended with every
 * program that it began.
 */
export async function runSourceCommand(command: readonly string[], options: SourceCommandOptions): Promise<void> {
  const { cwd, path, stopping } = options;
  const [program = '', ...args] = command;
  const partial = `${path}.part`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    stopping?.throwIfAborted();
    // It leads a group of its own: what it has begun can be ended with it, and would else hold the pipes beyond every
    // limit.
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const watch = endInTime(child, options);
    try {
      const written = pipeline(child.stdout, atMost(options.maxSizeMb), createWriteStream(partial, { mode: 0o600 }));
      const [trouble] = await Promise.all([endOf(child, options.secrets), written]);
      if (trouble !== null) throw new Error(trouble);
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
    throw new AirbatchError(code, `the command ${program} brought no file: ${errorMessage(error)}`, { cause: error });
  }
}

/** Hands on what it is given, and fails once that is more than this. */
function atMost(maxSizeMb: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes <= maxSizeMb * mebibyte) return done(null, chunk);
      done(new Error(`it wrote more than ${maxSizeMb} MiB, and was stopped ("source.maxSizeMb" of the job)`));
    },
  });
}

/** The end of what a program said, in one line, without what must not leave it. */
function complaintOf(said: string, secrets: readonly string[]): string {
  // Where its beginning was cut off, the first piece may be the rest of a number or a secret.
  const whole = said.length < stderrLengthMax ? said : said.replace(/^\S*/, '');
  const line = stripVTControlCharacters(whole)
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
  return withoutNumbers(withoutCredentials(withoutSecrets(line, secrets))).slice(-complaintLengthMax);
}

/** Resolves when the program has ended and its pipes are closed: with null, or with why it brought nothing. */
function endOf(child: Program, secrets: readonly string[]): Promise<string | null> {
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-stderrLengthMax);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      const end = code === null ? `signal ${signal}` : `exit code ${code}`;
      const complaint = complaintOf(said, secrets);
      resolve(code === 0 ? null : `ended with ${end}${complaint ? `: ${complaint}` : ''}`);
    });
  });
}

/** Ends the program and all that it began when its time is over, when airbatch is stopped, and when airbatch ends. */
function endInTime(child: Program, { clock, timeoutMs, stopping }: SourceCommandOptions): { dispose(): void } {
  const over = new AbortController();
  const end = (why: string) => {
    killGroup(child);
    // A program that has left the group may hold the pipes still: they are not waited for.
    child.stdout.destroy(new Error(why));
    child.stderr.destroy();
  };
  const stop = () => end('it was stopped with airbatch');
  const leave = () => killGroup(child);
  stopping?.addEventListener('abort', stop);
  // A group of its own hears no Ctrl-C: the terminal ends it no longer.
  process.on('exit', leave);
  void clock.sleep(timeoutMs, over.signal).then(() => {
    if (!over.signal.aborted) end(`it took longer than ${timeoutMs / 1_000} s, and was stopped`);
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
    // All of it has ended, or runs as somebody else: its pipes are closed all the same.
  }
}

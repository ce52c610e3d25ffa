import { appendFileSync, chmodSync, existsSync, fstatSync } from 'node:fs';
import { appendFile, rename, rm, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname, join, parse } from 'node:path';
import { Writable } from 'node:stream';
import winston from 'winston';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { groupModes, makeFolders, privateModes } from '../../core/basics/folders.ts';
import type { Log, LogData } from '../../core/text/log.ts';
import { logEventOf, type WarnMessage } from '../../core/text/log-events.ts';
import { withoutNumbers, withoutSecrets } from '../../core/text/redact.ts';
import { visible } from '../../core/text/visible.ts';
import type { Clock } from '../../core/time/clock.ts';

/**
 * JSON in which control and hidden characters are escaped, so that they do not affect the screen of a person who reads
 * the log. The values stay the same.
 */
const jsonLines = winston.format.combine(
  winston.format.json(),
  winston.format.printf((info) => visible(String(info[Symbol.for('message')]))),
);

/** The priorities of syslog, which systemd's journal reads from the beginning of a line. */
const priorities: Readonly<Record<string, number>> = { info: 6, warn: 4, error: 3 };

/** The same for systemd's journal, which keeps the time of each line itself. */
const journalLines = winston.format.combine(
  winston.format((info) => {
    delete info.timestamp;
    return info;
  })(),
  winston.format.json(),
  winston.format.printf((info) => `<${priorities[info.level]}>${visible(String(info[Symbol.for('message')]))}`),
);

/** Whether `stderr` is systemd's journal: it names device and inode in `JOURNAL_STREAM` (systemd.exec(5)). */
export function isJournal(
  { JOURNAL_STREAM }: Readonly<Record<string, string | undefined>>,
  stderr: NodeJS.WritableStream = process.stderr,
): boolean {
  if (!JOURNAL_STREAM || !('fd' in stderr)) return false;
  try {
    const { dev, ino } = fstatSync(Number(stderr.fd), { bigint: true });
    return JOURNAL_STREAM === `${dev}:${ino}`;
  } catch {
    // Somebody has closed stderr.
    return false;
  }
}

/** A log in files, in addition to stderr. A full file gets a number, and the oldest is deleted. */
export interface LogFile {
  /** An absolute path. */
  file: string;
  maxSizeMb: number;
  /** How many files are kept, the current one included. */
  keep: number;
  /** Whether the group of the folder may read it, in addition to its owner. Lines name batches and rows. */
  readableByGroup?: boolean;
}

/**
 * The log of a process: one JSON object a line on stderr, because stdout is for the program's result. `level` "warn"
 * keeps a terminal quiet; "silent" writes nothing. With `file`, everything from `info` on is also written there as
 * JSON.
 */
export function makeLog(options: {
  level: 'info' | 'warn' | 'silent';
  secrets: readonly string[];
  /** Writes to the screen of a person who watches. Null: one JSON object a line on `stderr`. */
  screen: ((text: string) => void) | null;
  /** Default: that of the process. */
  stderr?: NodeJS.WritableStream | undefined;
  /** `stderr` is systemd's journal: see `isJournal`. */
  journal?: boolean;
  file?: LogFile | null;
}): Log {
  const clean = winston.format((info) => {
    for (const [key, value] of Object.entries(info)) {
      // A network address has as many digits as a number.
      if (typeof value === 'string' && key !== 'timestamp' && isIP(value) === 0)
        info[key] = withoutNumbers(withoutSecrets(value, options.secrets));
    }
    return info;
  });
  const line = winston.format.printf(({ level, message, ...rest }) => {
    const { timestamp: _time, event: _event, why, ...data } = rest;
    const reason = why === undefined ? '' : `: ${String(why)}`;
    const details = Object.entries(data).map(([key, value]) => `${key}=${String(value)}`);
    return visible(
      `${level === 'info' ? level : 'Note'}: ${String(message)}${reason}${details.length > 0 ? ` (${details.join(', ')})` : ''}`,
    );
  });
  const level = options.level === 'silent' ? 'error' : options.level;
  const { screen, stderr = process.stderr } = options;
  const toScreen = screen
    ? new winston.transports.Stream({ level, format: line, stream: writingTo(screen) })
    : new winston.transports.Stream({ level, format: options.journal ? journalLines : jsonLines, stream: stderr });
  const logger = winston.createLogger({
    level: 'info',
    silent: options.level === 'silent',
    format: winston.format.combine(clean(), winston.format.timestamp()),
    transports: [toScreen, ...(options.file ? [toFiles(options.file)] : [])],
  });
  return {
    info: (message, data) => logger.info(message, { ...data, event: logEventOf(message)?.event }),
    warn: (message, data) => {
      const { event, level = 'warn' } = logEventOf(message) ?? {};
      logger.log(level, message, { ...data, event });
    },
  };
}

/** The log of an account: a line that names no batch names the account. */
export function accountLog({ info, warn }: Log, account: string): Log {
  const named = (data: LogData = {}) => ('batch_id' in data ? data : { account, ...data });
  return {
    info: (message, data) => info(message, named(data)),
    warn: (message, data) => warn(message, named(data)),
  };
}

/** How soon a lasting error is logged again. */
const lastingAgainMs = 15 * 60_000;

/** Logs an error of something that is tried every few seconds: once at first, then now and then, until it is `over`. */
export interface LastingTrouble {
  report(message: WarnMessage, data: LogData): void;
  over(): void;
}

export function makeLastingTrouble({ warn }: Pick<Log, 'warn'>, clock: Pick<Clock, 'monotonic'>): LastingTrouble {
  let last = { text: '', at: Number.NEGATIVE_INFINITY };
  return {
    report(message, data) {
      const [text, at] = [JSON.stringify([message, data]), clock.monotonic()];
      if (text === last.text && at - last.at < lastingAgainMs) return;
      last = { text, at };
      warn(message, data);
    },
    over() {
      last = { text: '', at: Number.NEGATIVE_INFINITY };
    },
  };
}

function writingTo(screen: (text: string) => void): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      screen(String(chunk));
      done();
    },
  });
}

/**
 * Each line is written to the file that is now at the path, so that an error of the disk or folder lasts no longer than
 * its cause. A line that cannot be written is left out, and the next one is tried anew. Winston's own file transport
 * ends the process if it cannot stat the file. If it cannot open the next file, it never writes again and blocks all
 * other transports.
 */
function toFiles(log: LogFile) {
  const modes = log.readableByGroup ? groupModes : privateModes;
  begin(log.file, modes);
  const write = async (text: string) => {
    await turnOver(log);
    makeFile(log.file, modes);
    await appendFile(log.file, text);
  };
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      // A line that cannot be written is on stderr in any case.
      void write(text)
        .catch(() => undefined)
        .then(() => done());
    },
  });
  return new winston.transports.Stream({ format: jsonLines, stream });
}

/** Disk errors that pass. They do not mean that the configuration is wrong, and each line is tried anew. */
const passing: readonly (string | undefined)[] = ['EROFS', 'ENOSPC', 'EDQUOT', 'EIO', 'ESTALE'];

/**
 * Fails at once if the configured log cannot be written, for example because another user of this machine has created
 * it. It does not fail for a full or read-only disk, which usually contains the ledger as well: people are notified of
 * that, and the service manager restarts the program.
 */
function begin(file: string, modes: typeof privateModes): void {
  try {
    makeFile(file, modes);
  } catch (error) {
    if (passing.includes((error as NodeJS.ErrnoException).code)) return;
    throw new AirbatchError('CONFIG_INVALID', `log.file: ${file} cannot be written (${errorMessage(error)})`, {
      hint: 'Give the user who runs this command the right to write it, or name another file in the configuration.',
      cause: error,
    });
  }
}

/**
 * Creates the file if it is missing; an existing file keeps its permissions. Throws if nothing can be written to it.
 */
function makeFile(file: string, modes: typeof privateModes): void {
  makeFolders(dirname(file), modes.folder);
  const isNew = !existsSync(file);
  appendFileSync(file, '', { mode: modes.file });
  // The umask may have removed the group's permission.
  if (isNew && modes === groupModes) chmodSync(file, modes.file);
}

/** When the file is full, "airbatch.log" becomes "airbatch1.log", and the file with the highest number is deleted. */
async function turnOver({ file, maxSizeMb, keep }: LogFile): Promise<void> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size < maxSizeMb * 2 ** 20) return;
  const { dir, name, ext } = parse(file);
  const older = (age: number) => (age === 0 ? file : join(dir, `${name}${age}${ext}`));
  await rm(older(keep - 1), { force: true });
  for (let age = keep - 1; age > 0; age--) if (existsSync(older(age - 1))) await rename(older(age - 1), older(age));
}

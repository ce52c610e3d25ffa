import { appendFileSync, chmodSync, existsSync } from 'node:fs';
import { appendFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { Writable } from 'node:stream';
import winston from 'winston';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { groupModes, makeFolders, privateModes } from '../../core/basics/folders.ts';
import type { Log } from '../../core/text/log.ts';
import { withoutNumbers, withoutSecrets } from '../../core/text/redact.ts';
import { visible } from '../../core/text/visible.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { EventData } from '../../ledger/audit/events.ts';

/** JSON, in which nothing is obeyed or hidden by the screen on which somebody reads a log; its value stays the same. */
const jsonLines = winston.format.combine(
  winston.format.json(),
  winston.format.printf((info) => visible(String(info[Symbol.for('message')]))),
);

/** A log in files besides: a full one gets a number, and the oldest goes. */
export interface LogFile {
  /** Absolute. */
  file: string;
  maxSizeMb: number;
  /** Files kept, the one being written among them. */
  keep: number;
  /** Whether the group of its folder may read it, and not its owner alone: lines name batches and rows. */
  readableByGroup?: boolean;
}

/**
 * The log of a process: one JSON object a line on stderr, so that stdout stays the program's answer. `level` "warn"
 * keeps a terminal quiet; "silent" writes nothing. With `file`, everything from `info` on goes there as JSON as well.
 */
export function makeLog(options: {
  level: 'info' | 'warn' | 'silent';
  secrets: readonly string[];
  /** Where a person watches: what writes to their screen. Null: one JSON object a line on `stderr`. */
  screen: ((text: string) => void) | null;
  /** The process's own where none is given. */
  stderr?: NodeJS.WritableStream | undefined;
  file?: LogFile | null;
}): Log {
  const clean = winston.format((info) => {
    for (const [key, value] of Object.entries(info)) {
      if (typeof value === 'string' && key !== 'timestamp')
        info[key] = withoutNumbers(withoutSecrets(value, options.secrets));
    }
    return info;
  });
  const line = winston.format.printf(({ level, message, ...rest }) => {
    const { timestamp: _time, ...data } = rest;
    const details = Object.entries(data).map(([key, value]) => `${key}=${String(value)}`);
    return visible(
      `${level === 'warn' ? 'Note' : level}: ${String(message)}${details.length > 0 ? ` (${details.join(', ')})` : ''}`,
    );
  });
  const level = options.level === 'silent' ? 'error' : options.level;
  const { screen, stderr = process.stderr } = options;
  const toScreen = screen
    ? new winston.transports.Stream({ level, format: line, stream: writingTo(screen) })
    : new winston.transports.Stream({ level, format: jsonLines, stream: stderr });
  const logger = winston.createLogger({
    level: 'info',
    silent: options.level === 'silent',
    format: winston.format.combine(clean(), winston.format.timestamp()),
    transports: [toScreen, ...(options.file ? [toFiles(options.file)] : [])],
  });
  return {
    info: (message, data) => logger.info(message, data ?? {}),
    warn: (message, data) => logger.warn(message, data ?? {}),
  };
}

/** The log of what happens with an account: a line that names no batch names the account. */
export function accountLog({ info, warn }: Log, account: string): Log {
  const named = (data: EventData = {}) => ('batch_id' in data ? data : { account, ...data });
  return {
    info: (message, data) => info(message, named(data)),
    warn: (message, data) => warn(message, named(data)),
  };
}

/** How soon trouble that lasts is told again. */
const lastingAgainMs = 15 * 60_000;

/**
 * Tells trouble of something that is tried every few seconds: once while it lasts, and then now and then, until it is
 * `over`.
 */
export interface LastingTrouble {
  report(message: string, data: EventData): void;
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
 * Lines go one by one to whatever lies at the path, so that nothing a disk or a folder refuses lasts longer than it
 * does: a line that cannot be written is left out, and the next one is tried anew. Winston's own transport for files
 * ends the process where it cannot look at the file, and where it cannot open the next one it never writes again and
 * holds up all other transports.
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
      // What cannot be written stands on stderr all the same.
      void write(text)
        .catch(() => undefined)
        .then(() => done());
    },
  });
  return new winston.transports.Stream({ format: jsonLines, stream });
}

/** What a disk refuses for a while: it says nothing of the configuration, and lines are tried again one by one. */
const passing: readonly (string | undefined)[] = ['EROFS', 'ENOSPC', 'EDQUOT', 'EIO', 'ESTALE'];

/**
 * Who configured a log is told at once where none can be written there, as when another user of this machine has begun
 * it. Not for a disk that is full or read-only, which mostly has the ledger as well: people are told of that, and
 * whoever watches over the program starts it again.
 */
function begin(file: string, modes: typeof privateModes): void {
  try {
    makeFile(file, modes);
  } catch (error) {
    if (passing.includes((error as NodeJS.ErrnoException).code)) return;
    throw new AirbatchError('CONFIG_INVALID', `log.file: ${file} cannot be written (${errorMessage(error)})`, {
      hint: 'Let whoever runs this command write it, or name another file in the configuration.',
      cause: error,
    });
  }
}

/**
 * Makes the file where it is missing; one that is there keeps its rights. Throws where nothing can be written to it.
 */
function makeFile(file: string, modes: typeof privateModes): void {
  makeFolders(dirname(file), modes.folder);
  const isNew = !existsSync(file);
  appendFileSync(file, '', { mode: modes.file });
  // The umask may have taken the group's right away.
  if (isNew && modes === groupModes) chmodSync(file, modes.file);
}

/** Where the file is full, "airbatch.log" becomes "airbatch1.log", and what has the highest number goes. */
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

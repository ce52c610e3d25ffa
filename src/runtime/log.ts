import { close, open, write } from 'node:fs';
import { Writable } from 'node:stream';
import winston from 'winston';
import { withoutNumbers } from '../core/redact.ts';
import { visible } from '../core/visible.ts';
import type { EngineLog } from '../engine/context.ts';
import type { EventData } from '../ledger/events.ts';

/** `text` with secrets and phone numbers replaced, so that neither ever reaches a log. */
function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret.length > 0) clean = clean.replaceAll(secret, '[secret]');
  return withoutNumbers(clean);
}

/** A log in files besides: a full one gets a number, and the oldest goes. */
export interface LogFile {
  /** Absolute. */
  file: string;
  maxSizeMb: number;
  /** Files kept, the one being written among them. */
  keep: number;
}

/**
 * The log of a process: one JSON object a line on stderr, so that stdout stays the program's answer. `level` "warn" keeps a
 * terminal quiet; "silent" writes nothing. With `file`, everything from `info` on goes there as JSON as well.
 */
export function makeLog(options: {
  level: 'info' | 'warn' | 'silent';
  secrets: readonly string[];
  /** Where a person watches: what writes to their screen. Null: one JSON object a line on stderr. */
  screen: ((text: string) => void) | null;
  file?: LogFile | null;
}): EngineLog {
  const clean = winston.format((info) => {
    for (const [key, value] of Object.entries(info)) {
      if (typeof value === 'string' && key !== 'timestamp') info[key] = redact(value, options.secrets);
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
  const { screen } = options;
  const toScreen = screen
    ? new winston.transports.Stream({ level, format: line, stream: writingTo(screen) })
    : new winston.transports.Console({
        level,
        stderrLevels: ['error', 'warn', 'info'],
        format: winston.format.json(),
      });
  const logger = winston.createLogger({
    level: 'info',
    silent: options.level === 'silent',
    format: winston.format.combine(clean(), winston.format.timestamp()),
    transports: [toScreen, ...(options.file ? [toFiles(options.file)] : [])],
  });
  return {
    info: (message, data = {}) => logger.info(message, data),
    warn: (message, data = {}) => logger.warn(message, data),
  };
}

/** The log of what happens with an account: a line that names no batch names the account. */
export function accountLog({ info, warn }: EngineLog, account: string): EngineLog {
  const named = (data: EventData = {}) => ('batch' in data ? data : { account, ...data });
  return {
    info: (message, data) => info(message, named(data)),
    warn: (message, data) => warn(message, named(data)),
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
 * What a stream to a file calls. Bytes that a full disk does not take are let go: told of the error, the stream would never write again, and
 * once its buffer is full hold up all other transports as well.
 */
const leavingOut = {
  open,
  close,
  write: (
    fd: number,
    bytes: Uint8Array,
    offset: number,
    length: number,
    _position: number | undefined,
    done: (error: null, written: number, bytes: Uint8Array) => void,
  ) => write(fd, bytes, offset, length, null, (error, written) => done(null, error ? length : written, bytes)),
};

function toFiles({ file, maxSizeMb, keep }: LogFile) {
  return new winston.transports.File({
    filename: file,
    maxsize: maxSizeMb * 2 ** 20,
    maxFiles: keep,
    tailable: true,
    format: winston.format.json(),
    // Lines name batches and rows: their owner alone may read them.
    options: { flags: 'a', mode: 0o600, fs: leavingOut },
  });
}

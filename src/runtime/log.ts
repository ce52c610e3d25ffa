import winston from 'winston';
import { withoutNumbers } from '../core/redact.ts';
import type { EngineLog } from '../engine/context.ts';

/** `text` with secrets and phone numbers replaced, so that neither ever reaches a log. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret.length > 0) clean = clean.replaceAll(secret, '[secret]');
  return withoutNumbers(clean);
}

/**
 * The log of a process: one JSON object a line on stderr, so that stdout stays the program's answer. `level` "warn" keeps a
 * terminal quiet; "silent" writes nothing.
 */
export function makeLog(options: {
  level: 'info' | 'warn' | 'silent';
  secrets: readonly string[];
  pretty: boolean;
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
    return `${level === 'warn' ? 'Note' : level}: ${String(message)}${details.length > 0 ? ` (${details.join(', ')})` : ''}`;
  });
  const logger = winston.createLogger({
    level: options.level === 'silent' ? 'error' : options.level,
    silent: options.level === 'silent',
    format: winston.format.combine(clean(), winston.format.timestamp(), options.pretty ? line : winston.format.json()),
    transports: [new winston.transports.Console({ stderrLevels: ['error', 'warn', 'info'] })],
  });
  return {
    info: (message, data = {}) => logger.info(message, data),
    warn: (message, data = {}) => logger.warn(message, data),
  };
}

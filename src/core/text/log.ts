import type { SnakeNames } from './json-output.ts';
import type { InfoMessage, WarnMessage } from './log-events.ts';

/**
 * What a line of the log says besides its sentence: a `message` among it would be written into that sentence, and
 * `event` is the line's code. It has no phone numbers and no secrets.
 */
export type LogData = Record<string, string | number | boolean | null> & { message?: never; event?: never };

/**
 * Where the program logs what it does. The level of a line is that of its sentence (log-events.ts): `info` is for what
 * is as it should be, `warn` for everything else.
 */
export interface Log {
  info<Data extends LogData>(message: InfoMessage, data?: Data & SnakeNames<Data>): void;
  warn<Data extends LogData>(message: WarnMessage, data?: Data & SnakeNames<Data>): void;
}

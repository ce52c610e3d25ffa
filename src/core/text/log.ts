import type { SnakeNames } from './json-output.ts';

/**
 * What a line of the log tells besides its sentence: a `message` among it would be written into that sentence. It has
 * no phone numbers and no secrets.
 */
export type LogData = Record<string, string | number | boolean | null> & { message?: never };

/** Where the program logs what it does. */
export interface Log {
  info<Data extends LogData>(message: string, data?: Data & SnakeNames<Data>): void;
  warn<Data extends LogData>(message: string, data?: Data & SnakeNames<Data>): void;
}

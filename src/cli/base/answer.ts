import { jsonLine, type SnakeNames } from '../../core/text/json-output.ts';
import type { CommandContext } from './command.ts';

/** Prints a result on stdout: as one JSON document with `--json`, else as text. */
export function answer<Document>(
  { terminal, json }: CommandContext,
  document: Document & SnakeNames<Document>,
  text: string,
): void {
  terminal.print(json ? jsonLine<unknown>(document) : `${text}\n`);
}

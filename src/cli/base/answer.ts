import { jsonLine, type SnakeNames } from '../../core/text/json-output.ts';
import type { CommandContext } from './command.ts';

/** Answers on stdout: with the one JSON document where that is asked for, else in words. */
export function answer<Document>(
  { terminal, json }: CommandContext,
  document: Document & SnakeNames<Document>,
  text: string,
): void {
  terminal.print(json ? jsonLine<unknown>(document) : `${text}\n`);
}

import type { CommandContext } from './command.ts';

/** Answers on stdout: with the one JSON document where that is asked for, else in words. */
export function answer({ terminal, json }: CommandContext, document: unknown, words: string): void {
  terminal.print(`${json ? JSON.stringify(document) : words}\n`);
}

import { hash as digest, randomBytes } from 'node:crypto';
import { messagesOf } from './reasons.ts';

/** A fingerprint of the text of a reason; never 0. Most rows have no reason, and then nothing is digested. */
export function reasonMark(reason: string): number {
  return reason === '' ? 1 : fingerprint(messagesOf(reason));
}

/**
 * Different in each process: otherwise a forger could search for other facts with the same 32 bits. Short enough for
 * one block of the digest.
 */
const salt = randomBytes(5).toString('base64url');

/** 32 bits of a digest, never 0: enough to notice that one row's facts differ, in four bytes a row. */
export function fingerprint(...facts: unknown[]): number {
  let text = salt;
  for (const fact of facts) text += `|${fact ?? ''}`;
  return Number.parseInt(digest('sha256', text).slice(0, 8), 16) || 1;
}

import { hash as digest, randomBytes } from 'node:crypto';
import { messagesOf } from './reasons.ts';

/** Stands for the words of a reason; most rows end without any, for which nothing need be digested. Never 0. */
export function reasonMark(reason: string): number {
  return reason === '' ? 1 : fingerprint(messagesOf(reason));
}

/**
 * Of each process its own: else whoever forges could look for other facts that have the same 32 bits. Short, for one
 * block of the digest.
 */
const salt = randomBytes(5).toString('base64url');

/** 32 bits of a digest, never 0: enough to see that one row's facts differ, in four bytes a row. */
export function fingerprint(...facts: unknown[]): number {
  let text = salt;
  for (const fact of facts) text += `|${fact ?? ''}`;
  return Number.parseInt(digest('sha256', text).slice(0, 8), 16) || 1;
}

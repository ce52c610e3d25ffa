import { dayMs } from './clock.ts';

/** What is limited by the minute tells who is too quick to wait for a minute or so: a wait of this length is worth a person's look. */
export const longWaitMs = 15 * 60_000;

/** However long the service tells an account to wait, it is asked again after so long: a mad header must not stop an account for years. */
export const toldWaitMsMax = dayMs;

/** How long the account waits that is told to wait for `retryAfterMs`. */
export function waitMsOf(retryAfterMs: number): number {
  return Math.min(retryAfterMs, toldWaitMsMax);
}

/** A wait that the service has told an account of. Times are epoch ms. */
export interface ToldWait {
  since: number;
  /** When it is asked again. */
  until: number;
  /** How long the service itself said last (ms): it is asked again before that is over where it said more than a day. */
  saidMs: number;
}

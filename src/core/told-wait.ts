import { dayMs } from './clock.ts';

/** What is limited by the minute tells who is too quick to wait for a minute or so: a wait of this length is worth a person's look. */
export const longWaitMs = 15 * 60_000;

/** However long the service tells an account to wait, it is asked again after so long: a mad header must not stop an account for years. */
const toldWaitMsMax = dayMs;

/** The service counts by the minute (spec section 8.1), so an account that is throttled again and again need not wait longer than this. */
const repeatedWaitMsMax = 60_000;

/**
 * How long a throttled account waits: as the service says, and at least as long as it has been throttled without a break (`lastedMs`).
 * A service that says "one second" each time would otherwise be asked every second, for ever.
 */
export function waitMsOf(retryAfterMs: number, lastedMs = 0): number {
  return Math.min(Math.max(retryAfterMs, Math.min(lastedMs, repeatedWaitMsMax)), toldWaitMsMax);
}

/** A wait that the service has told an account of. Times are epoch ms. */
export interface ToldWait {
  since: number;
  /** When it was last told, and for how long by the service's own word (ms). */
  at: number;
  saidMs: number;
  /** When it is asked again: where it said longer than we wait, before that is over. */
  until: number;
}

/** Told to wait again within this time after the last wait, an account has not been let through in between, as far as is known. */
const sameWaitMs = 60_000;

/** The wait that goes on at `now` (epoch ms), or was over a moment ago; null where there is none. */
export function waitAt(told: ToldWait | null, now: number): ToldWait | null {
  return told !== null && now <= told.until + sameWaitMs ? told : null;
}

/**
 * The wait of a program that begins at `now` (epoch ms) and was not told itself; null where it is over. One that no limit explains is asked anew
 * a quarter of an hour after the service told of it: a person may have had it ended.
 */
export function keptWait(told: ToldWait | null, now: number): ToldWait | null {
  if (told === null) return null;
  const until = Math.min(told.until, told.at + longWaitMs, now + longWaitMs);
  // Nor what an older version has noted in other words.
  return until > now ? { ...told, until } : null;
}

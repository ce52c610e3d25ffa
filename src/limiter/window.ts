import { expectedOfOthers, isShared, keptBackOf } from './others.ts';
import { concurrencyMaxOf, type RateWindow, roundingOf, type SeenWindow } from './rate-window.ts';
import { timeOfAtMost } from './sliding-count.ts';
import { roll } from './window-counts.ts';

/**
 * Decides when a request may start on one counter of the service. It changes only the window that it is given; every
 * call passes the time (monotonic ms), and nothing here waits.
 *
 * A window is in one of three phases:
 * - `unknown`: nothing is known about the server's window (at the start, after a long rest, without headers). The
 *   limiter keeps an even pace and at most the limit in any sliding window, so that programs that follow one another
 *   stay within the limit. If the configured limit is above the default and unconfirmed, one request goes first.
 * - `open`: answers describe the window, or the use by an earlier program does. What is left is used at once, except a
 *   reserve that is kept until answers show that no other client uses the account. With other clients, it is used
 *   evenly.
 * - `opening`: the last known window is over. One request goes first; until its answer, the limiter keeps an even pace.
 */

/** How long the first request's answer is awaited before another request asks, as a part of the window. */
const askPatience = 1 / 16;

/**
 * When `count` requests may start together (monotonic ms). `now` or earlier means at once; a later time is when to ask
 * again. `Infinity` means that only the end of a running request can make room.
 */
export function startsAt(window: RateWindow, now: number, count: number): number {
  roll(window, now);
  if (isBusy(window, count)) return Infinity;
  const need = Math.min(count, window.limit);
  if (window.phase === 'open') return startsInOpenWindow(window, now, need);
  if (window.phase === 'opening') return startsInOpeningWindow(window, now, need);
  if (window.isUntried && window.running > 0) return window.lastStart.at + window.options.windowMs * askPatience;
  return Math.max(pacedStart(window), slidingStart(window, now, need));
}

/** What a job sends less if other clients use the account: they leave room for few requests at a time. */
const sharedPart = 1 / 8;
/** The part of the limit that starts together at most before an answer has shown the window. */
const unseenPart = 1 / 8;

/** How many of `count` requests start together: no more than the window still allows without its reserve. */
export function togetherOf(window: RateWindow, now: number, count: number): number {
  roll(window, now);
  const { seen, phase, unanswered, limit, options } = window;
  if (phase !== 'open' || seen === null)
    return options.sendsHeaders ? Math.min(count, Math.max(1, Math.floor(limit * unseenPart))) : count;
  if (isShared(window)) return Math.ceil(count * sharedPart);
  const left = seen.remaining - unanswered - (keptBackOf(window, seen)?.count ?? 0);
  return Math.max(1, Math.min(count, left));
}

/** How many requests all clients have used in the server's current window; null if unknown. */
export function usedOfWindow(window: RateWindow, now: number): number | null {
  roll(window, now);
  const { phase, seen, opening, unanswered, limit } = window;
  if (phase === 'opening') return opening.carried + opening.sent;
  return phase === 'open' && seen ? Math.min(limit, Math.max(0, limit - seen.remaining + unanswered)) : null;
}

/** Two jobs may always run at the same time, so that one slow answer does not stop the account. */
function isBusy(window: RateWindow, count: number): boolean {
  return window.running > 0 && window.running + count > Math.max(concurrencyMaxOf(window), 2 * count);
}

function startsInOpenWindow(window: RateWindow, now: number, need: number): number {
  const seen = window.seen as SeenWindow;
  const left = seen.remaining - window.unanswered;
  if (left < need) return seen.endsAt;
  if (!isShared(window)) {
    // If more requests wait than fit, spreading them costs nothing: the window is used up either way.
    const from = window.expected > left ? spreadStart(window, seen.endsAt - endFreeMs(window), left) : now;
    const kept = keptBackOf(window, seen);
    if (kept === null || left - kept.count >= need) return from;
    // Beyond the reserve, one request at a time asks whether other clients have come. A slow answer is not awaited for
    // ever.
    const patienceMs = window.unanswered === 0 ? 0 : window.options.windowMs * askPatience;
    return Math.max(kept.until, from, window.lastStart.at + patienceMs);
  }
  const margin = marginOf(window);
  const { at } = window.lastStart;
  const reserve = Math.min(expectedOfOthers(window, seen, seen.endsAt), window.limit - margin - need);
  const spare = left - margin - Math.max(0, reserve);
  if (spare < need) {
    // Others may need less than their reserve: sometimes one request asks, if they cannot have used the rest by then.
    const since = Math.max(at, seen.shownAt);
    const askAt = since + Math.max((seen.endsAt - since) / 8, window.options.windowMs / 200);
    const isSafe = left - margin - expectedOfOthers(window, seen, Math.max(now, askAt)) >= need;
    return isSafe ? Math.min(seen.endsAt, askAt) : seen.endsAt;
  }
  return spreadStart(window, seen.endsAt, spare);
}

/**
 * When the next requests start if `left` requests are spread over the time until `until` (monotonic ms), as many
 * together as started last. The last ones may be fewer.
 */
function spreadStart({ lastStart: { at, count }, options }: RateWindow, until: number, left: number): number {
  const from = Math.max(at, until - options.windowMs);
  return from + ((until - from) * Math.min(count, left)) / (left + 1);
}

/**
 * A request that arrives late falls into the next window. So the last part of a window, an eighth at most, is kept
 * free.
 */
const lastPartMsMax = 1_000;

/** How long before its certain end a window should be used up (ms): before the earliest moment at which it can end. */
export function endFreeMs({ seen, options: { windowMs, resetMarginMs } }: RateWindow): number {
  const rounding = seen === null ? 0 : roundingOf(seen.resetAt, windowMs);
  return rounding + resetMarginMs + Math.min(windowMs / 8, lastPartMsMax);
}

/** The part of the limit that stays unused while others share the account, in addition to their share. */
const sharedMargin = 0.01;

/** The same as a number of requests, at least 1. */
export function marginOf({ limit }: RateWindow): number {
  return Math.max(1, Math.round(limit * sharedMargin));
}

function startsInOpeningWindow(window: RateWindow, now: number, need: number): number {
  const { since, sent, carried } = window.opening;
  if (window.limit - carried - sent < need) return since + window.options.windowMs;
  return sent === 0 ? now : pacedStart(window);
}

/** The part by which the even pace is slower than the limit. */
export const paceMargin = 0.02;

function pacedStart({ lastStart, limit, options }: RateWindow): number {
  return lastStart.at + (lastStart.count * options.windowMs * (1 + paceMargin)) / limit;
}

/** At most the limit in any sliding window, wherever between a request's start and end the server counted it. */
function slidingStart({ ends, running, limit }: RateWindow, now: number, need: number): number {
  const left = limit - running - need;
  return left < 0 ? Infinity : timeOfAtMost(ends, now, left);
}

import { rememberOthers } from './others.ts';
import type { RateWindow } from './rate-window.ts';
import { addToCount, takeFromCount } from './sliding-count.ts';

/**
 * Moves the window to the phase of this time: a window that is over opens the next; one without answers becomes
 * unknown.
 */
export function roll(window: RateWindow, now: number): void {
  const { seen, options } = window;
  if (window.phase === 'open' && seen && now >= seen.endsAt) {
    rememberOthers(window, seen);
    window.phase = 'opening';
    window.opening = { since: seen.endsAt, sent: 0, carried: window.unanswered };
  }
  if (window.phase === 'opening' && now >= window.opening.since + options.windowMs) {
    window.phase = 'unknown';
    window.othersBefore = [];
    window.suspected = false;
  }
}

/** Counts the requests of earlier programs, as if they were our own: see `Limiter.usedBefore`. */
export function noteUsedBefore(
  window: RateWindow,
  now: number,
  ended: readonly { agoMs: number; count: number }[],
): void {
  for (const { agoMs, count } of ended) {
    addToCount(window.starts, now - agoMs, count);
    addToCount(window.ends, now - agoMs, count);
    // With headers, the answer to the first request shows how many more may follow at once.
    if (!window.options.sendsHeaders) window.lastStart = { at: now - agoMs, count };
  }
  // Answers had shown them a higher limit than the configured one. One request asks how high it is.
  const { total } = window.starts;
  if (!window.options.sendsHeaders || total <= window.limit) return;
  window.limit = total + 1;
  window.isUntried = true;
}

/** Counts `count` requests that start. */
export function noteStart(window: RateWindow, now: number, count: number): void {
  roll(window, now);
  window.running += count;
  window.unanswered += count;
  window.expected = Math.max(0, window.expected - count);
  window.lastStart = { at: now, count };
  addToCount(window.starts, now, count);
  window.opening.sent += count;
  if (window.seen) window.seen.ours += count;
}

/** Uncounts `count` admitted requests that are not sent. */
export function noteRelease(window: RateWindow, count: number): void {
  window.running -= count;
  window.unanswered = Math.max(0, window.unanswered - count);
  window.lastStart.count = Math.max(0, window.lastStart.count - count);
  takeFromCount(window.starts, count);
  window.opening.sent = Math.max(0, window.opening.sent - count);
  if (window.seen) window.seen.ours -= count;
}

/** Counts `count` requests that ended, whatever their outcome. */
export function noteEnd(window: RateWindow, now: number, count: number): void {
  roll(window, now);
  window.running -= count;
  // If the answers showed no limit, only the configured one is left to use.
  if (count > 0) window.isUntried = false;
  addToCount(window.ends, now, count);
  // A request that no longer runs and has no answer was lost. The server may have counted it.
  const lost = window.unanswered - window.running;
  if (lost <= 0) return;
  window.unanswered = window.running;
  if (window.seen) window.seen.remaining -= lost;
}

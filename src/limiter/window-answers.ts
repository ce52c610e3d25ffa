import type { RateHeaders } from '../gateway/contract/gateway.ts';
import { rememberOthers } from './others.ts';
import { type RateWindow, roundingOf, type SeenWindow } from './rate-window.ts';
import { localTimeOf, sampleTime } from './server-clock.ts';
import { countWithin } from './sliding-count.ts';
import { roll } from './window-counts.ts';

/**
 * Records that the service refused a request. If the window was used up, its reset ends the wait. Otherwise what was
 * known about the window is in doubt until a later request is answered.
 */
export function noteRefusal(window: RateWindow, now: number): void {
  roll(window, now);
  if (window.phase === 'open' && window.seen && window.seen.remaining <= 0) return;
  window.phase = 'unknown';
  window.doubtedAt = now;
}

/** Records the headers of an answer. `wallNow` is the wall clock (epoch ms) at `now` (monotonic ms). */
export function noteAnswer(window: RateWindow, now: number, wallNow: number, headers: RateHeaders): void {
  roll(window, now);
  const unansweredBefore = window.unanswered;
  window.unanswered = Math.max(0, unansweredBefore - 1);
  if (!window.options.sendsHeaders || !(headers.limit >= 1)) return;
  window.limit = headers.limit;
  window.isUntried = false;
  // A remainder above the limit says nothing about the window.
  if (headers.remaining > headers.limit) return;
  const sentAt = headers.tookMs === undefined ? null : now - headers.tookMs;
  const { windowMs } = window.options;
  const slack = roundingOf(headers.resetAt, windowMs);
  sampleTime(window.serverClock, {
    receivedAt: now,
    sentAt,
    date: headers.date ?? null,
    windowFrom: headers.resetAt - slack - windowMs,
    windowTo: headers.resetAt + slack,
  });
  const { seen } = window;
  if (seen === null || isNewer(window, seen, headers.resetAt) || isRefuted(window, seen, headers.resetAt, sentAt)) {
    beginSeen(window, now, headers, { unanswered: unansweredBefore, sentAt });
  } else if (headers.resetAt > seen.resetAt - windowMs / 2) {
    narrowSeen(window, seen, now, headers, sentAt);
  }
  if (unansweredBefore > 0) countAnswered(window, headers);
  noteShownWell(window);
  settleEnd(window, now, wallNow - now);
}

/**
 * Whether `resetAt` belongs to a later window than the latest one. Resets in whole seconds may differ by one second.
 */
function isNewer({ phase, options }: RateWindow, seen: SeenWindow, resetAt: number): boolean {
  const tolerance = phase === 'open' ? options.windowMs / 2 : roundingOf(resetAt, options.windowMs);
  return resetAt > seen.resetAt + tolerance;
}

/**
 * Whether the latest window was wrong, or the service's clock was set back since: a request that was sent after that
 * answer is answered with a much earlier window.
 */
function isRefuted({ options }: RateWindow, seen: SeenWindow, resetAt: number, sentAt: number | null): boolean {
  return sentAt !== null && sentAt >= seen.seenAt && resetAt < seen.resetAt - options.windowMs / 2;
}

function beginSeen(
  window: RateWindow,
  now: number,
  { limit, remaining, resetAt }: RateHeaders,
  { unanswered, sentAt }: { unanswered: number; sentAt: number | null },
): void {
  const used = limit - remaining;
  const { phase, seen, opening } = window;
  if (phase === 'open' && seen) rememberOthers(window, seen);
  // Our share of it: all that was sent since it opened, or all that was running when it was found.
  const ours = phase === 'opening' ? opening.carried + opening.sent : unanswered;
  const started = countWithin(window.starts, now);
  const found = phase === 'unknown' ? Math.max(0, used - started) : 0;
  window.seen = {
    resetAt,
    endsAt: now,
    seenAt: now,
    watchedFrom: now,
    remaining,
    answered: 0,
    ours: phase === 'unknown' ? Math.max(ours, found > 0 ? used + window.unanswered : started) : ours,
    others: 0,
    foundUsed: found > 0,
    isFirst: phase === 'unknown',
    shownAt: sentAt ?? now,
    shownWellAt: -Infinity,
  };
  window.seen.others = Math.max(0, used - window.seen.ours);
  window.phase = 'open';
}

function narrowSeen(
  window: RateWindow,
  seen: SeenWindow,
  now: number,
  { limit, remaining, resetAt }: RateHeaders,
  sentAt: number | null,
): void {
  // Answers arrive out of order, but within a window the remainder only falls.
  seen.remaining = Math.min(seen.remaining, remaining);
  seen.others = Math.max(seen.others, limit - remaining - seen.ours);
  seen.shownAt = Math.max(seen.shownAt, sentAt ?? now);
  if (resetAt > seen.resetAt) {
    seen.resetAt = resetAt;
    seen.seenAt = now;
  }
  if (window.phase === 'unknown' && (sentAt ?? now) >= window.doubtedAt) window.phase = 'open';
}

/**
 * Counts an answer to one of our requests in this window. Each leaves at least one request less, whatever the service
 * says.
 */
function countAnswered({ seen, options: { windowMs } }: RateWindow, { limit, resetAt }: RateHeaders): void {
  if (seen === null || resetAt <= seen.resetAt - windowMs / 2) return;
  seen.answered += 1;
  seen.remaining = Math.min(seen.remaining, limit - seen.answered);
}

/**
 * Use by others cannot be mistaken for ours if none of our requests is without an answer. Nor can it if the service has
 * shown no more use than by the requests that it has answered, and by others as far as they are known: the one that it
 * counted last shows all use until then.
 */
function noteShownWell({ seen, unanswered, limit }: RateWindow): void {
  if (seen === null) return;
  if (unanswered === 0 || limit - seen.remaining <= seen.answered + seen.others) seen.shownWellAt = seen.shownAt;
}

/** Calculates when the window is over. If it was considered over too early, it opens again. */
function settleEnd(window: RateWindow, now: number, wallOffset: number): void {
  const { seen, options } = window;
  if (seen === null) return;
  const { windowMs, resetMarginMs } = options;
  const slack = roundingOf(seen.resetAt, windowMs);
  const reset = localTimeOf(window.serverClock, seen.resetAt, wallOffset, windowMs);
  seen.endsAt = Math.min(reset, seen.seenAt + windowMs) + slack + resetMarginMs;
  if (now < seen.endsAt) {
    if (window.phase === 'opening') window.phase = 'open';
  } else if (window.phase === 'open') {
    // The answer was slow, or the clocks differ by an unproved amount: rely on our own count.
    window.phase = 'unknown';
  }
}

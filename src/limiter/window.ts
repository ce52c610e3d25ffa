import type { OwnUse } from '../core/rate-outlook.ts';
import type { RateHeaders } from '../gateway/gateway.ts';
import { expectedOfOthers, isShared, keptBackOf, rememberOthers } from './others.ts';
import type { RateWindow, ToldWindow } from './rate-window.ts';
import { localTimeOf, sampleTime } from './server-clock.ts';
import { addToCount, countWithin, takeFromCount, timeOfAtMost } from './sliding-count.ts';

/**
 * The policy of one counter of the service: when may a request start? Pure but for its own state: it is told the time
 * (monotonic ms) with every call, waits for nothing and calls nobody.
 *
 * It is in one of three phases:
 * - `unknown`: nothing is known of the server's window (a start, a long rest, a server without headers): at most the limit
 *   in any sliding window, evenly paced, so that even one limiter after another keeps to the limit. One request alone asks
 *   first where that limit is higher than usual and no answer has shown it. What a program before this one left of a window is not
 *   exceeded either.
 * - `open`: answers told of the window. What is left of it goes at once, but for what is kept back until answers have shown
 *   that nobody else uses the account; where others do, it goes evenly.
 * - `opening`: the window known last is over. One request goes ahead and asks; until it is answered, the even pace.
 */

/** The last request's answer is waited for this long, as a part of the window, before another asks in its stead. */
const askPatience = 1 / 16;

/**
 * When `count` requests may start together: at `now` or before it, at once. A later time is when to ask again; it is
 * `Infinity` where only the end of a running request can make room.
 */
export function startsAt(window: RateWindow, now: number, count: number): number {
  roll(window, now);
  if (isBusy(window, count)) return Infinity;
  const need = Math.min(count, window.limit);
  if (window.phase === 'open') return startsInOpenWindow(window, now, need);
  if (window.phase === 'opening') return startsInOpeningWindow(window, now, need);
  if (window.isUntried && window.running > 0) return window.lastStart.at + window.options.windowMs * askPatience;
  return Math.max(pacedStart(window), slidingStart(window, now, need), leftBeforeStart(window, now, need));
}

/** The same for requests that count here, though their answers speak of another counter: no pace, only room. */
export function hasRoomAt(window: RateWindow, now: number, count: number): number {
  roll(window, now);
  const need = Math.min(count, window.limit);
  if (window.phase !== 'open' || window.told === null) return slidingStart(window, now, need);
  return window.told.remaining - window.unanswered >= need ? now : window.told.endsAt;
}

/** How many of the server's window that is under way are used, by whomever, as far as is known; null where nothing is. */
export function usedOfWindow(window: RateWindow, now: number): number | null {
  roll(window, now);
  const { phase, told, opening, unanswered, limit } = window;
  if (phase === 'opening') return opening.carried + opening.sent;
  if (phase === 'unknown') return useBefore(window, now)?.count ?? null;
  return phase === 'open' && told ? Math.min(limit, Math.max(0, limit - told.remaining + unanswered)) : null;
}

/** What we have used of it; null where others use it too, or nothing is known. `ahead`: what is added to our time for the wall clock's (ms). */
export function ownUseOf(window: RateWindow, now: number, ahead: number): OwnUse | null {
  const count = usedOfWindow(window, now);
  const { told, phase, limit } = window;
  const before = useBefore(window, now);
  if (before !== null) return { ...before, endsAt: before.endsAt + ahead };
  if (count === null || told === null || phase !== 'open' || isShared(window)) return null;
  return { count, limit, resetAt: told.resetAt, endsAt: told.endsAt + ahead };
}

/** What is used of the window that a program before this one has used, with what we have sent in it: as long as no answer tells more. */
export function useBefore({ before, told, starts }: RateWindow, now: number): OwnUse | null {
  if (before === null || told !== null || now >= before.endsAt) return null;
  return { ...before, count: before.count + countWithin(starts, now) };
}

function isBusy({ running, concurrencyMax }: RateWindow, count: number): boolean {
  return running > 0 && running + count > concurrencyMax;
}

function startsInOpenWindow(window: RateWindow, now: number, need: number): number {
  const told = window.told as ToldWindow;
  const left = told.remaining - window.unanswered;
  if (left < need) return told.endsAt;
  if (!isShared(window)) {
    // Nothing is lost by spreading what the window has no room for: all that is left of it is used either way.
    const from = window.expected > left ? spreadStart(window, told.endsAt - endFreeMs(window), left) : now;
    const kept = keptBackOf(window, told);
    if (kept === null || left - kept.count >= need) return from;
    // Then one request by itself asks whether others have come. What is slow is not waited for without end.
    const patienceMs = window.unanswered === 0 ? 0 : window.options.windowMs * askPatience;
    return Math.max(kept.until, from, window.lastStart.at + patienceMs);
  }
  const margin = marginOf(window);
  const { at } = window.lastStart;
  const reserve = Math.min(expectedOfOthers(window, told, told.endsAt), window.limit - margin - need);
  const spare = left - margin - Math.max(0, reserve);
  if (spare < need) {
    // Others may need less than is kept for them: now and then one request asks, where they cannot have used what is left.
    const since = Math.max(at, told.shownAt);
    const askAt = since + Math.max((told.endsAt - since) / 8, window.options.windowMs / 200);
    const isSafe = left - margin - expectedOfOthers(window, told, Math.max(now, askAt)) >= need;
    return isSafe ? Math.min(told.endsAt, askAt) : told.endsAt;
  }
  return spreadStart(window, told.endsAt, spare);
}

/** When the next goes where `left` more are spread over what is left of the window until then (monotonic ms). */
function spreadStart({ lastStart: { at, count }, options }: RateWindow, until: number, left: number): number {
  const from = Math.max(at, until - options.windowMs);
  return from + ((until - from) * count) / (left + 1);
}

/** What is left of a window is lost with a request that arrives a little late: so much of its end (an eighth, at most) is kept free. */
const lastPartMsMax = 1_000;

/** How long before a window is surely over it shall be used up (ms), where it is spread over: before it ends at the earliest that it can. */
export function endFreeMs({ told, options: { windowMs, resetMarginMs } }: RateWindow): number {
  const rounding = told === null ? 0 : roundingOf(told.resetAt, windowMs);
  return rounding + resetMarginMs + Math.min(windowMs / 8, lastPartMsMax);
}

/** What is left unused of a window that others use, beside their share. */
export function marginOf({ limit, options }: RateWindow): number {
  return Math.max(1, Math.round(limit * options.sharedMargin));
}

function startsInOpeningWindow(window: RateWindow, now: number, need: number): number {
  const { since, sent, carried } = window.opening;
  if (window.limit - carried - sent < need) return since + window.options.windowMs;
  return sent === 0 ? now : pacedStart(window);
}

/** Evenly, a little slower than the limit. */
function pacedStart({ lastStart, limit, options }: RateWindow): number {
  return lastStart.at + (lastStart.count * options.windowMs * (1 + options.paceMargin)) / limit;
}

/** At most the limit in any sliding window, wherever between its start and its end the server counted a request. */
function slidingStart({ ends, running, runningElsewhere, limit }: RateWindow, now: number, need: number): number {
  const left = limit - running - runningElsewhere - need;
  return left < 0 ? Infinity : timeOfAtMost(ends, now, left);
}

/** Where a program before this one has left less of the window under way, the next one is waited for: to ask would be refused. */
function leftBeforeStart(window: RateWindow, now: number, need: number): number {
  const before = useBefore(window, now);
  return before === null || before.limit - before.count >= need ? now : before.endsAt;
}

/** `count` requests start. */
export function noteStart(window: RateWindow, now: number, count: number): void {
  roll(window, now);
  window.running += count;
  window.unanswered += count;
  window.expected = Math.max(0, window.expected - count);
  window.lastStart = { at: now, count };
  countStart(window, now, count);
}

/** `count` requests start that count here too, and whose answers will speak of another counter. */
export function noteStartElsewhere(window: RateWindow, now: number, count: number): void {
  roll(window, now);
  window.runningElsewhere += count;
  if (window.told) window.told.remaining -= count;
  countStart(window, now, count);
}

function countStart(window: RateWindow, now: number, count: number): void {
  addToCount(window.starts, now, count);
  window.opening.sent += count;
  if (window.told) window.told.ours += count;
}

/** `count` admitted requests were not, and will not be, sent. */
export function noteGiveBack(window: RateWindow, count: number): void {
  window.running -= count;
  window.unanswered = Math.max(0, window.unanswered - count);
  window.lastStart.count = Math.max(0, window.lastStart.count - count);
  uncountStart(window, count);
}

export function noteGiveBackElsewhere(window: RateWindow, count: number): void {
  window.runningElsewhere -= count;
  if (window.told) window.told.remaining += count;
  uncountStart(window, count);
}

function uncountStart(window: RateWindow, count: number): void {
  takeFromCount(window.starts, count);
  window.opening.sent = Math.max(0, window.opening.sent - count);
  if (window.told) window.told.ours -= count;
}

/** `count` requests ended, whatever came of them. */
export function noteEnd(window: RateWindow, now: number, count: number): void {
  roll(window, now);
  window.running -= count;
  // Whoever ended and told of no limit leaves nothing but the configured one to go by.
  if (count > 0) window.isUntried = false;
  addToCount(window.ends, now, count);
  // Whatever is unanswered and no longer runs was lost, and may have been counted all the same.
  const lost = window.unanswered - window.running;
  if (lost <= 0) return;
  window.unanswered = window.running;
  if (window.told) window.told.remaining -= lost;
}

export function noteEndElsewhere(window: RateWindow, now: number, count: number): void {
  roll(window, now);
  window.runningElsewhere -= count;
  addToCount(window.ends, now, count);
}

/**
 * The service said to wait. Where that is no surprise, the window's reset ends it; else what was known of the window is in
 * doubt until a request sent after this is answered.
 */
export function noteRefusal(window: RateWindow, now: number): void {
  roll(window, now);
  if (window.phase === 'open' && window.told && window.told.remaining <= 0) return;
  window.phase = 'unknown';
  window.doubtedAt = now;
}

/** An answer came with these headers. `wallNow` is our wall clock's time (epoch ms) at `now`. */
export function noteAnswer(window: RateWindow, now: number, wallNow: number, headers: RateHeaders): void {
  roll(window, now);
  const unansweredBefore = window.unanswered;
  window.unanswered = Math.max(0, unansweredBefore - 1);
  if (!window.options.sendsHeaders || !(headers.limit >= 1)) return;
  window.limit = headers.limit;
  window.isUntried = false;
  // Whoever says that more is left than there ever was knows nothing of the window.
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
  const { told } = window;
  if (told === null || isNewer(window, told, headers.resetAt) || isRefuted(window, told, headers.resetAt, sentAt)) {
    beginTold(window, now, headers, { unanswered: unansweredBefore, sentAt });
  } else if (headers.resetAt > told.resetAt - windowMs / 2) {
    narrowTold(window, told, now, headers, sentAt);
  }
  if (unansweredBefore > 0) countAnswered(window, headers);
  settleEnd(window, now, wallNow - now);
}

/** Whether `resetAt` is of a later window than the one told last; services that count by seconds may waver by one. */
function isNewer({ phase, options }: RateWindow, told: ToldWindow, resetAt: number): boolean {
  const tolerance = phase === 'open' ? options.windowMs / 2 : roundingOf(resetAt, options.windowMs);
  return resetAt > told.resetAt + tolerance;
}

/**
 * Whether the window told last was a mistake, or the service's clock was set back since: what was asked after that word came is answered
 * with a window long before it.
 */
function isRefuted({ options }: RateWindow, told: ToldWindow, resetAt: number, sentAt: number | null): boolean {
  return sentAt !== null && sentAt >= told.seenAt && resetAt < told.resetAt - options.windowMs / 2;
}

function beginTold(
  window: RateWindow,
  now: number,
  { limit, remaining, resetAt }: RateHeaders,
  { unanswered, sentAt }: { unanswered: number; sentAt: number | null },
): void {
  const used = limit - remaining;
  const { phase, told, opening } = window;
  if (phase === 'open' && told) rememberOthers(window, told);
  // What we may have in it: since its opening all that was sent; else what was under way, beside what it was found with.
  const ours = phase === 'opening' ? opening.carried + opening.sent : unanswered;
  const started = countWithin(window.starts, now) + usedBeforeOf(window, resetAt);
  const found = phase === 'unknown' ? Math.max(0, used - started) : 0;
  window.told = {
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
    shownWellAt: window.unanswered === 0 ? (sentAt ?? now) : -Infinity,
  };
  window.told.others = Math.max(0, used - window.told.ours);
  window.phase = 'open';
}

/** How many requests of the window with this reset a program before this one has used. */
function usedBeforeOf({ before, options }: RateWindow, resetAt: number): number {
  return before !== null && Math.abs(before.resetAt - resetAt) < options.windowMs / 2 ? before.count : 0;
}

function narrowTold(
  window: RateWindow,
  told: ToldWindow,
  now: number,
  { limit, remaining, resetAt }: RateHeaders,
  sentAt: number | null,
): void {
  // Answers come out of order: within a window what is left only falls.
  told.remaining = Math.min(told.remaining, remaining);
  told.others = Math.max(told.others, limit - remaining - told.ours);
  told.shownAt = Math.max(told.shownAt, sentAt ?? now);
  if (window.unanswered === 0) told.shownWellAt = told.shownAt;
  if (resetAt > told.resetAt) {
    told.resetAt = resetAt;
    told.seenAt = now;
  }
  if (window.phase === 'unknown' && (sentAt ?? now) >= window.doubtedAt) window.phase = 'open';
}

/** A request of ours was answered in the window that was told: with each of them at least one less is left, whatever the service says. */
function countAnswered({ told, options: { windowMs } }: RateWindow, { limit, resetAt }: RateHeaders): void {
  if (told === null || resetAt <= told.resetAt - windowMs / 2) return;
  told.answered += 1;
  told.remaining = Math.min(told.remaining, limit - told.answered);
}

/** Learns when the told window is over; where that was taken for past too early, it is open again. */
function settleEnd(window: RateWindow, now: number, wallOffset: number): void {
  const { told, options } = window;
  if (told === null) return;
  const { windowMs, resetMarginMs } = options;
  const slack = roundingOf(told.resetAt, windowMs);
  const reset = localTimeOf(window.serverClock, told.resetAt, wallOffset, windowMs);
  told.endsAt = Math.min(reset, told.seenAt + windowMs) + slack + resetMarginMs;
  if (now < told.endsAt) {
    if (window.phase === 'opening') window.phase = 'open';
  } else if (window.phase === 'open') {
    // A slow answer, or clocks that nothing has proved apart yet: go by our own count.
    window.phase = 'unknown';
  }
}

/**
 * Windows that follow the clock end on a multiple of their length, and others may show a fraction: both are exact. A
 * whole second that is neither may have been rounded down.
 */
function roundingOf(resetAt: number, windowMs: number): number {
  return resetAt % 1_000 === 0 && resetAt % windowMs !== 0 ? 1_000 : 0;
}

/** Time goes by: a window that is over opens the next; of one that nobody asked about nothing is known. */
function roll(window: RateWindow, now: number): void {
  const { told, options } = window;
  if (window.phase === 'open' && told && now >= told.endsAt) {
    rememberOthers(window, told);
    window.phase = 'opening';
    window.opening = { since: told.endsAt, sent: 0, carried: window.unanswered };
  }
  if (window.phase === 'opening' && now >= window.opening.since + options.windowMs) {
    window.phase = 'unknown';
    window.othersBefore = [];
    window.suspected = false;
  }
}

import type { RateHeaders } from '../gateway/gateway.ts';
import { localTimeOf, type ServerClock, sampleTime } from './server-clock.ts';
import {
  addToCount,
  countWithin,
  makeSlidingCount,
  type SlidingCount,
  takeFromCount,
  timeOfAtMost,
} from './sliding-count.ts';

/**
 * The policy of one counter of the service: when may a request start? Pure but for its own state: it is told the time
 * (monotonic ms) with every call, waits for nothing and calls nobody.
 *
 * It is in one of three phases:
 * - `unknown`: nothing is known of the server's window (a start, a long rest, a server without headers): at most the limit
 *   in any sliding window, evenly paced, so that even one limiter after another keeps to the limit.
 * - `open`: answers told of the window. What is left of it goes at once, but for what is kept back until answers have shown
 *   that nobody else uses the account; where others do, it goes evenly.
 * - `opening`: the window known last is over. One request goes ahead and asks; until it is answered, the even pace.
 */
export interface RateWindow {
  readonly options: WindowOptions;
  readonly serverClock: ServerClock;
  limit: number;
  phase: 'unknown' | 'open' | 'opening';
  /** Admitted and not ended. */
  running: number;
  /** The same for requests of another class that count here too. */
  runningElsewhere: number;
  /** Admitted, and no answer with headers seen yet: the server's last word may not include them. */
  unanswered: number;
  /** Ended: until a window's length after its end, a request may still count at the server. */
  ends: SlidingCount;
  starts: SlidingCount;
  lastStart: { at: number; count: number };
  /** The server's window as told last; kept in every phase, so that older answers are known for what they are. */
  told: ToldWindow | null;
  opening: { since: number; sent: number; carried: number };
  /** What others used of the latest windows that were seen from their beginning, the latest last. */
  othersBefore: number[];
  /** The window before was found in use, and by whom was not seen: in this one others are to be expected. */
  suspected: boolean;
  /** When nothing was admitted because the server said so; answers to older requests end no such doubt. */
  doubtedAt: number;
}

export interface WindowOptions {
  limit: number;
  windowMs: number;
  /** Whether answers carry headers; without them only our own count and an even pace remain. */
  sendsHeaders: boolean;
  /** Requests under way at once. */
  concurrencyMax: number;
  /** The next window is begun this much after the server's reset. */
  resetMarginMs: number;
  /** The even pace is this part slower than the limit. */
  paceMargin: number;
  /** This part of the limit is never used while others use the account, beside what they are expected to use. */
  sharedMargin: number;
}

interface ToldWindow {
  /** The server's own time of its reset (epoch ms). */
  resetAt: number;
  /** When it is surely over (monotonic ms). */
  endsAt: number;
  /** No window lasts longer than its length after an answer that spoke of it. */
  seenAt: number;
  /** Since when its use has been watched, where it was found in use; else it is known from its beginning. */
  watchedFrom: number;
  /** The least that any answer said is left, less requests whose answers were lost. */
  remaining: number;
  /** At most so many of the requests that the server counts in it are ours. */
  ours: number;
  /** At least so many are others'. */
  others: number;
  /** It was in use when we came: by others, or by ourselves before a restart. */
  foundUsed: boolean;
  /** Nothing is known of the window before it. */
  isFirst: boolean;
  /** The latest sending (monotonic ms) of a request whose answer showed what is used. */
  shownAt: number;
  /** The same, of requests beside which none of ours was under way: nothing of what others had used was taken for ours. */
  shownWellAt: number;
}

/**
 * What is kept back of a window that has only just opened, since others may be about to use it: nothing tells of them before
 * they do, and what is refused to them is told to nobody. `untilShare`: an answer to a request sent later in the window than
 * this has shown what others use. At first a few rows go at once, and the rest of a small file 2.5 s of a minute later; whoever
 * uses a third of the limit evenly uses it every 3 s, and the sixth that is left by then is room enough for both.
 */
const keptBack = [
  { untilShare: 1 / 24, part: 9 / 10, onlyOfFirst: true },
  { untilShare: 1 / 16, part: 1 / 6, onlyOfFirst: false },
  { untilShare: 1 / 8, part: 1 / 20, onlyOfFirst: true },
] as const;

/** The last request's answer is waited for this long, as a part of the window, before another asks in its stead. */
const askPatience = 1 / 16;

/** How many past windows are looked at for what others use. */
const othersWindows = 2;

export function makeRateWindow(options: WindowOptions, serverClock: ServerClock): RateWindow {
  return {
    options,
    serverClock,
    limit: options.limit,
    phase: 'unknown',
    running: 0,
    runningElsewhere: 0,
    unanswered: 0,
    ends: makeSlidingCount(options.windowMs),
    starts: makeSlidingCount(options.windowMs),
    lastStart: { at: -Infinity, count: 0 },
    told: null,
    opening: { since: 0, sent: 0, carried: 0 },
    othersBefore: [],
    suspected: false,
    doubtedAt: -Infinity,
  };
}

/**
 * When `count` requests may start together: at `now` or before it, at once. A later time is when to ask again; it is
 * `Infinity` where only the end of a running request can make room.
 */
export function startsAt(window: RateWindow, now: number, count: number): number {
  roll(window, now);
  if (isBusy(window, count)) return Infinity;
  if (window.limit === Infinity) return now;
  const need = Math.min(count, window.limit);
  if (window.phase === 'open') return startsInOpenWindow(window, now, need);
  if (window.phase === 'opening') return startsInOpeningWindow(window, now, need);
  return Math.max(pacedStart(window), slidingStart(window, now, need));
}

/** The same for requests that count here, though their answers speak of another counter: no pace, only room. */
export function hasRoomAt(window: RateWindow, now: number, count: number): number {
  roll(window, now);
  const need = Math.min(count, window.limit);
  if (window.phase !== 'open' || window.told === null) return slidingStart(window, now, need);
  return window.told.remaining - window.unanswered >= need ? now : window.told.endsAt;
}

function isBusy({ running, options }: RateWindow, count: number): boolean {
  return running > 0 && running + count > options.concurrencyMax;
}

function startsInOpenWindow(window: RateWindow, now: number, need: number): number {
  const told = window.told as ToldWindow;
  const left = told.remaining - window.unanswered;
  if (left < need) return told.endsAt;
  if (!isShared(window)) {
    const kept = keptBackOf(window, told);
    if (kept === null || left - kept.count >= need) return now;
    // Then one request by itself asks whether others have come. What is slow is not waited for without end.
    const patienceMs = window.unanswered === 0 ? 0 : window.options.windowMs * askPatience;
    return Math.max(kept.until, window.lastStart.at + patienceMs);
  }
  const margin = Math.max(1, Math.round(window.limit * window.options.sharedMargin));
  const { at, count } = window.lastStart;
  const reserve = Math.min(expectedOfOthers(window, told, told.endsAt), window.limit - margin - need);
  const spare = left - margin - Math.max(0, reserve);
  if (spare < need) {
    // Others may need less than is kept for them: now and then one request asks, where they cannot have used what is left.
    const since = Math.max(at, told.shownAt);
    const askAt = since + Math.max((told.endsAt - since) / 8, window.options.windowMs / 200);
    const isSafe = left - margin - expectedOfOthers(window, told, Math.max(now, askAt)) >= need;
    return isSafe ? Math.min(told.endsAt, askAt) : told.endsAt;
  }
  const from = Math.max(at, told.endsAt - window.options.windowMs);
  return from + ((told.endsAt - from) * count) / (spare + 1);
}

/** How many requests of a window that is not seen to be shared are kept back, and until when (monotonic ms); null: none. */
function keptBackOf({ limit, options }: RateWindow, told: ToldWindow): { count: number; until: number } | null {
  for (const { untilShare, part, onlyOfFirst } of keptBack) {
    const until = beginOf(options, told) + untilShare * options.windowMs;
    if ((told.isFirst || !onlyOfFirst) && told.shownWellAt < until) return { count: Math.floor(limit * part), until };
  }
  return null;
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

export function isShared({ told, phase, othersBefore, suspected }: RateWindow): boolean {
  return (
    suspected ||
    othersBefore.some((count) => count > 0) ||
    (phase === 'open' && told !== null && (told.others > 0 || told.foundUsed))
  );
}

function beginOf({ windowMs, resetMarginMs }: WindowOptions, told: ToldWindow): number {
  return told.endsAt - resetMarginMs - windowMs;
}

/** What others will presumably have used of this window by `until` (monotonic ms), beside what they were last seen to have. */
function expectedOfOthers({ options, limit, othersBefore }: RateWindow, told: ToldWindow, until: number): number {
  const { windowMs } = options;
  const before = Math.max(0, ...othersBefore);
  // In the first window with others their pace so far is all that is known, and half the limit is theirs at most.
  const watchedMs = told.shownAt - (told.foundUsed ? told.watchedFrom : beginOf(options, told));
  const atTheirPace = Math.min(limit / 2, (told.others * windowMs) / Math.max(1, watchedMs));
  const whole = Math.max(told.others, before > 0 ? before : atTheirPace);
  const share = Math.min(1, Math.max(0, until - told.shownAt) / windowMs);
  const rest = until < told.endsAt ? 0 : before - told.others;
  return Math.max(rest, whole * share);
}

/** `count` requests start. */
export function noteStart(window: RateWindow, now: number, count: number): void {
  roll(window, now);
  window.running += count;
  window.unanswered += count;
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
  if (window.phase === 'opening') window.opening.sent += count;
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
  if (told === null || isNewer(window, told, headers.resetAt)) {
    beginTold(window, now, headers, { unanswered: unansweredBefore, sentAt });
  } else if (headers.resetAt > told.resetAt - windowMs / 2) {
    narrowTold(window, told, now, headers, sentAt);
  }
  settleEnd(window, now, wallNow - now);
}

/** Whether `resetAt` is of a later window than the one told last; services that count by seconds may waver by one. */
function isNewer({ phase, options }: RateWindow, told: ToldWindow, resetAt: number): boolean {
  const tolerance = phase === 'open' ? options.windowMs / 2 : roundingOf(resetAt, options.windowMs);
  return resetAt > told.resetAt + tolerance;
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
  const started = countWithin(window.starts, now);
  const found = phase === 'unknown' ? Math.max(0, used - started) : 0;
  window.told = {
    resetAt,
    endsAt: now,
    seenAt: now,
    watchedFrom: now,
    remaining,
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

function rememberOthers(window: RateWindow, told: ToldWindow): void {
  window.suspected = told.foundUsed && told.others === 0;
  window.othersBefore = [...window.othersBefore, told.others].slice(-othersWindows);
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

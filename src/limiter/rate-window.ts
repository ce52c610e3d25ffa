import type { ServerClock } from './server-clock.ts';
import { makeSlidingCount, type SlidingCount } from './sliding-count.ts';

/** What is known about one counter of the service. Times are monotonic ms unless stated otherwise. */
export interface RateWindow {
  readonly options: WindowOptions;
  readonly serverClock: ServerClock;
  limit: number;
  /** The limit is above the default or the configured one, and no answer has confirmed it yet. */
  isUntried: boolean;
  phase: 'unknown' | 'open' | 'opening';
  /** Requests that are expected to come. */
  expected: number;
  /** Requests that were admitted and have not ended. */
  running: number;
  /** Requests without an answer yet: the server's latest headers may not include them. */
  unanswered: number;
  /** Requests that ended. The server may count a request until one window after its end. */
  ends: SlidingCount;
  starts: SlidingCount;
  lastStart: { at: number; count: number };
  /** The server's window as seen last; kept in every phase, so that older answers are known for what they are. */
  seen: SeenWindow | null;
  opening: { since: number; sent: number; carried: number };
  /** What other clients used in the latest windows that we saw from their beginning; the latest comes last. */
  othersBefore: number[];
  /** The previous window was in use when we came, by an unknown client, so other clients are expected in this one. */
  suspected: boolean;
  /** When the server refused a request. Answers to requests sent before that do not clear the doubt. */
  doubtedAt: number;
}

export interface WindowOptions {
  limit: number;
  windowMs: number;
  /** Whether answers carry headers. Without headers, the limiter counts its own requests and keeps an even pace. */
  sendsHeaders: boolean;
  /** Whether the configured limit is above the service's default. */
  isRaised: boolean;
  /** How long after the server's reset the next window is used. */
  resetMarginMs: number;
}

/** A window of the server, as its answers show it. */
export interface SeenWindow {
  /** When it resets, by the server's clock (epoch ms). */
  resetAt: number;
  /** When it is certainly over. */
  endsAt: number;
  /** When an answer last moved its reset. A window lasts at most its length from then on. */
  seenAt: number;
  /** When we began to watch it, if it was already in use; otherwise it is known from its beginning. */
  watchedFrom: number;
  /** The smallest remainder of any answer, less the requests whose answers were lost. */
  remaining: number;
  /** Answers that describe it. At least as many of its requests are ours, whatever the server's remainder is. */
  answered: number;
  /** The most requests in it that can be ours. */
  ours: number;
  /** The fewest requests in it that must be of other clients. */
  others: number;
  /** It was in use when we came: by other clients, or by us before a restart. */
  foundUsed: boolean;
  /** Nothing is known about the window before it. */
  isFirst: boolean;
  /** When the latest request was sent whose answer showed the use of the window. */
  shownAt: number;
  /** The same, when no use by others could be mistaken for ours: see `noteShownWell`. */
  shownWellAt: number;
}

const concurrencyMin = 16;
/**
 * More requests than this would only queue within this process, and each garbage collection would copy what they hold.
 */
export const concurrencyCap = 512;

export function makeRateWindow(options: WindowOptions, serverClock: ServerClock): RateWindow {
  return {
    options,
    serverClock,
    limit: options.limit,
    isUntried: options.sendsHeaders && options.isRaised,
    phase: 'unknown',
    expected: 0,
    running: 0,
    unanswered: 0,
    ends: makeSlidingCount(options.windowMs),
    starts: makeSlidingCount(options.windowMs),
    lastStart: { at: -Infinity, count: 0 },
    seen: null,
    opening: { since: 0, sent: 0, carried: 0 },
    othersBefore: [],
    suspected: false,
    doubtedAt: -Infinity,
  };
}

/** The most requests that may run at the same time: what the limit allows in a second, within bounds. */
export function concurrencyMaxOf({ limit, options: { windowMs } }: RateWindow): number {
  return Math.min(Math.max(Math.ceil((limit * 1_000) / windowMs), concurrencyMin), concurrencyCap);
}

/**
 * By how much (ms) the server may have rounded a reset down. A reset on a multiple of the window's length, or with a
 * fraction of a second, is exact; any other whole second may have been rounded.
 */
export function roundingOf(resetAt: number, windowMs: number): number {
  return resetAt % 1_000 === 0 && resetAt % windowMs !== 0 ? 1_000 : 0;
}

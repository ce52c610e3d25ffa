import type { OwnUse } from '../core/rate-outlook.ts';
import type { ServerClock } from './server-clock.ts';
import { makeSlidingCount, type SlidingCount } from './sliding-count.ts';

/** One counter of the service, as far as it is known. Times are monotonic ms unless they say otherwise. */
export interface RateWindow {
  readonly options: WindowOptions;
  readonly serverClock: ServerClock;
  limit: number;
  /** The limit is higher than usual, and no request has shown yet that the service allows it. */
  isUntried: boolean;
  /** Requests under way at once. */
  concurrencyMax: number;
  phase: 'unknown' | 'open' | 'opening';
  /** Requests that are still to come, as far as is known. */
  expected: number;
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
  /** What a program before this one has used of its last window, which ends at `endsAt` (monotonic ms). */
  before: OwnUse | null;
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
  /** Whether the limit is higher than the service's usual one. */
  isRaised: boolean;
  /** The next window is begun this much after the server's reset. */
  resetMarginMs: number;
  /** The even pace is this part slower than the limit. */
  paceMargin: number;
  /** This part of the limit is never used while others use the account, beside what they are expected to use. */
  sharedMargin: number;
}

/** What answers told of a window of the server's. */
export interface ToldWindow {
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
  /** So many answers have spoken of it: at least so many of its requests are ours, whatever the server says is left. */
  answered: number;
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

export function makeRateWindow(options: WindowOptions, concurrencyMax: number, serverClock: ServerClock): RateWindow {
  return {
    options,
    serverClock,
    limit: options.limit,
    isUntried: options.sendsHeaders && options.isRaised,
    concurrencyMax,
    phase: 'unknown',
    expected: 0,
    running: 0,
    runningElsewhere: 0,
    unanswered: 0,
    ends: makeSlidingCount(options.windowMs),
    starts: makeSlidingCount(options.windowMs),
    lastStart: { at: -Infinity, count: 0 },
    told: null,
    before: null,
    opening: { since: 0, sent: 0, carried: 0 },
    othersBefore: [],
    suspected: false,
    doubtedAt: -Infinity,
  };
}

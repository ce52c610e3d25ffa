import type { KeptBack, RateOutlook } from '../core/time/rate-outlook.ts';
import { expectedOfOthers, isShared, keptBackAtFirst, keptBackNow } from './others.ts';
import type { RateWindow } from './rate-window.ts';
import { timeOfAtMost } from './sliding-count.ts';
import { endFreeMs, marginOf, paceMargin, usedOfWindow } from './window.ts';

/** An outlook without the time of the next request. Its window ends at `endsAt` (monotonic ms). */
export type WindowOutlook = Omit<RateOutlook, 'nextAt' | 'until'> & { endsAt: number };

/**
 * Predicts how many requests may start, if the next one may start at `nextAt` (monotonic ms): `left` of them until
 * `endsAt`, and `perWindow` in each window after that.
 */
export function outlookOf(window: RateWindow, now: number, nextAt: number): WindowOutlook {
  const used = usedOfWindow(window, now);
  const { phase, seen, limit, expected, opening, options } = window;
  const { windowMs } = options;
  const usual = { expected, windowMs, perWindow: limit, evenly: false, endFreeMs: endFreeMs(window) };
  const keptBackLater = keptBackAtFirst(window, false);
  if (phase === 'unknown') {
    // The first answer will probably show an unused window, unless we used it a moment ago.
    const isFresh = options.sendsHeaders && timeOfAtMost(window.ends, now, 0) <= nextAt;
    if (isFresh) {
      const keptBack = keptBackAtFirst(window, true);
      return { ...usual, left: limit, endsAt: nextAt + windowMs, keptBack, keptBackLater };
    }
    const perWindow = limit / (1 + paceMargin);
    return { ...usual, left: 0, endsAt: now, perWindow, evenly: true, keptBack: none, keptBackLater: none };
  }
  const endsAt = phase === 'open' && seen ? seen.endsAt : opening.since + windowMs;
  const left = Math.max(0, limit - (used ?? 0));
  if (!isShared(window) || seen === null) {
    const keptBack = phase === 'open' && seen ? keptBackNow(window, seen) : keptBackLater;
    return { ...usual, left, endsAt, keptBack, keptBackLater };
  }
  const margin = marginOf(window);
  const theirs = Math.min(expectedOfOthers(window, seen, seen.endsAt), limit - margin - 1);
  const perWindow = Math.max(1, limit - margin - Math.max(seen.others, ...window.othersBefore));
  const leftToUs = Math.max(0, Math.floor(left - margin - theirs));
  return { ...usual, left: leftToUs, endsAt, perWindow, evenly: true, keptBack: none, keptBackLater: none };
}

const none: readonly KeptBack[] = [];

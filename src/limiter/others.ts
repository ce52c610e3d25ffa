import type { KeptBack } from '../core/time/rate-outlook.ts';
import type { RateWindow, SeenWindow, WindowOptions } from './rate-window.ts';

/**
 * The part of a new window that is kept in reserve, because other clients may be about to use it: nothing shows them
 * before they send. The reserve ends when a request that was sent after `untilShare` of the window is answered: its
 * answer shows the others' use. In the first window a few rows go at once, and the rest of a small file 2.5 s later. A
 * client that uses a third of the limit evenly sends every 3 s, and the sixth that is left by then has room for both.
 */
const keptBack = [
  { untilShare: 1 / 24, part: 9 / 10, onlyOfFirst: true },
  { untilShare: 1 / 16, part: 1 / 6, onlyOfFirst: false },
  { untilShare: 1 / 8, part: 1 / 20, onlyOfFirst: true },
] as const;

/** How many past windows are used to estimate what others use. */
const othersWindows = 2;

/** How many requests of an unshared window are in reserve, and until when (monotonic ms); null if none. */
export function keptBackOf(window: RateWindow, seen: SeenWindow): { count: number; until: number } | null {
  const [kept] = keptBackNow(window, seen);
  return kept ? { count: kept.count, until: beginOf(window.options, seen) + kept.untilAgeMs } : null;
}

/** The reserves that are still kept in the window, the shortest first. */
export function keptBackNow(window: RateWindow, seen: SeenWindow): KeptBack[] {
  const begin = beginOf(window.options, seen);
  return keptBackAtFirst(window, seen.isFirst).filter(({ untilAgeMs }) => seen.shownWellAt < begin + untilAgeMs);
}

/** The reserves of a window that begins. They are larger if nothing is known about the window before it. */
export function keptBackAtFirst({ limit, options }: RateWindow, isFirst: boolean): KeptBack[] {
  return keptBack
    .filter(({ onlyOfFirst }) => isFirst || !onlyOfFirst)
    .map(({ untilShare, part }) => ({ count: Math.floor(limit * part), untilAgeMs: untilShare * options.windowMs }));
}

export function isShared({ seen, phase, othersBefore, suspected }: RateWindow): boolean {
  return (
    suspected ||
    othersBefore.some((count) => count > 0) ||
    (phase === 'open' && seen !== null && (seen.others > 0 || seen.foundUsed))
  );
}

function beginOf({ windowMs, resetMarginMs }: WindowOptions, seen: SeenWindow): number {
  return seen.endsAt - resetMarginMs - windowMs;
}

/** How much others will probably have used of this window by `until` (monotonic ms), beyond what answers have shown. */
export function expectedOfOthers(
  { options, limit, othersBefore }: RateWindow,
  seen: SeenWindow,
  until: number,
): number {
  const { windowMs } = options;
  const before = Math.max(0, ...othersBefore);
  // In the first window with others only their pace so far is known. At most half the limit is reserved for them.
  const watchedMs = seen.shownAt - (seen.foundUsed ? seen.watchedFrom : beginOf(options, seen));
  const atTheirPace = Math.min(limit / 2, (seen.others * windowMs) / Math.max(1, watchedMs));
  const whole = Math.max(seen.others, before > 0 ? before : atTheirPace);
  const share = Math.min(1, Math.max(0, until - seen.shownAt) / windowMs);
  const rest = until < seen.endsAt ? 0 : before - seen.others;
  return Math.max(rest, whole * share);
}

export function rememberOthers(window: RateWindow, seen: SeenWindow): void {
  window.suspected = seen.foundUsed && seen.others === 0;
  window.othersBefore = [...window.othersBefore, seen.others].slice(-othersWindows);
}

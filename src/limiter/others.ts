import type { KeptBack } from '../core/rate-outlook.ts';
import type { RateWindow, ToldWindow, WindowOptions } from './rate-window.ts';

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

/** How many past windows are looked at for what others use. */
const othersWindows = 2;

/** How many requests of a window that is not seen to be shared are kept back, and until when (monotonic ms); null: none. */
export function keptBackOf(window: RateWindow, told: ToldWindow): { count: number; until: number } | null {
  const [kept] = keptBackNow(window, told);
  return kept ? { count: kept.count, until: beginOf(window.options, told) + kept.untilAgeMs } : null;
}

/** What is still kept back of the window that was told of: what waits for the shortest time first. */
export function keptBackNow(window: RateWindow, told: ToldWindow): KeptBack[] {
  const begin = beginOf(window.options, told);
  return keptBackAtFirst(window, told.isFirst).filter(({ untilAgeMs }) => told.shownWellAt < begin + untilAgeMs);
}

/** What is kept back when a window begins; more, where nothing is known of the window before it. */
export function keptBackAtFirst({ limit, options }: RateWindow, isFirst: boolean): KeptBack[] {
  return keptBack
    .filter(({ onlyOfFirst }) => isFirst || !onlyOfFirst)
    .map(({ untilShare, part }) => ({ count: Math.floor(limit * part), untilAgeMs: untilShare * options.windowMs }));
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
export function expectedOfOthers(
  { options, limit, othersBefore }: RateWindow,
  told: ToldWindow,
  until: number,
): number {
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

export function rememberOthers(window: RateWindow, told: ToldWindow): void {
  window.suspected = told.foundUsed && told.others === 0;
  window.othersBefore = [...window.othersBefore, told.others].slice(-othersWindows);
}

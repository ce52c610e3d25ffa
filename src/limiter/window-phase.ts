import { rememberOthers } from './others.ts';
import type { RateWindow } from './rate-window.ts';

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

/**
 * By how much (ms) the server may have rounded a reset down. A reset on a multiple of the window's length, or with a
 * fraction of a second, is exact; any other whole second may have been rounded.
 */
export function roundingOf(resetAt: number, windowMs: number): number {
  return resetAt % 1_000 === 0 && resetAt % windowMs !== 0 ? 1_000 : 0;
}

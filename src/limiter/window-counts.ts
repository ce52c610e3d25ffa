import type { RateWindow } from './rate-window.ts';
import { addToCount, takeFromCount } from './sliding-count.ts';
import { roll } from './window-phase.ts';

/** Counts `count` requests that start. */
export function noteStart(window: RateWindow, now: number, count: number): void {
  roll(window, now);
  window.running += count;
  window.unanswered += count;
  window.expected = Math.max(0, window.expected - count);
  window.lastStart = { at: now, count };
  countStart(window, now, count);
}

/** Counts `count` requests that start on this counter as their second one: their answers describe another counter. */
export function noteStartElsewhere(window: RateWindow, now: number, count: number): void {
  roll(window, now);
  window.runningElsewhere += count;
  if (window.seen) window.seen.remaining -= count;
  countStart(window, now, count);
}

function countStart(window: RateWindow, now: number, count: number): void {
  addToCount(window.starts, now, count);
  window.opening.sent += count;
  if (window.seen) window.seen.ours += count;
}

/** Uncounts `count` admitted requests that are not sent. */
export function noteGiveBack(window: RateWindow, count: number): void {
  window.running -= count;
  window.unanswered = Math.max(0, window.unanswered - count);
  window.lastStart.count = Math.max(0, window.lastStart.count - count);
  uncountStart(window, count);
}

export function noteGiveBackElsewhere(window: RateWindow, count: number): void {
  window.runningElsewhere -= count;
  if (window.seen) window.seen.remaining += count;
  uncountStart(window, count);
}

function uncountStart(window: RateWindow, count: number): void {
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

export function noteEndElsewhere(window: RateWindow, now: number, count: number): void {
  roll(window, now);
  window.runningElsewhere -= count;
  addToCount(window.ends, now, count);
}

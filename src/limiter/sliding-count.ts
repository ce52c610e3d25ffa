/**
 * Counts events within the last `windowMs`. Times are rounded up to thousandths of the window, so that it holds at most
 * a thousand entries at any rate and never forgets an event too early.
 */
export interface SlidingCount {
  windowMs: number;
  /** The oldest comes first. An entry counts from `at` for the length of the window. */
  entries: { at: number; count: number }[];
  total: number;
}

const entriesPerWindow = 1_000;

export function makeSlidingCount(windowMs: number): SlidingCount {
  return { windowMs, entries: [], total: 0 };
}

export function addToCount(sliding: SlidingCount, now: number, count: number): void {
  if (count <= 0) return;
  const grain = sliding.windowMs / entriesPerWindow;
  const at = Math.ceil(now / grain) * grain;
  const last = sliding.entries.at(-1);
  if (last && last.at >= at) last.count += count;
  else sliding.entries.push({ at, count });
  sliding.total += count;
}

/** Removes `count` of the events that were added last. */
export function takeFromCount(sliding: SlidingCount, count: number): void {
  let left = Math.min(count, sliding.total);
  sliding.total -= left;
  for (let last = sliding.entries.at(-1); last && left > 0; last = sliding.entries.at(-1)) {
    const taken = Math.min(left, last.count);
    last.count -= taken;
    left -= taken;
    if (last.count === 0) sliding.entries.pop();
  }
}

export function countWithin(sliding: SlidingCount, now: number): number {
  const { entries, windowMs } = sliding;
  let gone = 0;
  for (let entry = entries[0]; entry && entry.at + windowMs <= now; entry = entries[gone]) {
    sliding.total -= entry.count;
    gone += 1;
  }
  if (gone > 0) entries.splice(0, gone);
  return sliding.total;
}

/** When at most `countMax` events are left in the window, if none is added; `now` if that is already so. */
export function timeOfAtMost(sliding: SlidingCount, now: number, countMax: number): number {
  let left = countWithin(sliding, now);
  for (const { at, count } of sliding.entries) {
    if (left <= countMax) break;
    left -= count;
    if (left <= countMax) return at + sliding.windowMs;
  }
  return now;
}

import type { BatchRecord, Priority } from '../../ledger/batches/batches.ts';

/** The fields that decide a batch's place in the queue of its account. */
export type Place = Pick<BatchRecord, 'priority' | 'finish_by' | 'boosted_at'>;

const places: Record<Priority, number> = { urgent: 0, normal: 2, bulk: 3 };
const boostedPlace = 1;

/**
 * Compares two batches of an account: below 0 if `a` goes first, 0 if they take turns. Urgent batches go first, so
 * that a few urgent rows never wait behind a large file with a deadline. Then boosted batches, by priority and then by
 * deadline. Then the others, by priority.
 */
export function sendingOrder(a: Place, b: Place): number {
  const [ofA, ofB] = [placeOf(a), placeOf(b)];
  if (ofA !== ofB || ofA !== boostedPlace) return ofA - ofB;
  return places[a.priority] - places[b.priority] || (a.finish_by ?? 0) - (b.finish_by ?? 0);
}

function placeOf({ priority, boosted_at }: Place): number {
  return priority !== 'urgent' && boosted_at !== null ? boostedPlace : places[priority];
}

/** How long the last rows take to settle, for forecasts: most settle within seconds. */
export const endingMs = 30_000;

/**
 * The share of the remaining time that a batch may need before it is boosted; the rest is a reserve for a slower pace.
 */
const needShareMax = 4 / 5;

/**
 * The time to spare (ms) of a batch with the deadline `finishBy`, at `now` (epoch ms), if its rows and those that go
 * before it need `needMs` at the present pace. Below 0 it must be boosted, even if it is already late.
 */
export function spareMs(finishBy: number, needMs: number, now: number): number {
  return needShareMax * (finishBy - endingMs - now) - needMs;
}

import type { BatchRecord, Priority } from '../ledger/batches.ts';

/** What decides where a batch stands in the line of its account. */
export type Place = Pick<BatchRecord, 'priority' | 'finish_by' | 'pressed_at'>;

const places: Record<Priority, number> = { urgent: 0, normal: 2, bulk: 3 };
const pressedPlace = 1;

/**
 * The order in which the batches of an account are sent: below 0 where `a` goes before `b`, 0 where they take turns. First what is urgent:
 * a few urgent rows never wait behind a file that is in a hurry. Then what is pressed, by its priority, and the one that is to be done
 * sooner before the other. Then the others, by their priority.
 */
export function sendingOrder(a: Place, b: Place): number {
  const [ofA, ofB] = [placeOf(a), placeOf(b)];
  if (ofA !== ofB || ofA !== pressedPlace) return ofA - ofB;
  return places[a.priority] - places[b.priority] || (a.finish_by ?? 0) - (b.finish_by ?? 0);
}

function placeOf({ priority, pressed_at }: Place): number {
  return priority !== 'urgent' && pressed_at !== null ? pressedPlace : places[priority];
}

/** How long the last rows are followed once they are sent, by what is foreseen: most end within seconds, and are then looked for. */
export const endingMs = 30_000;

/** The share of the time left that a batch may need before it goes first: what is left over is for a pace that slows down. */
const needShareMax = 4 / 5;

/**
 * What a batch that is to be done by `finishBy` has to spare at `now` (epoch ms), where its rows, with all that go before them even when it
 * goes first, take so long (ms) at the present pace. Below 0 it has to go first from now on; what is late does as well.
 */
export function spareMs(finishBy: number, needMs: number, now: number): number {
  return needShareMax * (finishBy - endingMs - now) - needMs;
}

import type { Clock } from '../../core/time/clock.ts';
import type { LateBatch } from '../../ledger/accounts/pace.ts';
import { makeCachedForecast } from './cached-forecast.ts';
import type { PaceAhead } from './forecast.ts';
import type { Sending } from './sending.ts';

/** How often late batches are looked for: people are notified minutes later anyway. */
const lookApartMs = 10_000;

/** The batches of an account that will miss their deadlines, while its runner lives. */
export interface LateBatches {
  /** Looks for them in the queue of the account, unless it did so a moment ago. */
  look(sending: readonly Sending[], pace: PaceAhead): void;
  /** Clears them: no batch has a deadline. */
  clear(): void;
  /** The late batches by id. */
  all(): Record<string, LateBatch>;
}

export function makeLateBatches(account: string, clock: Pick<Clock, 'now' | 'monotonic'>): LateBatches {
  const cachedForecast = makeCachedForecast(clock);
  let late = new Map<string, LateBatch>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    look(sending, pace) {
      if (clock.monotonic() - lookedAt < lookApartMs) return;
      lookedAt = clock.monotonic();
      const now = clock.now();
      const found = new Map<string, LateBatch>();
      const foreseen = cachedForecast(account, sending, pace);
      for (const { batch, finish_by } of sending) {
        const doneAt = now + (foreseen.get(batch)?.doneMs ?? Number.NaN);
        const since = late.get(batch)?.since ?? now;
        if (finish_by !== null && doneAt > finish_by) found.set(batch, { finishBy: finish_by, since, doneAt });
      }
      late = found;
    },
    clear: () => late.clear(),
    all: () => Object.fromEntries(late),
  };
}

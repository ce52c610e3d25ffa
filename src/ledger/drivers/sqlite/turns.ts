import { AsyncLocalStorage } from 'node:async_hooks';
import { assert } from '../../../core/basics/assert.ts';

export interface Turns {
  /** Fails within the work of a transaction: what waits there for a turn would wait for its own end. */
  requireOutside(): void;
  /** Runs the work after all work that was queued before. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs the work of a transaction, in which nothing may wait for a turn. */
  inside<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** One connection serves everyone, so work that comes while a transaction is open waits for its end. */
export function makeTurns(): Turns {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const inside = new AsyncLocalStorage<true>();
  const requireOutside = () => assert(!inside.getStore(), 'within a transaction, statements run on the transaction');
  const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    requireOutside();
    const before = tail;
    waiting += 1;
    const mine = (async () => {
      if (waiting > 1) await before;
      return work();
    })();
    tail = mine.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await mine;
    } finally {
      waiting -= 1;
    }
  };

  return { requireOutside, inTurn, inside: (work) => inside.run(true, work) };
}

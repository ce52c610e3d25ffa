import { assert } from '../core/assert.ts';
import type { Database } from '../ledger/database.ts';
import { raiseHighestClock } from '../ledger/facts.ts';
import type { RowRecord } from '../ledger/rows.ts';
import { inUnit, type Unit, type UnitOptions } from '../ledger/unit-of-work.ts';

/** Operations that one transaction carries at most, so that it blocks nobody for long (about 10 ms at 60 us each). */
const operationsPerUnitMax = 128;

/** The highest clock is written with the first unit of every second: a clock set back takes no more than that from a key's age. */
const clockNotedEveryMs = 1_000;

/** Gathers what is ready at the same time into one durable transaction: the cost of a commit is shared. */
export interface Committer {
  /** Resolves when `operation` is durable. All operations of a unit succeed or fail together. */
  commit<Result>(operation: (unit: Unit) => Promise<Result>): Promise<Result>;
}

interface Waiting {
  operation: (unit: Unit) => Promise<unknown>;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** `onCommit` is called after every durable unit, with the rows that it ended. */
export function makeCommitter(
  db: Database,
  options: UnitOptions,
  onCommit: (ended: readonly RowRecord[]) => void,
): Committer {
  const waiting: Waiting[] = [];
  let flushing = false;
  let clockNotedAt = Number.NEGATIVE_INFINITY;

  const noteClock = async ({ tx, at }: Unit) => {
    if (at - clockNotedAt < clockNotedEveryMs) return;
    await raiseHighestClock(tx, at);
    clockNotedAt = at;
  };

  /** Where answers come in faster than they are written, the next of them join this unit: the disk is asked half as often. */
  const gather = async () => {
    for (let before = 0; before < waiting.length && waiting.length < operationsPerUnitMax; ) {
      before = waiting.length;
      await options.clock.turn();
    }
  };

  const flush = async () => {
    flushing = true;
    while (waiting.length > 0) {
      await gather();
      const group = waiting.splice(0, operationsPerUnitMax);
      try {
        const { done: results, ended } = await inUnit(db, options, async (unit) => {
          const done: unknown[] = [];
          await noteClock(unit);
          for (const { operation } of group) done.push(await operation(unit));
          return { done, ended: unit.ended };
        });
        assert(results.length === group.length, 'every operation has its result');
        for (const [index, { resolve }] of group.entries()) resolve(results[index]);
        onCommit(ended);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    flushing = false;
  };

  return {
    commit: <Result>(operation: (unit: Unit) => Promise<Result>) =>
      new Promise<Result>((resolve, reject) => {
        waiting.push({ operation, resolve: resolve as (result: unknown) => void, reject });
        if (!flushing) void flush();
      }),
  };
}

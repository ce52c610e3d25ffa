import { assert } from '../../core/basics/assert.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { raiseHighestClock } from '../../ledger/schema/facts.ts';
import { inUnit, type Unit, type UnitOptions } from '../../ledger/unit-of-work.ts';
import { makeWake } from './wake.ts';

/** Operations that one transaction carries at most, so that it blocks nobody for long (about 10 ms at 40 us each). */
const operationsPerUnitMax = 256;

/** After a unit with so many operations the next one begins at least so long after it, unless it is full before. */
const crowdedFrom = 5;
const unitsApartMs = 10;

/**
 * The highest clock is written with the first unit of every second: a clock set back takes no more than that from a
 * key's age.
 */
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

/** What a unit did to rows, told once it is durable. */
export type UnitRows = Pick<Unit, 'ended' | 'written'>;

async function resultsOf(group: readonly Waiting[], unit: Unit): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const { operation } of group) results.push(await operation(unit));
  return results;
}

function settleAll(group: readonly Waiting[], results: readonly unknown[]): void {
  assert(results.length === group.length, 'every operation has its result');
  for (const [index, waiter] of group.entries()) waiter.resolve(results[index]);
}

/** `onCommit` is called after every durable unit. */
export function makeCommitter(db: Database, options: UnitOptions, onCommit: (rows: UnitRows) => void): Committer {
  const waiting: Waiting[] = [];
  const crowd = makeWake(options.clock);
  let begunAt = Number.NEGATIVE_INFINITY;
  let carried = 0;
  let flushing = false;
  let clockNotedAt = Number.NEGATIVE_INFINITY;

  const noteClock = async ({ tx, at }: Unit) => {
    if (at - clockNotedAt < clockNotedEveryMs) return;
    await raiseHighestClock(tx, at);
    clockNotedAt = at;
  };

  /**
   * What is ready by now goes together. Where much comes in, units are begun a while apart, so that what comes
   * meanwhile joins the next one: each has a cost of its own, many times that of an operation. Where little comes in,
   * nobody waits.
   */
  const gather = async () => {
    const { clock } = options;
    for (let before = 0; before < waiting.length && waiting.length < operationsPerUnitMax; ) {
      before = waiting.length;
      await clock.turn();
    }
    const wait = begunAt + unitsApartMs - clock.monotonic();
    if (carried >= crowdedFrom && wait > 0 && waiting.length < operationsPerUnitMax) await crowd.wait(wait);
    begunAt = clock.monotonic();
  };

  /** Resolves when the operations have run: while the disk takes what they wrote, the next unit may begin. */
  const run = (group: readonly Waiting[]) =>
    new Promise<void>((resolve) => {
      const work = async (unit: Unit) => {
        await noteClock(unit);
        const results = await resultsOf(group, unit);
        resolve();
        return { results, rows: unit };
      };
      const succeed = ({ results, rows }: Awaited<ReturnType<typeof work>>) => {
        settleAll(group, results);
        onCommit(rows);
      };
      const fail = (error: unknown) => {
        for (const waiter of group) waiter.reject(error);
        resolve();
      };
      inUnit(db, options, work).then(succeed).catch(fail);
    });

  const flush = async () => {
    flushing = true;
    while (waiting.length > 0) {
      await gather();
      const group = waiting.splice(0, operationsPerUnitMax);
      carried = group.length;
      await run(group);
    }
    flushing = false;
  };

  return {
    commit: <Result>(operation: (unit: Unit) => Promise<Result>) =>
      new Promise<Result>((resolve, reject) => {
        waiting.push({ operation, resolve: resolve as (result: unknown) => void, reject });
        if (waiting.length === operationsPerUnitMax) crowd.wake();
        if (!flushing) void flush();
      }),
  };
}

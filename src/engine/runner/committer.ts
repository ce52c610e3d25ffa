import { allEnded } from '../../core/basics/all-ended.ts';
import { assert } from '../../core/basics/assert.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { inUnit, type Unit, type UnitOptions } from '../../ledger/unit-of-work.ts';
import { makeWake } from './wake.ts';

/**
 * The most operations in one transaction, so that it does not delay other writers for long (about 10 ms at 40 us each).
 */
const operationsPerUnitMax = 256;

/**
 * After a unit with at least this many operations, the next one begins at least `unitsApartMs` after it began, unless
 * it is full earlier.
 */
const crowdedFrom = 5;
const unitsApartMs = 10;

/**
 * Groups operations that are ready at the same time into one durable transaction, so that they share the cost of a
 * commit.
 */
export interface Committer {
  /**
   * Resolves when `operation` is durable. All operations of a unit succeed or fail together. `isNews`: whether the
   * other loops may have work because of it; default: true.
   */
  commit<Result>(operation: (unit: Unit) => Promise<Result>, isNews?: boolean): Promise<Result>;
  /**
   * The same, for an operation that reads and writes nothing but a row of its own. It may run at the same time as other
   * such operations of the unit, so that they share the round trips to a database server.
   */
  commitOwnRow<Result>(operation: (unit: Unit) => Promise<Result>): Promise<Result>;
}

interface Kind {
  isNews: boolean;
  isOwnRow: boolean;
}

const usual: Kind = { isNews: true, isOwnRow: false };

interface Waiting extends Kind {
  operation: (unit: Unit) => Promise<unknown>;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** The rows that a unit wrote, reported once the unit is durable. */
export type UnitRows = Pick<Unit, 'at' | 'ended' | 'written'>;

async function resultsOf(group: readonly Waiting[], unit: Unit): Promise<unknown[]> {
  const results: unknown[] = [];
  let next = 0;
  while (next < group.length) {
    let end = next + 1;
    if (group[next]?.isOwnRow) while (group[end]?.isOwnRow) end += 1;
    results.push(...(await allEnded(group.slice(next, end).map(({ operation }) => operation(unit)))));
    next = end;
  }
  return results;
}

function settleAll(group: readonly Waiting[], results: readonly unknown[]): void {
  assert(results.length === group.length, 'every operation has its result');
  for (const [index, waiter] of group.entries()) waiter.resolve(results[index]);
}

/** `onCommit` is called after every durable unit. */
export function makeCommitter(
  db: Database,
  options: UnitOptions,
  onCommit: (rows: UnitRows, isNews: boolean) => void,
): Committer {
  const waiting: Waiting[] = [];
  const crowd = makeWake(options.clock);
  let begunAt = Number.NEGATIVE_INFINITY;
  let carried = 0;
  let flushing = false;

  /**
   * Waits until no more operations join. With many operations, units begin a certain time apart, so that operations in
   * between join the next unit: a unit costs many times as much as an operation. With few operations, nothing waits.
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

  /** Resolves when the operations have run. The next unit may begin while the disk stores what they wrote. */
  const run = (group: readonly Waiting[]) =>
    new Promise<void>((resolve) => {
      const work = async (unit: Unit) => ({ unit, results: await resultsOf(group, unit).finally(resolve) });
      const succeed = ({ unit, results }: Awaited<ReturnType<typeof work>>) => {
        settleAll(group, results);
        const isNews = group.some((one) => one.isNews);
        onCommit(unit, isNews);
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

  const add = <Result>(operation: (unit: Unit) => Promise<Result>, kind: Partial<Kind>) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ operation, ...usual, ...kind, resolve: resolve as (result: unknown) => void, reject });
      if (waiting.length === operationsPerUnitMax) crowd.wake();
      if (!flushing) void flush();
    });

  return {
    commit: (operation, isNews = true) => add(operation, { isNews }),
    commitOwnRow: (operation) => add(operation, { isOwnRow: true }),
  };
}

import { allEnded } from '../../core/basics/all-ended.ts';
import { assert } from '../../core/basics/assert.ts';
import { AirbatchError, type ErrorCode } from '../../core/basics/errors.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Database, Queryable, Transaction, TransactionOptions, Turn } from './database.ts';

/** The most transactions that are committed together, so that other writers need not wait for long. */
const groupMax = 64;
/**
 * A group ends early after this time, and the program turns to other events before the next one. Without that,
 * thousands of rows that are due at the same instant keep it from everything else, such as renewing its leases.
 */
const groupMsMax = 20;
/**
 * If transactions met, or one came while the disk stored another, the next group begins this long after the last one
 * began, so that those in between share one commit. A commit costs as much as the changes of several rows. A lone
 * transaction does not wait. Neither does one that begins only after the one before is durable.
 */
export const usualGroupsApartMs = 10;

interface Member {
  turn: Turn;
  work: (tx: Transaction) => Promise<unknown>;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

type Result = { ok: true; value: unknown } | { ok: false; error: unknown };

/** The database transaction in which the members of a group run. */
export interface GroupTransaction {
  /** Runs the work of one member. */
  run<Value>(work: (tx: Queryable) => Promise<Value>): Promise<Value>;
  /** Begins the changes of one member. Those of the members before it are kept. */
  savepoint(): Promise<void>;
  /** Undoes the changes since the savepoint. */
  undo(): Promise<void>;
  /** Whether the database has ended the transaction by itself. */
  isEnded(): boolean;
}

export interface GroupCommitDeps {
  /** Fails within the work of a transaction. */
  requireOutside(): void;
  /**
   * Runs `work` in one database transaction, after all that were begun before. Resolves when the next one may begin;
   * `durable` resolves when this one is on disk.
   */
  transaction(work: (group: GroupTransaction) => Promise<void>): Promise<{ durable: Promise<void> }>;
  /** How long transactions that meet others wait for more of them (ms); 0 where the clock is not the machine's. */
  groupsApartMs: number;
}

/**
 * Commits transactions together that are asked for at the same time, by whichever account: each runs in a savepoint of
 * its own, so that one that fails takes no other with it. Each resolves when the group is durable. The next group may
 * begin while the disk stores this one.
 */
export function makeGroupCommit({ requireOutside, transaction, groupsApartMs }: GroupCommitDeps): Database['transact'] {
  let waiting: Member[] = [];
  let isFlushing = false;
  let begunAt = Number.NEGATIVE_INFINITY;
  let isCrowded = false;
  let storing = 0;

  const takeGroup = () => {
    // Only few are `first`. Within each turn the order stays.
    if (waiting.some(({ turn }) => turn === 'first'))
      waiting = [...waiting.filter(({ turn }) => turn === 'first'), ...waiting.filter(({ turn }) => turn === 'usual')];
    return waiting.splice(0, groupMax);
  };
  const gather = async () => {
    if ((!isCrowded && storing === 0) || groupsApartMs === 0) return;
    const leftMs = begunAt + groupsApartMs - systemClock.monotonic();
    await (leftMs > 0 ? systemClock.sleep(leftMs) : systemClock.turn());
  };

  const commitNext = async () => {
    let group: Member[] = [];
    let results: Result[] = [];
    try {
      const { durable } = await transaction(async (open) => {
        group = takeGroup();
        begunAt = systemClock.monotonic();
        isCrowded = group.length > 1;
        results = await runGroup(open, group, groupsApartMs > 0 ? begunAt + groupMsMax : Infinity);
        waiting.unshift(...group.splice(results.length));
      });
      storing += 1;
      void durable
        .finally(() => (storing -= 1))
        .then(
          () => settle(group, results),
          (error: unknown) => rejectAll(group, error),
        );
    } catch (error) {
      rejectAll(group.length > 0 ? group : takeGroup(), error);
    }
  };

  const flush = async () => {
    isFlushing = true;
    while (waiting.length > 0) {
      await gather();
      await commitNext();
    }
    isFlushing = false;
  };

  return <Value>(work: (tx: Transaction) => Promise<Value>, { turn = 'usual' }: TransactionOptions = {}) =>
    new Promise<Value>((resolve, reject) => {
      requireOutside();
      waiting.push({ turn, work, resolve: resolve as (value: unknown) => void, reject });
      if (!isFlushing) void flush();
    });
}

function settle(group: readonly Member[], results: readonly Result[]): void {
  for (const [index, { resolve, reject }] of group.entries()) {
    const result = results[index] as Result;
    if (result.ok) resolve(result.value);
    else reject(result.error);
  }
}

function rejectAll(group: readonly Member[], error: unknown): void {
  for (const { reject } of group) reject(error);
}

/** Runs the first members of the group, as many as there is time for; at least one. */
async function runGroup(open: GroupTransaction, group: readonly Member[], until: number): Promise<Result[]> {
  const results: Result[] = [];
  const written: Promise<unknown>[] = [];
  const run = ({ work }: Member) => open.run((tx) => runMember(tx, work, written));
  try {
    const [first] = group;
    if (group.length === 1 && first) results.push({ ok: true, value: await run(first) });
    else
      for (const member of group) {
        if (results.length > 0 && systemClock.monotonic() >= until) break;
        await open.savepoint();
        results.push(await keepOrUndo(open, () => run(member)));
      }
  } finally {
    // A statement that failed first is the reason for the failures behind it.
    await allEnded(written);
  }
  return results;
}

async function keepOrUndo(open: GroupTransaction, run: () => Promise<unknown>): Promise<Result> {
  try {
    return { ok: true, value: await run() };
  } catch (error) {
    // After an error of the ledger itself, nothing of the whole transaction is certain.
    if (open.isEnded() || isOfDatabase(error)) throw error;
    await open.undo();
    return { ok: false, error };
  }
}

/**
 * Runs a member's work. Its statements are sent before it ends: one that is sent later would be undone with the member
 * behind it.
 */
async function runMember(tx: Queryable, work: Member['work'], written: Promise<unknown>[]): Promise<unknown> {
  let isOver = false;
  const open = () => {
    assert(!isOver, 'a statement is sent before its transaction ends');
    return tx;
  };
  try {
    return await work({
      query: (sql, params) => open().query(sql, params),
      values: (sql, params) => open().values(sql, params),
      execute: (sql, params) => open().execute(sql, params),
      last(promise) {
        // The end of the group handles the failure.
        promise.catch(() => undefined);
        written.push(promise);
      },
    });
  } finally {
    isOver = true;
  }
}

/** Not `LEDGER_BUSY`: only the statement that waited for a lock has failed, such as one that would wait for ever. */
const databaseErrors: readonly ErrorCode[] = ['LEDGER_FULL', 'LEDGER_IO', 'LEDGER_DAMAGED'];

function isOfDatabase(error: unknown): boolean {
  return error instanceof AirbatchError && databaseErrors.includes(error.code);
}

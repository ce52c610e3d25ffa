import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../../src/core/time/clock.ts';
import { findBatch } from '../../../src/ledger/batches/batches.ts';
import { countRows } from '../../../src/ledger/batches/row-counts.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { openPostgres } from '../../../src/ledger/drivers/postgres/postgres.ts';
import { claimSlot, insertSlot } from '../../../src/ledger/jobs/slots.ts';
import { costsOfBatch } from '../../../src/ledger/rows/costs.ts';
import { pageRows } from '../../../src/ledger/rows/rows.ts';
import { takeLease } from '../../../src/ledger/schema/lease-table.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { aBatch, addBatch, aRow } from '../../support/ledger.ts';
import { migratedPostgres, onServer } from '../../support/postgres.ts';

const clock = systemClock;

/** Processes on one ledger. */
async function several(t: TestContext, count: number, settings = ''): Promise<[Database, Database, Database]> {
  const url = await migratedPostgres();
  if (settings !== '') await onServer(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${settings}`);
  const all = Array.from({ length: count }, () => openPostgres(url));
  t.after(() => Promise.all(all.map((db) => db.close())));
  return all as [Database, Database, Database];
}

async function two(t: TestContext): Promise<[Database, Database]> {
  const [db, other] = await several(t, 2);
  return [db, other];
}

describe('transactions of several processes', () => {
  const begin = (db: Database, isConcurrent: boolean) => {
    const begun = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const work = async () => {
      begun.resolve();
      await mayEnd.promise;
    };
    const ended = db.transact(work, { concurrent: isConcurrent });
    return { begun: begun.promise, mayEnd: mayEnd.resolve, ended };
  };
  /** Long enough for whoever does not wait. */
  const hasBegun = ({ begun }: ReturnType<typeof begin>) => Promise.race([begun.then(() => true), wait(300, false)]);

  /** Resolves when a transaction waits at the server for a lock. */
  const isWaiting = async (db: Database) => {
    const sql = `SELECT 1 AS one FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    for (const end = performance.now() + 10_000; (await db.query(sql)).length === 0; await wait(10))
      assert.ok(performance.now() < end, 'no transaction waits');
  };

  test('run at the same time, if all of them may run beside others', async (t) => {
    const both = (await two(t)).map((db) => begin(db, true));
    try {
      await Promise.all(both.map(({ begun }) => begun));
    } finally {
      for (const { mayEnd } of both) mayEnd();
    }
    await Promise.all(both.map(({ ended }) => ended));
  });

  test('wait for one that runs alone, and it waits for them, in the order in which they came', async (t) => {
    const [db, other, third] = await several(t, 3);
    const beside = begin(db, true);
    await beside.begun;
    const alone = begin(other, false);
    const begun = [beside, alone];
    try {
      await isWaiting(db);
      const later = begin(third, true);
      begun.push(later);
      assert.equal(await hasBegun(alone), false);
      assert.equal(await hasBegun(later), false, 'who runs alone would wait forever');
      beside.mayEnd();
      await Promise.all([beside.ended, alone.begun]);
      assert.equal(await hasBegun(later), false);
      alone.mayEnd();
      await Promise.all([alone.ended, later.begun]);
    } finally {
      for (const { mayEnd } of begun) mayEnd();
    }
    await Promise.all(begun.map(({ ended }) => ended));
  });

  for (const isolation of ['repeatable read', 'serializable'])
    test(`read what was committed while they waited, where the database is set to ${isolation}`, async (t) => {
      const [db, other] = await several(t, 2, `default_transaction_isolation = '${isolation}'`);
      await db.execute('CREATE TABLE counted AS SELECT CAST(0 AS BIGINT) AS n');
      const isHolding = Promise.withResolvers<void>();
      const mayEnd = Promise.withResolvers<void>();
      const first = db.transact(async (tx) => {
        await tx.execute('UPDATE counted SET n = 1');
        isHolding.resolve();
        await mayEnd.promise;
      });
      await isHolding.promise;
      const seen = other.transact((tx) => tx.values('SELECT n FROM counted'), { concurrent: true });
      try {
        await isWaiting(db);
      } finally {
        mayEnd.resolve();
      }
      await first;
      assert.deepEqual(await seen, [[1]]);
    });

  test('of one process run one after the other, however long a commit takes', async (t) => {
    const [db] = await two(t);
    await db.transact(async (tx) => {
      await tx.execute('CREATE TABLE counted AS SELECT CAST(0 AS BIGINT) AS n');
      await tx.execute(
        'CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $$',
      );
      await tx.execute(`CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON counted DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION late()`);
    });
    const addOne = async (ran: () => void) => {
      await db.transact(
        async (tx) => {
          const [found] = await tx.query<{ n: number }>('SELECT n FROM counted');
          await tx.execute('UPDATE counted SET n = ?', [Number(found?.n) + 1]);
          ran();
        },
        { concurrent: true },
      );
    };
    const { promise: isCommitting, resolve } = Promise.withResolvers<void>();
    const first = addOne(resolve);
    await isCommitting;
    await Promise.all([first, addOne(() => undefined)]);
    assert.deepEqual(await db.values('SELECT n FROM counted'), [[2]]);
  });
});

describe('what reads and then writes, on two connections at once', () => {
  test('loses no cost, no count and no event', async (t) => {
    const both = await two(t);
    const [db, other] = both;
    const rows = Array.from({ length: 8 }, (_, index) => aRow(index + 1));
    await addBatch(db, clock, aBatch({ status: 'running' }), rows);
    const pay = (on: Database, rowNo: number) =>
      inUnit(on, { clock, actor: 'engine' }, async (unit) => {
        const [row] = await pageRows(unit.tx, 'batch-1', rowNo - 1, 1);
        assert.ok(row);
        const sent = await unit.changeRow(row, 'send', { attempts: 1 }, {});
        assert.ok(sent);
        const accepted = await unit.changeRow(sent, 'accept', { topup_id: `t-${rowNo}`, accepted_at: 1 }, {});
        assert.ok(accepted);
        await unit.changeRow(accepted, 'complete', { cost: '0.10', cost_currency: 'USD', completed_at: 2 }, {});
      });
    await Promise.all(rows.map(({ row_no }) => pay(row_no % 2 === 0 ? db : other, row_no)));
    assert.deepEqual(await costsOfBatch(db, 'batch-1'), new Map([['USD', '0.8']]));
    assert.deepEqual(await countRows(other, 'batch-1'), new Map([['completed', 8]]));
    const [chain] = await db.values('SELECT COUNT(*), MAX(seq) FROM events');
    const head = (await findBatch(db, 'batch-1'))?.audit_seq;
    assert.deepEqual(chain, [25, 25]);
    assert.equal(head, 25);
  });

  test('runs one slot of a job at a time', async (t) => {
    const both = await two(t);
    for (const job of ['a', 'b', 'c', 'd', 'e']) {
      for (const due_at of [0, 1]) await insertSlot(both[0], { job, due_at, state: 'due', detail: null });
      const claim = { job, now: 1, expiresAt: 2, deadHolder: null };
      const claimed = await Promise.all(
        both.map((db, dueAt) => db.transact((tx) => claimSlot(tx, { ...claim, dueAt, holder: `machine-${dueAt}` }))),
      );
      assert.deepEqual(claimed.toSorted(), [false, true], job);
    }
  });

  test('lets nobody take an account over while its runner writes an intent, which the next one then finds', async (t) => {
    const [db, other] = await two(t);
    await addBatch(db, clock, aBatch({ status: 'running' }), [aRow(1)]);
    const take = (on: Database, holder: string, deadHolder: string | null) =>
      on.transact((tx) => takeLease(tx, { account: 'main', holder, now: 1, ttlMs: 60_000, deadHolder }));
    const fence = await take(db, 'machine-0', null);
    assert.ok(fence);
    const order: string[] = [];
    let taking: Promise<unknown> = Promise.resolve();
    const sent = await inUnit(db, { clock, actor: 'engine', fence }, async (unit) => {
      taking = take(other, 'machine-1', 'machine-0').then(async () => {
        order.push('taken over');
        assert.equal((await pageRows(other, 'batch-1', 0, 1))[0]?.status, 'sending');
      });
      // Long enough for whoever does not wait.
      await wait(300);
      const [row] = await pageRows(unit.tx, 'batch-1', 0, 1);
      assert.ok(row);
      order.push('intent written');
      return unit.changeRow(row, 'send', { attempts: 1 }, {});
    });
    assert.ok(sent);
    await taking;
    assert.deepEqual(order, ['intent written', 'taken over']);
    await assert.rejects(
      inUnit(db, { clock, actor: 'engine', fence }, async () => undefined),
      { code: 'FENCED' },
    );
  });
});

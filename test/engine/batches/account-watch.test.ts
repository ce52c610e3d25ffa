import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AirbatchError } from '../../../src/core/basics/errors.ts';
import { makeAccountRunner } from '../../../src/engine/account-runner.ts';
import { approve, pauseBatch, resumeBatch } from '../../../src/engine/batches/batch-commands.ts';
import { defaultEngineSettings } from '../../../src/engine/runner/settings.ts';
import { addToInbox, type InboxEntry } from '../../../src/ledger/accounts/webhook-inbox.ts';
import { findBatch } from '../../../src/ledger/batches/batches.ts';
import type { Database, Notice, OnNotice, Queryable } from '../../../src/ledger/drivers/database.ts';
import { findLease } from '../../../src/ledger/schema/lease-table.ts';
import { makeFakeService } from '../../support/fake-service.ts';
import { aBatch, addBatch, aRow, findInboxEntry, memoryLedger, testService, unplanned } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const second = 1_000;
const minute = 60 * second;

/** Runners of several accounts in one process, all on one ledger and a virtual clock. */
async function accountsAtWork(count: number, { settleMs = 2 * second, rowsPerAdmission = 1, paceMs = 0 } = {}) {
  const clock = makeVirtualClock();
  const ledger = await memoryLedger();
  const counts = { transactions: 0, statements: 0, waits: 0, sleeps: 0 };
  let isAway = false;
  const requireThere = () => {
    if (isAway) throw new AirbatchError('LEDGER_IO', 'the ledger is away');
  };
  /**
   * A server answers a while later. `waits` counts the statements that are asked while no other one of the same
   * connection waits for its answer.
   */
  const counted = ({ query, values, execute }: Queryable): Queryable => {
    let pending = 0;
    const counting =
      <Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) =>
      async (...args: Args): Promise<Result> => {
        requireThere();
        counts.statements += 1;
        if (pending === 0) counts.waits += 1;
        pending += 1;
        const result = await run(...args);
        await clock.turn();
        pending -= 1;
        return result;
      };
    return {
      query: counting(query) as Queryable['query'],
      values: counting(values) as Queryable['values'],
      execute: counting(execute),
    };
  };
  let announce: OnNotice = () => undefined;
  const db: Database = {
    ...ledger,
    ...counted(ledger),
    listen(onNotice) {
      announce = onNotice;
      return () => (announce = () => undefined);
    },
    async transact(work) {
      requireThere();
      counts.transactions += 1;
      return ledger.transact((tx) => work({ ...counted(tx), last: tx.last }));
    },
  };
  const countedClock: typeof clock = {
    ...clock,
    sleep(ms, signal) {
      counts.sleeps += 1;
      return clock.sleep(ms, signal);
    },
  };
  const service = makeFakeService(clock, { settleMs });
  const settings = { ...defaultEngineSettings, rowsPerAdmission };
  const runners = Array.from({ length: count }, (_, number) =>
    makeAccountRunner(
      {
        ...{ db, gateway: service, clock: countedClock, settings },
        limiter: makeOpenLimiter(clock, { paceMs }),
        random: { fraction: () => 0.5, hex: (bytes) => '0'.repeat(bytes * 2) },
        log: { info: () => undefined, warn: () => undefined },
      },
      {
        account: `account-${number}`,
        service: testService,
        holder: 'test/1/0',
        isDead: () => false,
        callbackUrl: null,
      },
    ),
  );
  const running = runners.map((runner) => runner.run(Number.POSITIVE_INFINITY));
  const after = (ms: number) => clock.drive(clock.sleep(ms));
  await after(minute);
  /** What the program does within a minute. */
  const inMinute = async () => {
    Object.assign(counts, { transactions: 0, statements: 0, waits: 0, sleeps: 0 });
    await after(minute);
    return { ...counts };
  };
  const beAway = async (ms: number) => {
    isAway = true;
    await after(ms);
    isAway = false;
  };
  const stop = async () => {
    for (const runner of runners) runner.stop();
    await clock.drive(Promise.all(running));
  };
  return { db, clock, service, after, inMinute, beAway, stop, announce: (notice: Notice | null) => announce(notice) };
}

describe('accounts with open batches', () => {
  /** One account has two rows in a paused batch, or in a running one that waits for its first row to settle. */
  const withBatch = async (settleMs: number) => {
    const work = await accountsAtWork(3, { settleMs });
    const { db, clock, after } = work;
    const batch = aBatch({ account: 'account-1' });
    const rows = [1, 2].map((rowNo) => ({ ...aRow(rowNo), batch_id: batch.batch_id }));
    await addBatch(db, clock, batch, rows);
    const by = { db, clock, person: 'approver', through: 'cli' } as const;
    await approve(by, batch.batch_id, unplanned);
    return { ...work, by, batchId: batch.batch_id, after };
  };

  test('take hardly more statements than accounts without work, while nothing of their batches changes', async () => {
    const idle = await accountsAtWork(3);
    const without = await idle.inMinute();
    await idle.stop();
    const { by, batchId, after, inMinute, stop } = await withBatch(10 * minute);
    await pauseBatch(by, batchId, 'a person looks');
    await after(2 * minute);
    const paused = await inMinute();
    assert.ok(paused.statements - without.statements <= 60, `${paused.statements} against ${without.statements}`);
    assert.equal(paused.transactions, without.transactions);
    await stop();
  });

  test('go on within two seconds when another process resumes a batch, and stop when it pauses one', async () => {
    const { by, batchId, service, after, stop, db, clock } = await withBatch(minute);
    await pauseBatch(by, batchId, 'a person looks');
    await after(minute);
    assert.equal(service.charges.length, 0);
    await resumeBatch(by, batchId);
    await after(2 * second);
    assert.equal(service.charges.length, 2);
    await pauseBatch(by, batchId, 'a person looks');
    const later = aBatch({ account: 'account-1', batch_id: 'batch-2', run_id: 'run-2' });
    await addBatch(db, clock, later, [{ ...aRow(3), batch_id: 'batch-2' }]);
    await approve(by, 'batch-2', unplanned);
    await after(2 * second);
    assert.equal(service.charges.length, 3);
    await stop();
  });
});

describe('accounts that pay at 60 a minute', () => {
  test('take few statements, transactions and timers a row', async () => {
    const { db, clock, service, inMinute, stop } = await accountsAtWork(3, {
      ...{ settleMs: 300, rowsPerAdmission: 4, paceMs: 4 * second },
    });
    for (const account of ['account-0', 'account-1', 'account-2']) {
      const batch = aBatch({ account, batch_id: account, run_id: account });
      const rows = Array.from({ length: 200 }, (_, index) => ({ ...aRow(index + 1), batch_id: account }));
      await addBatch(db, clock, batch, rows);
      await approve({ db, clock, person: 'approver', through: 'cli' }, account, unplanned);
    }
    await inMinute();
    const before = service.charges.length;
    const { statements, transactions, waits, sleeps } = await inMinute();
    const rows = service.charges.length - before;
    assert.ok(rows >= 168, `${rows} rows`);
    // Before loops, answers and counts shared them: 22.4, 1.44 and 2.0 a row.
    assert.ok(statements / rows <= 14.5, `${statements / rows} statements a row`);
    assert.ok(transactions / rows <= 0.8, `${transactions / rows} transactions a row`);
    // Before rows that are sent or end together were written at once: 8.3 a row.
    assert.ok(waits / rows <= 6, `${waits / rows} waits a row`);
    assert.ok(sleeps / rows <= 2.5, `${sleeps / rows} sleeps a row`);
    await stop();
  });
});

describe('accounts without work', () => {
  test('take no more statements, transactions and timers if they are many', async () => {
    const one = await accountsAtWork(1);
    const alone = await one.inMinute();
    await one.stop();
    const many = await accountsAtWork(20);
    const together = await many.inMinute();
    await many.stop();
    assert.equal(together.transactions, alone.transactions);
    assert.equal(together.sleeps, alone.sleeps);
    assert.equal(together.statements, alone.statements);
  });

  test('keep their leases', async () => {
    const { db, clock, after, stop } = await accountsAtWork(3);
    await after(60 * minute);
    for (const account of ['account-0', 'account-1', 'account-2'])
      assert.ok(((await findLease(db, account))?.expires_at ?? 0) > clock.now(), account);
    await stop();
  });

  test('go on if the ledger is away for seconds, and then begin to pay what was approved', async () => {
    const { db, clock, service, after, beAway, stop } = await accountsAtWork(3);
    await beAway(7 * second);
    const batch = aBatch({ account: 'account-1' });
    await addBatch(db, clock, batch, [{ ...aRow(1), batch_id: batch.batch_id }]);
    await approve({ db, clock, person: 'approver', through: 'cli' }, batch.batch_id, unplanned);
    await after(2 * second);
    assert.equal(service.charges.length, 1);
    await stop();
  });

  test('begin to pay within two seconds when another process has approved a batch', async () => {
    const { db, clock, service, after, stop } = await accountsAtWork(3);
    const batch = aBatch({ account: 'account-1' });
    await addBatch(db, clock, batch, [{ ...aRow(1), batch_id: batch.batch_id }]);
    await after(10 * minute);
    assert.equal(service.charges.length, 0);
    await approve({ db, clock, person: 'approver', through: 'cli' }, batch.batch_id, unplanned);
    await after(2 * second);
    assert.equal(service.charges.length, 1);
    await after(minute);
    assert.equal((await findBatch(db, batch.batch_id))?.status, 'completed');
    await stop();
  });

  for (const notice of [{ kind: 'batch', account: 'account-1' } as const, null])
    test(`begin to pay at once if ${notice === null ? 'notices may be missed' : 'they get a notice'}`, async () => {
      const { db, clock, service, after, stop, announce } = await accountsAtWork(3);
      const batch = aBatch({ account: 'account-1' });
      await addBatch(db, clock, batch, [{ ...aRow(1), batch_id: batch.batch_id }]);
      // Far from the next look.
      await after(300);
      await approve({ db, clock, person: 'approver', through: 'cli' }, batch.batch_id, unplanned);
      announce({ kind: 'batch', account: 'account-2' });
      announce({ kind: 'webhook', account: 'account-1' });
      await after(100);
      assert.equal(service.charges.length, 0);
      announce(notice);
      await after(200);
      assert.equal(service.charges.length, 1);
      await stop();
    });

  test('handle a webhook within two seconds that another process has received', async () => {
    const { db, clock, after, stop } = await accountsAtWork(3);
    const entry: InboxEntry = {
      account: 'account-2',
      scheme: 'callback',
      message_id: 'm-1',
      body: 'no webhook',
      body_digest: 'd',
      received_at: clock.now(),
      due_at: clock.now(),
      looks: 0,
      handled_at: null,
      outcome: null,
      batch_id: null,
      row_no: null,
    };
    await addToInbox(db, entry);
    await after(2 * second);
    assert.equal((await findInboxEntry(db, entry))?.outcome, 'unreadable');
    await stop();
  });
});

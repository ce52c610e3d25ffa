import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { systemClock } from '../../src/core/time/clock.ts';
import { renewTogether } from '../../src/engine/runner/renewals.ts';
import { openPostgres } from '../../src/ledger/drivers/postgres/postgres.ts';
import { costsOfBatch } from '../../src/ledger/rows/costs.ts';
import { pageRows } from '../../src/ledger/rows/rows.ts';
import { takeLease } from '../../src/ledger/schema/lease-table.ts';
import { inUnit } from '../../src/ledger/unit-of-work.ts';
import { aBatch, addBatch, aRow, postgresLedger } from '../support/ledger.ts';
import { migratedPostgres } from '../support/postgres.ts';

/** Counts statements, and round trips: how often a connection sends something while it waits for no answer. */
function countTraffic(t: TestContext): { statements: number; roundTrips: number } {
  const counted = { statements: 0, roundTrips: 0 };
  const awaited = new WeakMap<Client, number>();
  const { query } = Client.prototype as unknown as { query(...args: unknown[]): Promise<unknown> };
  t.mock.method(Client.prototype, 'query', function (this: Client, ...args: unknown[]) {
    const before = awaited.get(this) ?? 0;
    counted.statements += 1;
    // Without a pipeline, the library keeps a statement back until the one before it is answered.
    const { pipeline } = this as unknown as { pipeline: boolean };
    if (before === 0 || !pipeline) counted.roundTrips += 1;
    awaited.set(this, before + 1);
    const answer = query.apply(this, args);
    const end = () => void awaited.set(this, (awaited.get(this) ?? 0) - 1);
    answer.then(end, end);
    return answer;
  });
  return counted;
}

test('a unit takes four round trips to PostgreSQL, however many rows it changes', async (t) => {
  const clock = systemClock;
  const db = await postgresLedger();
  t.after(() => db.close());
  const numbers = Array.from({ length: 8 }, (_, index) => index + 1);
  await addBatch(
    db,
    clock,
    aBatch({ status: 'running' }),
    numbers.map((rowNo) => aRow(rowNo)),
  );
  const fence = await db.transact((tx) =>
    takeLease(tx, { account: 'main', holder: 'a', now: 0, ttlMs: 60_000, deadHolder: null }),
  );
  assert.ok(fence);
  const rows = await pageRows(db, 'batch-1', 0, numbers.length);
  const counted = countTraffic(t);
  await inUnit(db, { clock, actor: 'engine', fence }, (unit) =>
    Promise.all(rows.map((row) => unit.changeRow(row, 'send', { cost: '0.10', cost_currency: 'USD' }, {}))),
  );
  // It begins; checks the fence, writes the rows, and reads what it adds to; writes the rest; commits.
  assert.equal(counted.roundTrips, 4);
  assert.equal(counted.statements, 20);
  assert.deepEqual(await costsOfBatch(db, 'batch-1'), new Map([['USD', '0.8']]));
});

test('of units that share a commit, each further one takes one round trip more', async (t) => {
  const clock = systemClock;
  // A group ends by time as well; here it does not.
  const db = openPostgres(await migratedPostgres(), { groupsApartMs: 0 });
  t.after(() => db.close());
  await addBatch(
    db,
    clock,
    aBatch({ status: 'running' }),
    [1, 2, 3].map((rowNo) => aRow(rowNo)),
  );
  const fence = await db.transact((tx) =>
    takeLease(tx, { account: 'main', holder: 'a', now: 0, ttlMs: 60_000, deadHolder: null }),
  );
  assert.ok(fence);
  const rows = await pageRows(db, 'batch-1', 0, 3);
  const counted = countTraffic(t);
  await Promise.all(
    rows.map((row) => inUnit(db, { clock, actor: 'engine', fence }, (unit) => unit.changeRow(row, 'send', {}, {}))),
  );
  // It begins and commits. Each unit checks its fence and writes its row; the rest shares a round trip with the next unit.
  // Answers that arrive together can make one fewer.
  assert.ok(counted.roundTrips <= 3 + 3, `${counted.roundTrips}`);
  assert.deepEqual(
    (await pageRows(db, 'batch-1', 0, 3)).map(({ status }) => status),
    ['sending', 'sending', 'sending'],
  );
});

test('leases that are renewed together take three round trips, and one statement for fifty accounts', async (t) => {
  const db = await postgresLedger();
  t.after(() => db.close());
  const [ttlMs, clock] = [60_000, systemClock];
  const leases = [];
  for (const account of Array.from({ length: 60 }, (_, number) => `account-${number}`)) {
    const wanted = { account, holder: 'here', now: clock.now(), ttlMs, deadHolder: null };
    const taken = await db.transact((tx) => takeLease(tx, wanted));
    assert.ok(taken);
    const fence = { account, holder: 'here', fence: taken.fence };
    leases.push({
      clock,
      machine: clock,
      fence,
      ttlMs,
      mark: null,
      renewed: () => undefined,
      provedForMs: () => 60_000,
      fenced: () => new Error(),
    });
  }
  const counted = countTraffic(t);
  assert.deepEqual(
    await renewTogether(db, leases, ttlMs),
    leases.map(() => null),
  );
  // It begins; renews, and notes the highest clock; commits.
  assert.equal(counted.roundTrips, 3);
  assert.equal(counted.statements, 5);
});

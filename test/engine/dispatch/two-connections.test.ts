import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { storedPolicy } from '../../../src/core/state/batch-policy.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { writeIntents } from '../../../src/engine/dispatch/intents.ts';
import { restoreLookup } from '../../../src/engine/dispatch/restore-lookup.ts';
import { paymentNames, paymentRequestOf } from '../../../src/engine/payments/payment-request.ts';
import type { RunnerContext } from '../../../src/engine/runner/context.ts';
import type { OpenBatch } from '../../../src/engine/runner/open-batches.ts';
import { type BatchRecord, findBatch } from '../../../src/ledger/batches/batches.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { openPostgres } from '../../../src/ledger/drivers/postgres/postgres.ts';
import { makeFileRefs } from '../../../src/ledger/rows/file-refs.ts';
import { findRow, type NewRow, type RowRecord } from '../../../src/ledger/rows/rows.ts';
import { inUnit, type Unit } from '../../../src/ledger/unit-of-work.ts';
import { makeFakeService } from '../../support/fake-service.ts';
import { aBatch, addBatch, aRow } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';
import { migratedPostgres } from '../../support/postgres.ts';

const clock = systemClock;
const tenMinutesMs = 600_000;
/** Long enough for a unit of the other connection that waits for nothing. */
const meetingMs = 500;

/** Two programs on one ledger, whose units of work have read and written everything before either of them commits. */
async function two(t: TestContext) {
  const url = await migratedPostgres();
  const ledgers = [openPostgres(url), openPostgres(url)] as const;
  t.after(() => Promise.all(ledgers.map((db) => db.close())));
  const service = makeFakeService(clock, { settleMs: tenMinutesMs });
  let arrived = 0;
  const { promise: bothArrived, resolve: open } = Promise.withResolvers<void>();
  const meet = () => {
    arrived += 1;
    if (arrived === ledgers.length) open();
    return Promise.race([bothArrived, wait(meetingMs)]);
  };
  const [one, other] = ledgers.map((db) => programOn(db, service, meet)) as [Program, Program];
  return { one, other, service, db: ledgers[0] };
}

type Program = ReturnType<typeof programOn>;

function programOn(db: Database, service: ReturnType<typeof makeFakeService>, meet: () => Promise<unknown>) {
  const inMeetingUnit = <Result>(work: (unit: Unit) => Promise<Result>) =>
    inUnit(db, { clock, actor: 'engine' }, async (unit) => {
      const result = await work(unit);
      await meet();
      return result;
    });
  const open = async (name: string) => {
    const batch = (await findBatch(db, name)) as BatchRecord;
    return { batch, policy: storedPolicy(batch.policy), file: makeFileRefs(name) } as OpenBatch;
  };
  const contextOf = (batch: OpenBatch) =>
    ({
      db,
      clock,
      gateway: service,
      limiter: makeOpenLimiter(clock),
      callbackUrl: null,
      restoredAt: null,
      keys: { provedFrom: () => 0, scopeFrom: 0 },
      batches: { get: () => batch },
      committer: { commit: inMeetingUnit },
      wakes: { doubt: { wake: () => undefined } },
    }) as unknown as RunnerContext;
  const rowOf = async (name: string) => (await findRow(db, name, 1)) as RowRecord;
  return {
    /** Whether it wrote the intent of the batch's row. */
    async writesIntent(name: string) {
      const batch = await open(name);
      const row = await rowOf(name);
      const written = await inMeetingUnit((unit) => writeIntents(unit, contextOf(batch), batch, [row], new Set()));
      return written.intents.length === 1;
    },
    /** Whether the batch's row may be sent after a restore. */
    async maySend(name: string) {
      const context = contextOf(await open(name));
      return (await restoreLookup(context, [await rowOf(name)], clock.now() - tenMinutesMs)).length === 1;
    },
    rowOf,
  };
}

function add(db: Database, name: string, row: Partial<NewRow>, batch: Partial<BatchRecord> = {}) {
  const made = aBatch({ batch_id: name, run_id: name, status: 'running', created_at: clock.now(), ...batch });
  return addBatch(db, clock, made, [aRow(1, { ...row, batch_id: name })]);
}

const count = async (db: Database, what: string) => (await db.values(`SELECT COUNT(*) FROM ${what}`))[0]?.[0];

describe('two programs that decide at once about rows of one ledger', () => {
  test('do not pay a recipient more than the maximum between them', async (t) => {
    const { one, other, db } = await two(t);
    const policy = JSON.stringify({ recipientMaximum: { days: 30, sums: { KES: '500' } } });
    await add(db, 'a', { amount: '300' }, { policy });
    await add(db, 'b', { amount: '250' }, { policy });
    const written = await Promise.all([one.writesIntent('a'), other.writesIntent('b')]);
    assert.deepEqual(written.toSorted(), [false, true]);
    const held = await one.rowOf(written[0] ? 'b' : 'a');
    assert.equal(held.status, 'held');
    assert.match(held.problems ?? '', /RECIPIENT_MAXIMUM/);
  });

  test('do not both send a row that two files of a run have', async (t) => {
    const { one, other, db } = await two(t);
    await add(db, 'a', {}, { run_id: 'run' });
    await add(db, 'b', {}, { run_id: 'run' });
    const written = await Promise.all([one.writesIntent('a'), other.writesIntent('b')]);
    assert.deepEqual(written.toSorted(), [false, true]);
    assert.equal(await count(db, 'payments'), 1);
    assert.equal((await one.rowOf(written[0] ? 'b' : 'a')).status, 'skipped');
  });

  for (const [what, names] of [
    ['a row', ['a', 'a']],
    ['a row that two files of a run have', ['a', 'b']],
  ] as const)
    test(`bind ${what} once to the payment that a restored ledger lacks`, async (t) => {
      const { one, other, service, db } = await two(t);
      for (const name of new Set(names)) await add(db, name, {}, { run_id: 'run' });
      const row = await one.rowOf('a');
      const { key, reference } = paymentNames({ account: 'main', run_id: 'run' }, row, 1);
      const body = service.body(paymentRequestOf(row, reference, null));
      await service.create({ body, idempotencyKey: key });
      const mayBeSent = await Promise.all([one.maySend(names[0]), other.maySend(names[1])]);
      // The row whose key the other one has is skipped as its intent would be written.
      assert.equal(mayBeSent.filter((may) => may).length, new Set(names).size - 1);
      const statuses = await Promise.all([...new Set(names)].map(async (name) => (await one.rowOf(name)).status));
      assert.deepEqual(statuses.toSorted(), ['in_doubt', 'ready'].slice(0, statuses.length));
      assert.equal(await count(db, 'payments'), 1);
      assert.equal(await count(db, "events WHERE kind = 'row.doubt'"), 1);
    });
});

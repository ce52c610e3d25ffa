import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import { insertRows } from '../../../src/ledger/rows/insert-rows.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import { listRows } from '../../../src/operations/rows/list-rows.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import {
  completedWay,
  failedWay,
  newBatch,
  newRow,
  testLedger,
  writeBatch,
  writeSampleBatch,
} from '../../reports/fixture.ts';
import { aBatch, addBatch, aRow, sqliteLedger } from '../../support/ledger.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

type Query = Omit<z.input<typeof listRows.input>, 'batch_id'>;

async function ledger(t: Parameters<typeof testLedger>[0]) {
  const db = await testLedger(t);
  const clock = makeVirtualClock();
  const session = { db, clock, config: { people: {} }, person: 'ann', through: 'cli' } as unknown as Session;
  const door = { nameOf: (field: string) => field };
  const list = (query: Query, batch_id = 'B-1') => performIn(session, listRows, door, { batch_id, ...query });
  const numbers = async (query: Query) => (await list(query)).rows.map(({ row_no }) => row_no);
  return { db, clock, list, numbers };
}

test('list-rows takes numbers out of a reason, and leaves its dates and batches', async (t) => {
  const { db, clock, list } = await ledger(t);
  const message = 'The same was sent to +254712345678 on 2026-11-25, in batch 20261026-060000-aa02.';
  const problems = JSON.stringify([{ code: 'SENT_LATELY', column: null, message, suggestion: 'Skip it.' }]);
  await addBatch(db, clock, aBatch({ batch_id: 'B-2' }), [aRow(1, { batch_id: 'B-2', status: 'held', problems })]);
  const [row] = (await list({}, 'B-2')).rows;
  assert.equal(row?.reason, 'The same was sent to [number] on 2026-11-25, in batch 20261026-060000-aa02.');
});

test('list-rows shows how each row stands, in file order, with masked numbers', async (t) => {
  const { db, list } = await ledger(t);
  await writeSampleBatch(db);
  const { batch_id, rows, next } = await list({});
  assert.deepEqual([batch_id, rows.length, next], ['B-1', 10, null]);
  assert.deepEqual(rows[0], {
    row_no: 1,
    line: 2,
    row_ref: 'R-1',
    status: 'completed',
    phone_number: '2********001',
    person: 'Person 1',
    network_id: 1,
    amount: '100.50',
    currency: 'KES',
    product_id: null,
    generation: 1,
    topup_id: 'topup-1',
    service_status: 'completed',
    code: null,
    reason: null,
    waiting_reason: null,
    cost: '0.80',
    cost_currency: 'USD',
    sent_at: '2026-11-01T08:00:01.000Z',
    completed_at: '2026-11-01T08:00:01.900Z',
    in_doubt_since: null,
    contradicted: null,
    paid_by: null,
  });
  const [, , , , , , , failed, invalid] = rows;
  assert.deepEqual([failed?.code, failed?.reason], ['PROVIDER_DECLINED', 'The operator declined it']);
  assert.deepEqual([invalid?.code, invalid?.reason], ['PHONE_INVALID', '"0712" is too short to be a phone number.']);
  assert.doesNotMatch(JSON.stringify(rows), /254[0-9]{9}/);
});

test('list-rows pages by the number of the row, and filters by state, text and code', async (t) => {
  const { db, list, numbers } = await ledger(t);
  await writeSampleBatch(db);
  const first = await list({ limit: 4 });
  assert.deepEqual([first.rows.map(({ row_no }) => row_no), first.next], [[1, 2, 3, 4], 4]);
  assert.deepEqual(await numbers({ limit: 4, after: 8 }), [9, 10]);
  assert.deepEqual(await numbers({ status: ['failed', 'skipped'] }), [8, 10]);
  const one = await list({ status: ['failed', 'skipped'], limit: 1 });
  assert.deepEqual([one.rows.length, one.next], [1, 8]);
  assert.deepEqual(await numbers({ code: 'PHONE_INVALID' }), [9]);
  assert.deepEqual(await numbers({ code: 'PROVIDER_DECLINED' }), [8]);
  assert.deepEqual(await numbers({ find: 'r-3' }), [3]);
  assert.deepEqual(await numbers({ find: 'pérson 1' }), [1, 10], 'as people type: without case and accents');
  assert.deepEqual(await numbers({ find: 'person', status: ['failed'] }), [8]);
  await assert.rejects(list({ limit: 1_001 }), { code: 'USAGE' });
  await assert.rejects(list({ find: ' ' }), { code: 'USAGE' });
  await assert.rejects(list({}, 'B-9'), { code: 'BATCH_UNKNOWN' });
});

test('list-rows finds a number by its last four digits or as a whole, and by nothing in between', async (t) => {
  const { db, numbers } = await ledger(t);
  const batch = newBatch('B-1');
  const phone_number = '+254712405118';
  const row_ref = 'pay +254 712 405 118';
  await writeBatch(db, batch, [{ row: newRow('B-1', 1, { phone_number, row_ref }) }, { row: newRow('B-1', 2) }], null);
  for (const find of ['5118', '118', '+254712405118', '254 712 405 118', '0712405118', '00254712405118'])
    assert.deepEqual(await numbers({ find }), [1], find);
  for (const find of ['05118', '405118', '12405118', '712 405', '+254 712', '9712405118'])
    assert.deepEqual(await numbers({ find }), [], find);
});

test('list-rows shows the batch of the run that paid a row', async (t) => {
  const { db, list } = await ledger(t);
  const rows = [1, 2, 3].map((rowNo) => newRow('B-1', rowNo));
  await writeBatch(db, newBatch('B-1'), [
    { row: rows[0] ?? newRow('B-1', 1), way: completedWay(1) },
    { row: rows[1] ?? newRow('B-1', 2), way: failedWay(2) },
    { row: newRow('B-1', 3, { status: 'invalid' }) },
  ]);
  await writeBatch(db, newBatch('B-2'), [
    { row: newRow('B-2', 1, { status: 'skipped' }) },
    { row: newRow('B-2', 2, { row_ref: 'R-3' }), way: completedWay(2) },
    { row: newRow('B-2', 3, { row_ref: 'R-2', status: 'skipped' }) },
  ]);
  const payers = async (batchId: string) => (await list({}, batchId)).rows.map(({ paid_by }) => paid_by);
  assert.deepEqual(await payers('B-2'), ['B-1', null, null], 'a failed payment pays nothing');
  assert.deepEqual(await payers('B-1'), [null, null, 'B-2']);
});

test('list-rows ends a call after 100,000 rows, and continues from there', async (t) => {
  const { db, clock, list } = await ledger(t);
  await addBatch(db, clock, aBatch({ batch_id: 'B-1', columns: '["number","name"]' }), []);
  const count = 100_500;
  await db.transact(async (tx) => {
    for (let from = 1; from <= count; from += 1_500) {
      const some = Array.from({ length: 1_500 }, (_, at) => newRow('B-1', from + at, { input: '["","Amina Otieno"]' }));
      await insertRows(tx, some);
    }
  });
  await db.execute(`UPDATE rows SET status = 'failed' WHERE row_no = ?`, [count]);
  assert.deepEqual(await list({ find: 'Zawadi' }), { batch_id: 'B-1', rows: [], next: 100_000 });
  assert.deepEqual((await list({ find: 'Zawadi', after: 100_000 })).next, null);
  const failed = await list({ status: ['failed'] });
  assert.deepEqual([failed.rows.map(({ row_no }) => row_no), failed.next], [[count], null]);
});

test('list-rows reads on from a row by the primary key', async (t) => {
  const db = await sqliteLedger();
  t.after(() => db.close());
  const plan = await db.query<{ detail: string }>(
    `EXPLAIN QUERY PLAN SELECT * FROM rows WHERE batch_id = ? AND row_no > ? AND status IN (?, ?) ORDER BY row_no LIMIT ?`,
    ['B-1', 0, 'failed', 'held', 10],
  );
  assert.deepEqual(
    plan.map(({ detail }) => detail),
    ['SEARCH rows USING INDEX sqlite_autoindex_rows_1 (batch_id=? AND row_no>?)'],
  );
});

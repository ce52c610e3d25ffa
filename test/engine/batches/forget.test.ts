import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { forgetBatch, forgetEnded } from '../../../src/engine/batches/forget.ts';
import { retryFailed } from '../../../src/engine/decisions/retry-failed.ts';
import { answerApiRequest, beginApiRequest } from '../../../src/ledger/access/api-requests.ts';
import { type BatchRecord, findBatch } from '../../../src/ledger/batches/batches.ts';
import { openSqlite } from '../../../src/ledger/drivers/sqlite/sqlite.ts';
import { findRow } from '../../../src/ledger/rows/rows.ts';
import { migrate } from '../../../src/ledger/schema/schema.ts';
import { inUnit, type Unit } from '../../../src/ledger/unit-of-work.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { folderOf } from '../../support/folder.ts';
import { aBatch, aRow, memoryLedger } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const rowsOfBatch = 100;
const dayMs = 24 * 3_600_000;

async function payBatch(
  unit: Unit,
  batch_id: string,
  { rows: count = rowsOfBatch, ...fields }: { rows?: number } & Partial<BatchRecord> = {},
): Promise<void> {
  await unit.addBatch(aBatch({ batch_id, run_id: batch_id, status: 'running', started_at: 1, ...fields }), {});
  const rowNos = Array.from({ length: count }, (_, index) => index + 1);
  const rows = rowNos.map((rowNo) =>
    aRow(rowNo, { batch_id, input: JSON.stringify([`Canary ${rowNo}`, 'x'.repeat(rowNo)]) }),
  );
  await unit.addRows(batch_id, rows);
  for (const rowNo of rowNos) {
    const row = await findRow(unit.tx, batch_id, rowNo);
    const sent = row && (await unit.changeRow(row, 'send', { attempts: 1, first_sent_at: 1 }, {}));
    if (sent) await unit.changeRow(sent, 'complete', { topup_id: `${batch_id}-${rowNo}`, completed_at: 2 }, {});
  }
  const batch = await findBatch(unit.tx, batch_id);
  if (batch) await unit.changeBatch(batch, 'complete', { completed_at: fields.created_at ?? 3 }, {});
}

test('hardly a number of thousands of forgotten rows stays in the ledger file without a rewrite, and none after one', async (t) => {
  const folder = folderOf(t);
  const path = join(folder, 'ledger.db');
  const db = openSqlite(path);
  await migrate(db);
  for (let number = 0; number < 40; number++)
    await inUnit(db, { clock: systemClock, actor: 'engine' }, (unit) => payBatch(unit, `batch-${number}`));
  await db.emptyLog();
  const people = () => readFileSync(path, 'latin1').match(/Canary|\+2547120/g)?.length ?? 0;
  assert.ok(people() >= 40 * rowsOfBatch);
  const size = statSync(path).size;
  const done = await forgetEnded(
    { db, clock: systemClock, person: 'retention', through: 'cli' as const },
    1_000,
    'retention',
  );
  assert.equal(done.rows, 40 * rowsOfBatch);
  await db.emptyLog();
  assert.ok(people() <= 10, `${people()} are left`);
  assert.deepEqual([statSync(path).size >= size, statSync(`${path}-wal`).size], [true, 0]);
  await db.compact();
  assert.equal(people(), 0);
  await db.close();
});

test('answers of the API about a batch are erased with its people, and no others', async () => {
  const db = await memoryLedger();
  await inUnit(db, { clock: systemClock, actor: 'engine' }, (unit) => payBatch(unit, 'batch-1', { rows: 1 }));
  for (const about of ['batch-1', 'batch-2']) {
    const request = { caller: 'clerk', key: about, digest: 'ab' };
    await beginApiRequest(db, request, 1);
    await answerApiRequest(db, request, { status: 200, body: '+254712000001', about });
  }
  await forgetBatch({ db, clock: systemClock, person: 'retention', through: 'cli' }, 'batch-1', 'asked for');
  assert.deepEqual(await db.query('SELECT about FROM api_requests'), [{ about: 'batch-2' }]);
  await db.close();
});

test('people are kept as long as a later or open batch may be compared with them', async () => {
  const db = await memoryLedger();
  const clock = makeVirtualClock();
  const actor = { db, clock, person: 'retention', through: 'cli' as const };
  const maximum = (days: number) => JSON.stringify({ recipientMaximum: { days, sums: { KES: '500' } } });
  const add = (batch_id: string, fields: Partial<BatchRecord>) =>
    inUnit(db, { clock, actor: 'engine' }, (unit) => payBatch(unit, batch_id, { rows: 1, ...fields }));
  const now = clock.now();
  await add('longest-before', { created_at: now - 1, policy: maximum(300) });
  await add('paid', { created_at: now });
  await add('since', { created_at: now + 1, policy: maximum(30) });
  await add('elsewhere', { created_at: now + 1, policy: maximum(200), account: 'other' });
  await inUnit(db, { clock, actor: 'intake' }, (unit) =>
    unit.addBatch(aBatch({ batch_id: 'open', run_id: 'open', created_at: 0, policy: maximum(60) }), {}),
  );
  await clock.drive(clock.sleep(30 * dayMs + 2));
  const ended = () => forgetEnded(actor, clock.now(), 'retention').then(({ batches }) => batches);
  assert.deepEqual(await ended(), []);
  await inUnit(db, { clock, actor: 'mary' }, async (unit) => {
    const batch = await findBatch(unit.tx, 'open');
    if (batch) await unit.changeBatch(batch, 'cancel', {}, {});
  });
  assert.deepEqual(await ended(), ['open', 'paid', 'since']);
});

test('all payments of a row that was sent again are forgotten', async () => {
  const rig = await makeRig();
  rig.service.script('run-1/ref-1', 'refuse');
  await rig.add(someRows(1));
  await rig.run();
  const actor = { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const };
  const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
  await rig.clock.drive(retryFailed(actor, service, 'batch-1', { codes: [] }));
  await rig.run();
  await rig.clock.drive(rig.clock.sleep(30 * dayMs));
  await forgetBatch(actor, 'batch-1', 'retention');
  const payments = await rig.db.query(
    'SELECT generation, body, body_digest, last_evidence FROM payments ORDER BY generation',
  );
  const nothing = { body: '', body_digest: '', last_evidence: null };
  assert.deepEqual(
    payments.map((one) => ({ ...one })),
    [1, 2].map((generation) => ({ generation, ...nothing })),
  );
});

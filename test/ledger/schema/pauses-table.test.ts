import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPauses, openPausesOfAccount } from '../../../src/ledger/batches/pauses.ts';
import { highestClock } from '../../../src/ledger/schema/ledger-state.ts';
import { pausesTable } from '../../../src/ledger/schema/pauses-table.ts';
import { migrate } from '../../../src/ledger/schema/schema.ts';
import { earlierLedger } from '../../support/ledger.ts';

test('the pauses of an earlier ledger become rows, with who paused what and since when', async () => {
  const db = await earlierLedger(pausesTable);
  const addBatch = (id: string, status: string, reason: string | null, detail: string | null) =>
    db.execute(
      `INSERT INTO batches (batch_id, account, service, run_id, status, pause_reason, pause_detail, priority, file_name,
         columns, program, created_by, created_at, audit_seq, audit_head)
       VALUES (?, 'main', 'a test', 'run', ?, ?, ?, 'normal', 'a.csv', '[]', 'test', 'ann', 1, 0, '')`,
      [id, status, reason, detail],
    );
  let seq = 0;
  const addEvent = (batchId: string, actor: string, kind: string, body: Record<string, string>) =>
    db.execute(`INSERT INTO events (batch_id, seq, at, actor, kind, body, hash) VALUES (?, ?, ?, ?, ?, ?, '')`, [
      batchId,
      ++seq,
      seq * 100,
      actor,
      kind,
      JSON.stringify(body),
    ]);

  await addBatch('person', 'paused', 'by_person', 'month-end');
  await addEvent('person', 'mary', 'batch.pause', { why: 'month-end: "reason": none' });
  await addBatch('both', 'paused', 'insufficient_balance', 'the wallet is empty');
  await addEvent('both', 'engine', 'batch.pause', { reason: 'insufficient_balance' });
  await addEvent('both', 'mary', 'batch.pause_besides', { why: 'lunch' });
  await addBatch('halted', 'paused', 'service_mismatch', 'another number');
  await addEvent('halted', 'joe', 'batch.pause', { why: 'wrong month' });
  await addEvent('halted', 'engine', 'batch.pause', { reason: 'service_mismatch' });
  await addBatch('given up', 'cancelled', 'by_person', 'wrong');
  await addBatch('going', 'running', null, null);
  for (const [name, value] of [
    ['paused_by_person:both', 'lunch'],
    ['paused_by_person:halted', 'wrong month'],
    ['halted:main', 'another number'],
    ['highest_clock_ms', '9'],
  ] as const)
    await db.execute('INSERT INTO facts (name, value) VALUES (?, ?)', [name, value]);

  await migrate(db);

  const pauses = async (batch_id: string) =>
    (await openPauses(db, { account: 'main', batch_id })).map((one) =>
      [one.reason, one.detail, one.paused_by, one.since].join(),
    );
  assert.deepEqual(await pauses('person'), ['by_person,month-end,mary,100']);
  assert.deepEqual(await pauses('both'), [
    'insufficient_balance,the wallet is empty,engine,200',
    'by_person,lunch,mary,300',
  ]);
  assert.deepEqual(await pauses('halted'), [
    'service_mismatch,another number,engine,500',
    'by_person,wrong month,joe,400',
  ]);
  assert.deepEqual([await pauses('given up'), await pauses('going')], [[], []]);
  const halt = (await openPausesOfAccount(db, 'main')).find(({ batch_id }) => batch_id === null);
  assert.equal(halt?.detail, 'another number');
  assert.equal(await highestClock(db), 9);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobRetry, noteJobRetry } from '../../../src/ledger/jobs/job-retries.ts';
import { noteReportPlace, reportPlace } from '../../../src/ledger/reporting/report-places.ts';
import { batchFacts } from '../../../src/ledger/schema/batch-facts.ts';
import { highestClock } from '../../../src/ledger/schema/ledger-state.ts';
import { migrate } from '../../../src/ledger/schema/schema.ts';
import { aBatch, earlierLedger } from '../../support/ledger.ts';

test('facts of single batches become columns of batches', async () => {
  const db = await earlierLedger(batchFacts);
  for (const batch_id of ['one', 'two', 'three']) {
    const { account, service, run_id, status, priority, file_name, columns, program, created_by } = aBatch();
    await db.execute(
      `INSERT INTO batches (batch_id, account, service, run_id, status, priority, file_name, columns, program,
         created_by, created_at, audit_seq, audit_head) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 0, '')`,
      [batch_id, account, service, run_id, status, priority, file_name, columns, program, created_by],
    );
  }
  for (const [name, value] of [
    ['reports_out:one', '/elsewhere'],
    ['job_retry:one', 'due'],
    ['job_retry:two', '1700000000000'],
    ['highest_clock_ms', '9'],
  ] as const)
    await db.execute('INSERT INTO facts (name, value) VALUES (?, ?)', [name, value]);

  await migrate(db);

  const found = async () =>
    Promise.all(['one', 'two', 'three'].map(async (id) => [await reportPlace(db, id), await jobRetry(db, id)]));
  assert.deepEqual(await found(), [
    ['/elsewhere', 'due'],
    [null, 1_700_000_000_000],
    [null, null],
  ]);
  assert.equal(await highestClock(db), 9);
  await noteReportPlace(db, 'one', null);
  await noteJobRetry(db, 'one', 5);
  await noteJobRetry(db, 'two', 'due');
  assert.deepEqual(await found(), [
    [null, 5],
    [null, 'due'],
    [null, null],
  ]);
});

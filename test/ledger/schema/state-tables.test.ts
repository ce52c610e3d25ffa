import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storedThrottleOf } from '../../../src/ledger/accounts/pace.ts';
import { findRereadPlace } from '../../../src/ledger/batches/rereads.ts';
import { retriesGivenUp } from '../../../src/ledger/jobs/job-retries.ts';
import { findSlot, slotFaults } from '../../../src/ledger/jobs/slots.ts';
import { findUnprocessedFiles } from '../../../src/ledger/jobs/unprocessed-files.ts';
import { maximumKnownUntil, namedEnds } from '../../../src/ledger/rows/row-decisions.ts';
import { findUnansweredLookup } from '../../../src/ledger/rows/unanswered-lookups.ts';
import { readLedgerState } from '../../../src/ledger/schema/ledger-state.ts';
import { migrate } from '../../../src/ledger/schema/schema.ts';
import { accountState, jobState } from '../../../src/ledger/schema/state-columns.ts';
import { stateTables } from '../../../src/ledger/schema/state-tables.ts';
import { earlierLedger } from '../../support/ledger.ts';

const wait = { since: 1_000, at: 1_000, saidMs: 7_200_000, until: 7_201_000 };
const ownUse = { count: 3, limit: 60, resetAt: 5, endsAt: 6 };
const pace = (gate: object) => JSON.stringify({ fence: 3, ownUse, shared: false, ...gate, late: { b: {} } });
const left = { noted_at: 5, files: [{ file: 'a.csv', due_at: null }] };
const givenUp = [{ batch_id: 'one', at: 4, rows: 2, codes: ['X'] }];

async function migrated(facts: Readonly<Record<string, string>>) {
  const db = await earlierLedger(stateTables);
  for (const id of ['one', 'two'])
    await db.execute(
      `INSERT INTO batches (batch_id, account, service, run_id, status, priority, file_name, columns, program,
         created_by, created_at, completed_at, audit_seq, audit_head)
       VALUES (?, 'main', 'a test', 'run', 'completed', 'normal', 'a.csv', '[]', 'test', 'ann', 1, 900, 0, '')`,
      [id],
    );
  await db.execute(`INSERT INTO slots (job, due_at, state) VALUES ('payroll', 77, 'due')`);
  for (const [name, value] of Object.entries(facts))
    await db.execute('INSERT INTO facts (name, value) VALUES (?, ?)', [name, value]);
  await migrate(db);
  return db;
}

test('the facts of an earlier ledger become columns', async () => {
  const db = await migrated({
    highest_clock_ms: '9',
    ledger_restored_at: '7',
    word_since: '8',
    'restored_at:main': '11',
    'lost_from:main': '12',
    'key_scope:main': '482a0396a291 13',
    'short_of_funds:other': '{"w1":"3.50"}',
    'job_known_since:payroll': '21',
    'job_since:payroll': '22',
    'slots_dropped:payroll': '23',
    'job_folder:payroll': '/in',
    'job_ignored:promo': '["x"]',
    'job_left:payroll': JSON.stringify(left),
    'job_retries_given_up:payroll': JSON.stringify(givenUp),
    'slot_troubled_ms:payroll:77': '31',
    'slot_faults:payroll:77': '["late"]',
    'reread:one:900': 'pages 4',
    'reread:two:900': '17',
    'unread_since:one:5': '41 42',
    'named_ends:one:5': '["EXPIRED"]',
    'let_go_until:one:5': '43',
    'let_go_until:two:6': '44',
  });
  assert.deepEqual(await readLedgerState(db), { highest_clock_ms: 9, restored_at: 7, news_since: 8 });
  const account = (name: string) => Promise.all(Object.values(accountState).map((column) => column.read(db, name)));
  assert.deepEqual(await account('main'), [11, 12, '482a0396a291', 13, null, null]);
  assert.deepEqual(await account('other'), [null, null, null, null, '{"w1":"3.50"}', null]);
  const job = (name: string) =>
    Promise.all(
      [
        jobState.knownSince,
        jobState.lookedAt,
        jobState.slotsDroppedUntil,
        jobState.usedFolder,
        jobState.ignoredEntries,
      ].map((column) => column.read(db, name)),
    );
  assert.deepEqual(await job('payroll'), [21, 22, 23, '/in', null]);
  assert.deepEqual(await job('promo'), [null, null, null, null, '["x"]']);
  assert.deepEqual(await findUnprocessedFiles(db, 'payroll'), left);
  assert.deepEqual(await retriesGivenUp(db, 'payroll'), givenUp);
  assert.equal((await findSlot(db, 'payroll', 77))?.troubled_ms, 31);
  const reasons = [{ code: 'SLOT_TROUBLE', values: { code: '', error: 'late' } }];
  assert.deepEqual(await slotFaults(db, 'payroll', 77), [{ text: 'late', reasons }]);
  assert.deepEqual(await findRereadPlace(db, { batch_id: 'one', to: 900 }), { pages: 4, row_no: null });
  assert.deepEqual(await findRereadPlace(db, { batch_id: 'two', to: 900 }), { pages: 0, row_no: 17 });
  assert.equal(await findRereadPlace(db, { batch_id: 'two', to: 901 }), null, 'it has ended again');
  const row = { batch_id: 'one', row_no: 5 };
  assert.deepEqual(await findUnansweredLookup(db, row), { since: 41, last_at: 42 });
  assert.deepEqual([await namedEnds(db, row), await maximumKnownUntil(db, row)], [['EXPIRED'], 43]);
  assert.deepEqual([await namedEnds(db, { batch_id: 'two', row_no: 6 })], [[]]);
  assert.equal(await maximumKnownUntil(db, { batch_id: 'two', row_no: 6 }), 44);
});

test('a ledger without facts gets an empty state', async () => {
  const db = await migrated({});
  assert.deepEqual(await readLedgerState(db), { highest_clock_ms: 0, restored_at: null, news_since: null });
});

test('a throttle that an earlier version has stored is kept', async () => {
  const db = await migrated({
    'rate:told': pace({ toldToWait: wait, unreachableSince: null }),
    'rate:flat': pace({ throttleWait: wait, unreachableSince: 500 }),
    'rate:gate': pace({ gate: { throttle: wait, unreachableSince: null } }),
    'rate:oldest': JSON.stringify({ fence: 3, used: 1 }),
  });
  for (const account of ['told', 'flat', 'gate']) assert.deepEqual(await storedThrottleOf(db, account), wait, account);
  assert.equal(await storedThrottleOf(db, 'oldest'), null);
});

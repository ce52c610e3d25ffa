import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { contentRowRef } from '../../src/core/identity/ids.ts';
import type { EventWhy } from '../../src/core/state/event-whys.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { reorderBatch } from '../../src/engine/batches/reorder.ts';
import { nextGeneration } from '../../src/engine/payments/next-generation.ts';
import { insertAnchor } from '../../src/ledger/audit/anchors.ts';
import { chainHash, pageEvents } from '../../src/ledger/audit/events.ts';
import { findBatch } from '../../src/ledger/batches/batches.ts';
import { forgetRows } from '../../src/ledger/batches/forget-rows.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { writeRefund } from '../../src/ledger/rows/refunds.ts';
import { findRow, type RowRecord } from '../../src/ledger/rows/rows.ts';
import { inUnit } from '../../src/ledger/unit-of-work.ts';
import { writeReports } from '../../src/reports/reports.ts';
import { openSigningKey } from '../../src/reports/versions/signing-key.ts';
import { InputError } from '../../src/verify/input/findings.ts';
import { type Verification, type VerifyOptions, verifyReports } from '../../src/verify/verify.ts';
import {
  completedWay,
  failedWay,
  invalidRow,
  newBatch,
  newRow,
  type Step,
  signedBy,
  startMs,
  testClock,
  testLedger,
  writeBatch,
  writeSampleBatch,
} from '../reports/fixture.ts';
import { giveBack } from '../reports/late.ts';
import { folderOf } from '../support/folder.ts';
import { placedLedger } from '../support/ledger.ts';
import { makePack, type Pack, signAnew } from './pack.ts';

test('unchanged reports verify, and the result names the key', async (t) => {
  const pack = await makePack(t);
  const result = await verifyReports(pack.dir, { publicKey: pack.key.publicKey });
  assert.deepEqual(result.findings, []);
  assert.deepEqual([result.ok, result.batch_id, result.rows, result.events], [true, 'B-1', 10, 31]);
  const { run_id, file_name, status } = result;
  assert.deepEqual([run_id, file_name, status], ['payroll-2026-11', 'payroll.csv', 'completed']);
  assert.equal(result.key_fingerprint, pack.key.fingerprint);
});

test('masked reports verify too', async (t) => {
  const pack = await makePack(t, { mask: true });
  assert.deepEqual((await verifyReports(pack.dir)).findings, []);
  assert.equal(pack.files.has('failed.csv'), false);
});

test('masked reports of a file without references verify, also with the service’s list, and the result says that keys are left out', async (t) => {
  const db = await testLedger(t);
  const rows = [1, 2, 3].map((rowNo) => {
    const row = newRow('B-1', rowNo);
    return { ...row, row_ref: contentRowRef([row.phone_number, row.amount, row.currency, row.product_id], 1) };
  });
  await writeBatch(
    db,
    newBatch('B-1'),
    rows.map((row) => ({ row, way: completedWay(row.row_no) })),
  );
  const folder = folderOf(t);
  const { dir } = await writeReports(db, 'B-1', folder, {
    ...signedBy(db, await openSigningKey(join(folder, 'key.pem'))),
    mask: true,
  });
  const serviceList = join(folder, 'list.jsonl');
  const entries = rows.map(({ row_no, row_ref }) =>
    serviceEntry(row_no, { reference: `payroll-2026-11/${row_ref}`, status: 'completed' }),
  );
  await writeFile(serviceList, entries.join('\n'));
  const { findings, notes } = await verifyReports(dir, { serviceList });
  assert.deepEqual(findings, []);
  assert.ok(notes.includes('The keys of 3 rows are left out of the masked results: they were not checked.'));
  await writeFile(serviceList, entries.slice(1).join('\n'));
  const missing = await verifyReports(dir, { serviceList });
  assert.match(missing.findings[0]?.message ?? '', /row 1 is completed; the service's list does not have it/);
});

test('a masked row without an id that a person resolved as paid is found in the service’s list by its reference', async (t) => {
  const db = await testLedger(t);
  const way: Step[] = [['send', { attempts: 1, first_sent_at: startMs }], ['doubt'], ['complete', {}]];
  await writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1, { row_ref: 'NOV-1' }), way }]);
  const folder = folderOf(t);
  const key = await openSigningKey(join(folder, 'key.pem'));
  const { dir } = await writeReports(db, 'B-1', folder, { ...signedBy(db, key), mask: true });
  const serviceList = join(folder, 'list.jsonl');
  await writeFile(serviceList, serviceEntry(1, { reference: 'payroll-2026-11/NOV-1', status: 'completed' }));
  assert.deepEqual((await verifyReports(dir, { serviceList })).findings, []);
});

/** What verification finds where the ledger was edited before its reports were written. */
async function foundIn(
  t: TestContext,
  { edit = '', mask = false, prepare }: { edit?: string; mask?: boolean; prepare?: (db: Database) => Promise<void> },
): Promise<Verification> {
  const db = await testLedger(t);
  await (prepare ?? writeSampleBatch)(db);
  if (edit !== '') await db.execute(edit);
  const folder = folderOf(t);
  const { dir } = await writeReports(db, 'B-1', folder, {
    ...signedBy(db, await openSigningKey(join(folder, 'key.pem'))),
    mask,
  });
  return verifyReports(dir);
}

const digestFinding = /has other rows than were validated: .*;.*has other rows than were approved/;
const columnEdits: Record<string, RegExp> = {
  "rows SET amount = '900' WHERE row_no = 1": digestFinding,
  "rows SET phone_number = '+254733000000' WHERE row_no = 1": digestFinding,
  'rows SET network_id = 9 WHERE row_no = 1': digestFinding,
  "rows SET sms_message = 'Thanks' WHERE row_no = 1": digestFinding,
  "rows SET product_id = 'P' WHERE row_no = 9": digestFinding,
  "batches SET file_sha256 = 'f00'": /has f00 as the digest of the file; the audit chain says [0-9a-f]{64}\./,
  "batches SET content_sha256 = 'f00'": /has f00 as the digest of the rows; the audit chain says [0-9a-f]{64}\./,
  "batches SET created_by = 'mallory'": /has mallory as who submitted it; the audit chain says amina\./,
  "batches SET approved_by = 'mallory'": /has mallory as who approved it; the audit chain says brian\./,
  'batches SET created_at = created_at - 86400000': /has 2026-10-31T08:00:00.000Z as when it was submitted/,
  'batches SET approved_at = approved_at - 86400000': /has 2026-10-31T08:00:00.000Z as when it was approved/,
  "batches SET service = 'https://elsewhere.example'":
    /has https:\/\/elsewhere\.example as the service; the audit chain says https:\/\/service\.example\./,
  'batches SET started_at = started_at - 86400000': /has 2026-10-31T08:00:00.000Z as when it began/,
  'batches SET completed_at = completed_at - 86400000': /has 2026-10-31T08:01:00.000Z as when it ended/,
  "batches SET balance_before = replace(balance_before, '100', '101')":
    /has 101 in wallet USD-global before the batch; the audit chain says 100\./,
  "batches SET balance_after = replace(balance_after, 'USD-global', 'USD-local')":
    /has nothing in wallet USD-global after the batch; the audit chain says 94\.4\.;.*has 94\.4 in wallet USD-local after/,
  'batches SET approvals_needed = 2': /needs 2 approvals; the audit chain says 0\./,
  "rows SET cost = '3' WHERE row_no = 8":
    /row 8 has the payment topup-8 and the cost USD 3; event \d+ of the audit chain has another payment or cost\./,
  "rows SET topup_id = 'another' WHERE row_no = 8":
    /row 8 has the payment another and the cost USD 0; event \d+ of the audit chain has another/,
  'rows SET topup_id = NULL, cost = NULL WHERE row_no = 1':
    /row 1 has no payment and no cost; event \d+ of the audit chain has another/,
  'rows SET completed_at = completed_at - 86400000 WHERE row_no = 1':
    /row 1 has another end time, .* than the audit chain/,
  'rows SET completed_at = NULL WHERE row_no = 8': /row 8 has another end time, .* than the audit chain/,
  "rows SET service_status = 'TIMEOUT' WHERE row_no = 8": /row 8 has .* status at the service .* than the audit chain/,
  "rows SET cost = '3', cost_currency = 'USD' WHERE row_no = 10":
    /row 10 has cost, cost_currency, and was never paid: it is skipped/,
  'rows SET attempts = 2 WHERE row_no = 1': /row 1 has 2 attempts; the audit chain says 1\./,
  'rows SET attempts = 1, first_sent_at = 1 WHERE row_no = 10':
    /row 10 has 1 attempts; .* says 0\.;row 10 has 1970-01-01T00:00:00.001Z as when it was first sent; .* says nothing\./,
  'rows SET first_sent_at = first_sent_at - 86400000 WHERE row_no = 1':
    /row 1 has 2026-10-31T08:00:01.000Z as when it was first sent; the audit chain says 2026-11-01T08:00:01.000Z\./,
  'rows SET first_sent_at = NULL WHERE row_no = 8':
    /row 8 has nothing as when it was first sent; .* says 2026-11-01T08/,
  "batches SET status = 'running'": /has running as its state; the audit chain says completed\./,
  "rows SET refunded_at = 1, refund_amount = '0.80', refund_currency = 'USD' WHERE row_no = 1":
    /counts 1 refunded rows; the audit chain has 0\.;.*another sum of USD refunded than/,
};

for (const [edit, expected] of Object.entries(columnEdits)) {
  test(`reports of an edited ledger are found by its chain: UPDATE ${edit}`, async (t) => {
    const { findings } = await foundIn(t, { edit: `UPDATE ${edit}` });
    assert.match(findings.map(({ message }) => message).join(';'), expected);
  });
}

test('an invalid row that was deleted from the ledger, or added to it, is found by the chain', async (t) => {
  const count = 'INSERT INTO rows (batch_id, row_no, line, status, input, problems, generation, attempts)';
  const one = `SELECT batch_id, 11, 12, status, input, problems, generation, attempts FROM rows WHERE row_no = 9`;
  const edits = {
    'DELETE FROM rows WHERE row_no = 9': [9, 0],
    [`${count} ${one}`]: [11, 2],
  };
  for (const [edit, [rows, invalid]] of Object.entries(edits)) {
    const { findings } = await foundIn(t, { edit });
    const said = findings.map(({ message }) => message).join(';');
    assert.match(said, new RegExp(`counts ${rows} rows; the audit chain says that 10 were read`));
    assert.match(said, new RegExp(`has ${invalid} rows that were invalid when the file was read; .* says 1\\.`));
  }
});

test('a sum that is not the approved one is found in masked reports too, and the result says what cannot be checked', async (t) => {
  const { ok, notes } = await foundIn(t, { mask: true });
  assert.deepEqual(
    [ok, notes],
    [true, ['The rows are masked: their digest was not checked against the chain; counts and sums were.']],
  );
  const { findings } = await foundIn(t, { mask: true, edit: "UPDATE rows SET amount = '900' WHERE row_no = 1" });
  assert.deepEqual(
    findings.map(({ message }) => message),
    [
      'has another sum in KES than the one that was approved.',
      'row 1 has 900 as its amount, and 100.50 as input_amount: it was read as another amount, or one of the two was changed.',
    ],
  );
});

test('rows released or held later, messages, references like formulas and products verify', async (t) => {
  const prepare = (db: Database) =>
    writeBatch(db, newBatch('B-1'), [
      { row: newRow('B-1', 1, { row_ref: '=ref', sms_message: '-10% "off",\nsee you' }), way: completedWay(1) },
      { row: newRow('B-1', 2, { status: 'held' }), way: [['release', {}], ...completedWay(2)] },
      { row: newRow('B-1', 3, { amount: null, currency: null, product_id: '+data' }), way: completedWay(3) },
      { row: newRow('B-1', 4, { status: 'skipped' }) },
      { row: invalidRow('B-1', 5, { sms_message: "it's" }) },
    ]);
  assert.deepEqual((await foundIn(t, { prepare })).findings, []);
  assert.deepEqual((await foundIn(t, { prepare, mask: true })).findings, []);
});

const retried: Step = ['retry', nextGeneration({ generation: 1 }, null)];

test('reports of a cancelled batch with held rows verify', async (t) => {
  const db = await testLedger(t);
  const problem = { code: 'DUPLICATE', line: 2, column: null, value: null, message: 'Twice.', suggestion: 'Skip it.' };
  const rows = [1, 2].map((rowNo) => ({
    row: newRow('B-1', rowNo, rowNo === 1 ? { status: 'held', problems: JSON.stringify([problem]) } : {}),
    way: [['cancel', {}]] as Step[],
  }));
  await writeBatch(db, newBatch('B-1'), rows, null);
  await inUnit(db, { clock: systemClock, actor: 'mary' }, async (unit) => {
    const batch = await findBatch(unit.tx, 'B-1');
    assert.ok(batch);
    await unit.changeBatch(batch, 'cancel', {}, { why: 'the wrong month' });
  });
  const folder = folderOf(t);
  const { dir } = await writeReports(db, 'B-1', folder, signedBy(db, await openSigningKey(join(folder, 'key.pem'))));
  assert.deepEqual((await verifyReports(dir)).findings, []);
});

test('a failed row that was reopened, and then held or skipped before it was sent again, verifies', async (t) => {
  const opened: Step[] = [...failedWay(1), retried];
  const held: Step = ['hold', { problems: '[]' }];
  const prepare = (db: Database) =>
    writeBatch(
      db,
      newBatch('B-1'),
      [opened, [...opened, held], [...opened, held, ['skip', {}]]].map((way, index) => ({
        row: newRow('B-1', index + 1),
        way: way as Step[],
      })),
      null,
    );
  assert.deepEqual((await foundIn(t, { prepare })).findings, []);
});

test('a retried row whose request was rejected, and whose earlier payment may have arrived, verifies while it waits, and after', async (t) => {
  const sentBack: Step[] = [
    ...failedWay(1),
    retried,
    ['send', { attempts: 1, first_sent_at: startMs + 5_000 }],
    ['unsent', { attempts: 0 }],
  ];
  const held: Step = ['hold', { problems: '[]', service_status: 'completed', first_sent_at: startMs + 1_000 }];
  const released: Step = ['release', {}];
  const ways = [sentBack, [...sentBack, held], [...sentBack, held, ['skip', {}]], [...sentBack, held, released]];
  const prepare = (db: Database) =>
    writeBatch(
      db,
      newBatch('B-1'),
      ways.map((way, index) => ({ row: newRow('B-1', index + 1), way: way as Step[] })),
      null,
    );
  assert.deepEqual((await foundIn(t, { prepare })).findings, []);
});

/**
 * Ways in which a row is sent more than once, or was before, each with its attempts and when it was first sent as
 * results tell them.
 */
const sent = (seconds: number, attempts = 1): Step => ['send', { attempts, first_sent_at: startMs + seconds * 1_000 }];
const again: Step = ['send', { attempts: 2 }];

const refusedForNow: Step = ['unsent', { attempts: 0 }];
const nobodyReached: Step = ['unsent', {}, { outcome: 'not_sent' }];
const borne = { service_status: 'completed', first_sent_at: startMs + 1_000 };
const waysOfSending: Record<string, { way: Step[]; attempts: string; seconds: number | null }> = {
  'refused for now': { way: [sent(1), refusedForNow], attempts: '0', seconds: 1 },
  'refused for now, then sent': { way: [sent(1), refusedForNow, sent(9)], attempts: '1', seconds: 9 },
  'reaching nobody, then sent': { way: [sent(1), nobodyReached, sent(9, 2)], attempts: '2', seconds: 9 },
  'sent again out of a doubt': { way: [sent(1), ['doubt'], again], attempts: '2', seconds: 1 },
  'sent again out of a doubt, and refused for now': {
    way: [sent(1), ['doubt'], again, ['doubt', { attempts: 2 }]],
    attempts: '2',
    seconds: 1,
  },
  retried: { way: [...failedWay(1), retried], attempts: '0', seconds: null },
  'retried and sent': { way: [...failedWay(1), retried, sent(9)], attempts: '1', seconds: 9 },
  'held for an earlier payment': {
    way: [...failedWay(1), retried, ['hold', { problems: '[]', ...borne }]],
    attempts: '0',
    seconds: null,
  },
  'held for an earlier payment, released and sent': {
    way: [...failedWay(1), retried, ['hold', borne], ['release'], sent(9), ['doubt', { service_status: null }]],
    attempts: '1',
    seconds: 9,
  },
  'found by a restored ledger': { way: [['doubt', { first_sent_at: startMs - 5_000 }]], attempts: '0', seconds: -5 },
};

for (const [name, { way, attempts, seconds }] of Object.entries(waysOfSending)) {
  test(`the number and the times of sends of a row are bound by the chain: ${name}`, async (t) => {
    const prepare = (db: Database) => writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1), way }], null);
    assert.deepEqual((await foundIn(t, { prepare })).findings, []);
    assert.deepEqual((await foundIn(t, { prepare, mask: true })).findings, []);
    const more = await foundIn(t, { prepare, edit: 'UPDATE rows SET attempts = attempts + 1' });
    const counts = `row 1 has ${Number(attempts) + 1} attempts; the audit chain says ${attempts}.`;
    assert.equal(more.findings[0]?.message, counts);
    const first = seconds === null ? 'nothing' : new Date(startMs + seconds * 1_000).toISOString();
    const earlier = await foundIn(t, { prepare, edit: 'UPDATE rows SET service_status = NULL, first_sent_at = 1' });
    const times = `has 1970-01-01T00:00:00.001Z as when it was first sent; the audit chain says ${first}.`;
    assert.ok(earlier.findings.some(({ message }) => message === `row 1 ${times}`));
  });
}

test('the first time a row was sent is not compared if an older chain does not have it', async (t) => {
  const chains: Step[][] = [
    [
      sent(1),
      ['unsent', { attempts: 0 }],
      sent(9),
      ['complete', { first_sent_at: startMs + 1_000 }, { completed_at: undefined }],
    ],
    [['doubt', { first_sent_at: startMs - 5_000 }, { first_sent_at: undefined }]],
    [...failedWay(1), retried, ['hold', borne, { first_sent_at: undefined }]],
  ];
  for (const way of chains) {
    const prepare = (db: Database) => writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1), way }], null);
    assert.deepEqual((await foundIn(t, { prepare })).findings, []);
  }
});

const cellsOfNobody: [rowNo: number, column: string, value: string, says: RegExp][] = [
  [10, 'idempotency_key', '0b5e0f26-9a3c-5f5e-8a51-2f4b7c9d1e00', /^row 10 has a key or reference, and was never sent/],
  [10, 'reference', 'payroll-2026-11/R-10', /^row 10 has a key or reference, and was never sent/],
  [10, 'topup_id', 'topup-10', /^row 10 has topup_id, and was never paid: it is skipped/],
  [10, 'service_status', 'completed', /^row 10 has service_status, and was never paid: it is skipped/],
  [9, 'provider_reference', 'P-9', /^row 9 has provider_reference, and was never paid: it is invalid/],
  [9, 'completed_at', '2026-11-01T08:00:01.000Z', /^row 9 has completed_at, and was never paid: it is invalid/],
  [9, 'failure_code', 'PHONE_MISSING', /^has 1 as problems\.PHONE_INVALID; by its rows and times it is 0/],
  [8, 'failure_code', 'TIMEOUT', /^row 8 has another end time, .* or failure code than the audit chain/],
  [8, 'failure_reason', 'The number is barred', /^row 8 has another failure reason than the audit chain/],
  [1, 'failure_reason', '7', /^row 1 has another failure reason than the audit chain/],
];

for (const [rowNo, column, value, says] of cellsOfNobody) {
  test(`a cell of ${column} without an event of row ${rowNo} is found, even if signed with the right key`, async (t) => {
    const pack = await makePack(t);
    await pack.put(signAnew(pack, 'results.csv', withCell(pack, rowNo, column, value)));
    assert.match((await verifyReports(pack.dir)).findings[0]?.message ?? '', says);
  });
}

test('the person who resolved a row as paid, and the evidence, are bound by the chain, whatever numbers the evidence contains', async (t) => {
  const resolved = (evidence: string, told: string): Step[] => [
    sent(1),
    ['doubt'],
    [
      'complete',
      { completed_at: startMs + 9_000, failure_code: 'RESOLVED_PAID', failure_reason: `engine: ${evidence}` },
      { as: 'paid', evidence: told },
    ],
  ];
  const way = resolved('+254 712 000 001 has it, says "-Joe"', '[number] has it, says "-Joe"');
  const prepare = (db: Database) => writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1), way }], null);
  assert.deepEqual((await foundIn(t, { prepare })).findings, []);
  assert.deepEqual((await foundIn(t, { prepare, mask: true })).findings, []);
  for (const [edit, says] of [
    ["failure_reason = replace(failure_reason, 'engine', 'brian')", /row 1 has another failure reason/],
    ["failure_reason = replace(failure_reason, 'Joe', 'Ann')", /row 1 has another failure reason/],
    ['failure_code = NULL', /row 1 has .* failure code/],
  ] as const)
    assert.match((await foundIn(t, { prepare, edit: `UPDATE rows SET ${edit}` })).findings[0]?.message ?? '', says);
});

/** results.csv with another cell in one of its rows. */
function withCell(pack: Pack, rowNo: number, column: string, value: string): Buffer {
  const lines = String(pack.files.get('results.csv')).split('\n');
  const cells = (lines[rowNo] ?? '').split(',');
  cells[lines[0]?.split(',').indexOf(column) ?? -1] = value;
  lines[rowNo] = cells.join(',');
  return Buffer.from(lines.join('\n'));
}

test('forgotten rows verify, and the result says what cannot be checked', async (t) => {
  const prepare = async (db: Database) => {
    await writeSampleBatch(db);
    await inUnit(db, { clock: testClock(), actor: 'amina' }, async (unit) => {
      await forgetRows(unit.tx, 'B-1', 1, 10);
      await unit.append('B-1', 'batch.forget', { why: 'retention', rows: 10 });
    });
  };
  const { findings, notes } = await foundIn(t, { prepare });
  assert.deepEqual(findings, []);
  assert.match(notes.join(), /^The rows no longer name people: their digest was not checked/);
});

test('refunds are compared with the chain, in both forms in which they are recorded', async (t) => {
  const prepare = async (db: Database) => {
    await writeSampleBatch(db);
    const options = { clock: { ...testClock(), now: () => startMs + 120_000 }, actor: 'engine' };
    await inUnit(db, options, async (unit) => {
      const refund = {
        topup_id: 'topup-1',
        amount: '0.30',
        currency: 'USD',
        status: 'completed',
        refunded_at: unit.at,
      };
      await unit.append('B-1', 'row.refund', refund, 1);
      await unit.append('B-1', 'row.refund', { ...refund, amount: '0.20' }, 1);
      const why: EventWhy = 'the row cost 0.80 USD, and the service now says 0.00 USD';
      const gone = { why, service_status: 'completed', cost: '0.00', cost_currency: 'USD' };
      await unit.append('B-1', 'row.changed_late', gone, 2);
      await unit.append('B-1', 'row.changed_late', { ...gone, cost: '0.70' }, 3);
      // A payment that the service calls failed by now costs nothing, as one that failed at once: no money came back
      // for it.
      await unit.append('B-1', 'row.changed_late', { ...gone, service_status: 'failed' }, 4);
      for (const rowNo of [5, 6])
        await unit.append('B-1', 'row.changed_late', { ...gone, service_status: 'SUCCESS' }, rowNo);
      const back = { refunded_at: unit.at, refund_currency: 'USD' };
      for (const [rowNo, refund_amount] of [
        [1, '0.30'],
        [2, '0.80'],
        [5, '0.80'],
        [6, '0.80'],
      ] as const) {
        const row = (await findRow(unit.tx, 'B-1', rowNo)) as RowRecord;
        await writeRefund(unit.tx, row, { ...back, refund_amount });
      }
    });
  };
  assert.deepEqual((await foundIn(t, { prepare })).findings, []);
  const { findings } = await foundIn(t, {
    prepare,
    edit: 'UPDATE rows SET refunded_at = NULL, refund_amount = NULL, refund_currency = NULL WHERE row_no = 1',
  });
  assert.match(
    findings.map(({ message }) => message).join(),
    /counts 3 refunded rows; .* chain has 4\..*another sum of USD/,
  );
  for (const edit of ['refunded_at = refunded_at - 86400000', "refund_currency = 'KES'"]) {
    const { findings: told } = await foundIn(t, { prepare, edit: `UPDATE rows SET ${edit} WHERE row_no = 2` });
    const message = 'row 2 has another refund than the audit chain.';
    assert.equal(told[0]?.message, message);
  }
  const moved = (was: string) => `CASE row_no WHEN 1 THEN NULL ELSE ${was} END`;
  const elsewhere = await foundIn(t, {
    prepare,
    edit: `UPDATE rows SET refunded_at = ${moved(String(startMs + 120_000))}, refund_amount = ${moved("'0.30'")}, refund_currency = ${moved("'USD'")}
           WHERE row_no IN (1, 3)`,
  });
  assert.deepEqual(
    elsewhere.findings.map(({ message }) => message),
    [1, 3].map((rowNo) => `row ${rowNo} has another refund than the audit chain.`),
  );
});

test('a file that the manifest does not name is found', async (t) => {
  const pack = await makePack(t);
  await writeFile(join(pack.dir, 'results-final.csv'), 'x');
  assert.deepEqual(
    (await verifyReports(pack.dir)).findings.map(({ file }) => file),
    ['results-final.csv'],
  );
});

test('a failed.csv that was corrected in place, or is gone, is found, and the result says that nothing else is wrong', async (t) => {
  const pack = await makePack(t);
  const edited = Buffer.from('corrected');
  const foundAfter = async (changes: [string, Buffer | null][]) => {
    await pack.put(new Map(changes));
    const { ok, findings, notes } = await verifyReports(pack.dir);
    return [ok, findings.length, notes.some((note) => note.startsWith('Only failed.csv was changed or removed'))];
  };
  assert.deepEqual(await foundAfter([['failed.csv', edited]]), [false, 1, true]);
  assert.deepEqual(await foundAfter([['failed.csv', null]]), [false, 1, true]);
  const rows: [string, Buffer][] = ['failed.csv', 'failed.xlsx'].map((name) => [name, edited]);
  await pack.put(new Map(rows));
  const { findings, notes } = await verifyReports(pack.dir);
  assert.equal(findings.length, 2);
  assert.ok(
    notes.some((note) => note.startsWith('Only failed.csv and failed.xlsx were changed')),
    notes.join('\n'),
  );
  assert.deepEqual(await foundAfter([['report.html', edited]]), [false, 1, false]);
  const both: [string, Buffer][] = ['failed.csv', 'report.html'].map((name) => [name, edited]);
  assert.deepEqual(await foundAfter(both), [false, 2, false]);
});

test('a missing event is one finding, with its number, and the events after it are not at fault', async (t) => {
  const pack = await makePack(t);
  const lines = (await readFile(join(pack.dir, 'events.jsonl'), 'utf8')).split('\n');
  await pack.put(new Map([['events.jsonl', Buffer.from(lines.toSpliced(2, 1).join('\n'))]]));
  const { findings } = await verifyReports(pack.dir);
  const ofChain = findings.filter(({ file, message }) => file === 'events.jsonl' && !/manifest/.test(message));
  assert.deepEqual(
    ofChain.map(({ message }) => message),
    ['line 3 has event 4, not 3: events are missing, added or moved.'],
  );
});

test('the result lists as checked only what passed', async (t) => {
  const pack = await makePack(t);
  const checkedWith = async (options: VerifyOptions) => (await verifyReports(pack.dir, options)).checked.join('\n');
  const other = await openSigningKey(join(folderOf(t), 'other.pem'));
  const sentences = {
    signed: /signed by the given key/,
    files: /no other file\. The content of report\.html, results\.xlsx, failed\.csv and failed\.xlsx was not checked/,
    chain: /unbroken/,
    rows: /Each row/,
  };
  const held = async (options: VerifyOptions) => {
    const checked = await checkedWith(options);
    return Object.entries(sentences).flatMap(([name, sentence]) => (sentence.test(checked) ? [name] : []));
  };
  const { publicKey } = pack.key;
  assert.deepEqual(await held({ publicKey }), ['signed', 'files', 'chain', 'rows']);
  assert.deepEqual(await held({ publicKey: other.publicKey }), ['files', 'chain', 'rows']);
  await pack.put(new Map([['events.jsonl', Buffer.from('{}\n')]]));
  assert.deepEqual(await held({ publicKey }), ['signed']);
  await pack.put(new Map());
  const anchors = join(folderOf(t), 'heads.jsonl');
  await writeFile(anchors, JSON.stringify({ batch_id: 'B-1', events: 3, head: 'other' }));
  assert.doesNotMatch(await checkedWith({ anchors }), /every head/);
  await writeFile(join(pack.dir, 'results-final.csv'), 'x');
  assert.deepEqual(await held({ publicKey }), ['signed', 'chain', 'rows']);
});

test('a wrong file to compare with is refused by its name', async (t) => {
  const pack = await makePack(t);
  const path = join(folderOf(t), 'given');
  const refused = async (content: string, options: VerifyOptions, expected: RegExp) => {
    await writeFile(path, content);
    await assert.rejects(verifyReports(pack.dir, options), (error) => {
      assert.ok(error instanceof InputError);
      assert.match(error.message, expected);
      return true;
    });
  };
  for (const events of [0, 90.5, -1, '3', null]) {
    const head = JSON.stringify({ batch_id: 'B-1', events, head: 'x' });
    await refused(`\n${head}\n`, { anchors: path }, /^line 2 of .*given is no head of a chain: "events": /);
  }
  await refused('no json', { anchors: path }, /^line 1 of .*given is no head of a chain: /);
  await refused('no json', { serviceList: path }, /^.*given cannot be read as the service's list: /);
  await refused(
    '{"success":true,"data":[]}',
    { serviceList: path },
    /: a line is a whole answer; each line must be one/,
  );
  await refused('no database', { ledger: path }, /^.*given cannot be read as a ledger: /);
  await refused('', { publicKey: 'no key' }, /^the given key is not a key /);
});

test('a number of the summary that differs from the rows or the chain is found, even if signed with the right key', async (t) => {
  const pack = await makePack(t);
  const text = String(pack.files.get('summary.json'));
  for (const [was, is, says] of [
    ['"total": 10', '"total": 11', /counts 11 rows/],
    ['"valid": 8', '"valid": 9', /counts 9 valid rows; results\.csv has 8/],
    ['"completed": 7', '"completed": 6', /counts 6 rows as completed/],
    ['"rows": 0', '"rows": 1', /counts 1 refunded rows/],
    ['"events": 31', '"events": 32', /another point of the audit chain/],
    ['"with_product": 0', '"with_product": 1', /has 1 as rows\.with_product; by its rows and times it is 0/],
    ['"with_product_completed": 0', '"with_product_completed": 1', /as rows\.with_product_completed/],
    ['"rows_without_cost": 0', '"rows_without_cost": 1', /as charged\.rows_without_cost/],
    ['"oldest_sent_at": null', '"oldest_sent_at": "2026-11-01T08:00:00.000Z"', /as in_doubt\.oldest_sent_at/],
    ['"duration_ms": 60000', '"duration_ms": 1', /has 1 as times\.duration_ms; by its rows and times it is 60000/],
    ['"active_ms": 7500', '"active_ms": 60000', /has 60000 as times\.active_ms; by its rows and times it is 7500/],
    ['"sandbox": false', '"sandbox": true', /has true as sandbox/],
    ['"PHONE_INVALID": 1', '"PHONE_INVALID": 2', /has 2 as problems\.PHONE_INVALID; .* is 1/],
    ['"PHONE_INVALID": 1', '"PHONE_MISSING": 1', /has 1 as problems\.PHONE_MISSING; .* is 0/],
    [
      '"PROVIDER_DECLINED": {\n      "rows": 1',
      '"OTHER": {\n      "rows": 1',
      /has 1 as failures\.OTHER\.rows; .* is 0/,
    ],
    [
      '"reason": "The operator declined it',
      '"reason": "A person',
      /has "A person" as failures\.PROVIDER_DECLINED\.reason; .* it is "The operator declined it"\./,
    ],
    ['"reason": "The operator declined it', '"reason": "', /has nothing as failures\.PROVIDER_DECLINED\.reason/],
    ['"other_reasons": 0', '"other_reasons": 1', /as failures\.PROVIDER_DECLINED\.other_reasons/],
    ['"program": "airbatch', '"program": "another', /another program than the manifest/],
    ['summary/1', 'summary/2', /cannot be read/],
    [
      '"wallet_id": "USD-global",\n        "name": "USD-global wallet",\n        "currency": "USD"',
      '"wallet_id": "USD-global",\n        "name": "USD-global wallet",\n        "currency": "KES"',
      /has no explanation for the wallets in KES/,
    ],
  ] as const) {
    const changed = text.replace(was, is);
    assert.notEqual(changed, text, was);
    await pack.put(signAnew(pack, 'summary.json', Buffer.from(changed)));
    assert.match((await verifyReports(pack.dir)).findings.map(({ message }) => message).join('\n'), says);
  }
});

/** What verification finds where one file was edited, and all of it signed anew with the right key. */
async function foundAfter(pack: Pack, name: string, edit: (text: string) => string): Promise<string> {
  const text = String(pack.files.get(name));
  const changed = edit(text);
  assert.notEqual(changed, text, 'it is another text');
  await pack.put(signAnew(pack, name, Buffer.from(changed)));
  return (await verifyReports(pack.dir)).findings.map(({ file, message }) => `${file} ${message}`).join('\n');
}

test('a deadline that differs from the one of its file is found, even if signed with the right key', async (t) => {
  const pack = await makePack(t, { fields: { finish_by: startMs + 30_000 } });
  assert.deepEqual((await verifyReports(pack.dir)).findings, []);
  for (const [was, is, says] of [
    [
      '"finish_by": "2026-11-01T08:00:30.000Z"',
      '"finish_by": "2026-11-01T09:00:30.000Z"',
      /has 2026-11-01T09:00:30\.000Z as when it was due; the audit chain says 2026-11-01T08:00:30\.000Z/,
    ],
    ['"finish_by": "2026-11-01T08:00:30.000Z"', '"finish_by": null', /has nothing as when it was due/],
    ['    "finish_by": "2026-11-01T08:00:30.000Z",\n', '', /has nothing as when it was due/],
    ['"in_time": false', '"in_time": true', /has true as times\.in_time; by its rows and times it is false/],
  ] as const)
    assert.match(await foundAfter(pack, 'summary.json', (text) => text.replace(was, is)), says, was);
});

test('a deadline that a person set later is the one that counts', async (t) => {
  const pack = await makePack(t);
  const clock = { ...systemClock, now: () => startMs };
  await pack.db.execute(`UPDATE batches SET status = 'running' WHERE batch_id = 'B-1'`);
  await reorderBatch({ db: pack.db, clock, person: 'ann', through: 'cli' as const }, 'B-1', {
    finishBy: startMs + 90_000,
  });
  await pack.db.execute(`UPDATE batches SET status = 'completed' WHERE batch_id = 'B-1'`);
  const { dir } = await writeReports(pack.db, 'B-1', dirname(pack.dir), signedBy(pack.db, pack.key));
  assert.deepEqual((await verifyReports(dir)).findings, []);
  const { times } = JSON.parse(await readFile(join(dir, 'summary.json'), 'utf8'));
  assert.deepEqual([times.finish_by, times.in_time], ['2026-11-01T08:01:30.000Z', true]);
});

test('what left the wallets, and what is in doubt, must add up, even if signed with the right key', async (t) => {
  const pack = await makePack(t);
  for (const [was, is, says] of [
    [
      '"unexplained": "0"',
      '"unexplained": "3"',
      /an explanation of what left the wallets in [A-Z]{3} that does not add up/,
    ],
    ['"charged_by_other_batches": "0"', '"charged_by_other_batches": "1"', /in [A-Z]{3} that does not add up/],
    [
      '"charged_by_this_batch": "5.6"',
      '"charged_by_this_batch": "5"',
      /explains the wallets in USD with other charges/,
    ],
    ['"difference": "5.6"', '"difference": "5"', /has 5 as what left wallet USD-global, which held 100 and 94\.4/],
    ['"explained": true', '"explained": false', /contradicts its own numbers about whether the wallets are explained/],
    ['"left_to_person": 0', '"left_to_person": 1', /has other numbers in doubt/],
    [
      '"overdue": {\n    "rows": 0',
      '"overdue": {\n    "rows": 99',
      /has 99 as overdue\.rows; by its rows and times it is 0/,
    ],
    ['"in_doubt": {\n    "rows": 0', '"in_doubt": {\n    "rows": 2', /has other numbers in doubt/],
  ] as const) {
    assert.match(await foundAfter(pack, 'summary.json', (text) => text.replace(was, is)), says, was);
  }
});

test('a duplicate name, which readers interpret differently, is found, even if signed with the right key', async (t) => {
  const pack = await makePack(t);
  const twice = /is not written as the program writes it: it may have a name twice/;
  const approver = (text: string) => text.replace('"approved_by"', '"approved_by": "mallory",\n  "approved_by"');
  assert.match(await foundAfter(pack, 'summary.json', approver), twice);
  const actor = (text: string) => text.replace('"actor":"brian"', '"actor":"mallory","actor":"brian"');
  assert.match(
    await foundAfter(pack, 'events.jsonl', actor),
    /^events\.jsonl line \d+ is not written as the program writes it/,
  );
  const column = (text: string) => {
    const [header, ...rows] = text.trimEnd().split('\n');
    return `${[`status,${header}`, ...rows.map((row) => `completed,${row}`)].join('\n')}\n`;
  };
  assert.match(
    await foundAfter(pack, 'results.csv', column),
    /results\.csv cannot be read: it has the column "status" twice/,
  );
  const manifest = String(pack.files.get('manifest.json')).replace('{', '{\n  "masked": true,');
  const signature = Buffer.from(pack.key.sign(Buffer.from(manifest)));
  await pack.put(
    new Map([
      ['manifest.json', Buffer.from(manifest)],
      ['manifest.sig', signature],
    ]),
  );
  assert.match((await verifyReports(pack.dir)).findings[0]?.message ?? '', twice);
});

test('a rewritten chain is found by the heads that the reports list as anchored', async (t) => {
  const { dir, key, db } = await makePack(t);
  const chain = await pageEvents(db, 'B-1', 0, 100);
  const anchored = (events: number, head: string) =>
    insertAnchor(db, {
      batch_id: 'B-1',
      place: `url https://${events}.example`,
      events,
      head,
      anchored_at: startMs,
      receipt: null,
    });
  const found = async () => {
    await writeReports(db, 'B-1', dirname(dir), signedBy(db, key));
    return (await verifyReports(dir)).findings.map(({ file, message }) => `${file} ${message}`);
  };
  await anchored(10, chain[9]?.hash ?? '');
  assert.deepEqual(await found(), []);
  await anchored(20, 'another');
  await anchored(90, 'later');
  assert.deepEqual(await found(), [
    'events.jsonl event 20 is not the one that was anchored: the chain was rewritten.',
    `events.jsonl was cut short, or is of an older version: 90 events were anchored, and it has ${chain.length + 2}.`,
    'summary.json says that the audit chain is broken: event 20 differs from the anchored one (url https://20.example).',
  ]);
});

test('a summary that lacks members of its version is found, even if signed', async (t) => {
  const pack = await makePack(t);
  for (const [name, says] of [
    ['failures', /has nothing as failures\.PROVIDER_DECLINED\.reason|failures\.PROVIDER_DECLINED\.rows; by its rows/],
    ['problems', /has 0 as problems\.PHONE_INVALID; by its rows and times it is 1/],
    ['sandbox', /has nothing as sandbox; by its rows and times it is false/],
  ] as const) {
    const without = (text: string) => `${JSON.stringify({ ...JSON.parse(text), [name]: undefined }, null, 2)}\n`;
    assert.match(await foundAfter(pack, 'summary.json', without), says);
  }
});

test('results with an additional or missing column are found, even if signed', async (t) => {
  const pack = await makePack(t);
  const header = (change: (line: string) => string) => (text: string) => text.replace(/^[^\n]*/, change);
  const edits: [change: (text: string) => string, found: string][] = [
    [(text) => text.replaceAll('\n', ',\n'), 'its column 31, "", is not one of the results'],
    [header((line) => line.replace('input_name', 'approved')), 'its column 28, "approved", is not one of the results'],
    [header((line) => line.replace('product_id', 'product')), 'its column 8, "product", is not one of the results'],
    [
      header((line) => line.replace('cost,cost_currency', 'cost_currency,cost')),
      'its column 16, "cost_currency", is not one of the results',
    ],
  ];
  for (const [change, expected] of edits)
    assert.equal(await foundAfter(pack, 'results.csv', change), `results.csv cannot be read: ${expected}.`);
});

test('results without a refund that the chain has are found', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  await giveBack(db, 2);
  const folder = folderOf(t);
  const key = await openSigningKey(join(folder, 'key.pem'));
  const { dir } = await writeReports(db, 'B-1', folder, signedBy(db, key));
  const path = join(dir, 'results.csv');
  const lines = parse(await readFile(path)) as string[][];
  await writeFile(path, stringify(lines.map((line) => line.slice(0, -3))));
  const { findings } = await verifyReports(dir);
  assert.ok(findings.some(({ message }) => message === 'row 2 has no refund; the audit chain has one.'));
});

test('a file of another batch is reported as that, once', async (t) => {
  const pack = await makePack(t);
  const otherId = (text: string) => text.replaceAll('B-1', 'B-2');
  assert.equal(await foundAfter(pack, 'events.jsonl', otherId), 'events.jsonl is the chain of another batch, B-2.');
  assert.equal(await foundAfter(pack, 'summary.json', otherId), 'summary.json is of another batch, B-2.');
});

test('a number in results that should have none is found', async (t) => {
  const pack = await makePack(t, { mask: true });
  const named = (text: string) => text.replace(/2\*[^,]*/, '+254712000001');
  assert.match(
    await foundAfter(pack, 'results.csv', named),
    /row 1 has a phone number, although the rows are masked: nothing proves it/,
  );
});

test('reports without a manifest do not verify', async (t) => {
  const pack = await makePack(t);
  await pack.put(
    new Map([
      ['manifest.json', null],
      ['manifest.sig', null],
    ]),
  );
  const { ok, findings } = await verifyReports(pack.dir);
  assert.equal(ok, false);
  assert.deepEqual(findings, [
    { file: 'manifest.json', message: 'is not there.' },
    { file: 'manifest.sig', message: 'is not there.' },
  ]);
});

test('a missing or wrong signature names no signer', async (t) => {
  const pack = await makePack(t);
  for (const signature of [null, Buffer.alloc(64)]) {
    await pack.put(new Map([['manifest.sig', signature]]));
    const { ok, key_fingerprint } = await verifyReports(pack.dir);
    assert.deepEqual([ok, key_fingerprint], [false, null]);
  }
});

test('a chain that was cut and signed again is found by the ledger', async (t) => {
  const { db, place: ledger } = await placedLedger(folderOf(t));
  t.after(() => db.close());
  const pack = await makePack(t, { ledger: db });
  assert.equal((await verifyReports(pack.dir, { ledger })).ok, true);
  await pack.db.execute(`UPDATE events SET hash = 'other' WHERE seq = 31`);
  const { findings } = await verifyReports(pack.dir, { ledger });
  assert.deepEqual(
    findings.map(({ message }) => message),
    ['is not the audit chain of this ledger.'],
  );
  await pack.db.execute('DELETE FROM events');
  const gone = await verifyReports(pack.dir, { ledger });
  assert.deepEqual(
    gone.findings.map(({ message }) => message),
    ['ends with event 31, which this ledger does not have of the batch.'],
  );
});

test('a rewritten chain with all its hashes is found by a head that was anchored before', async (t) => {
  const { dir, key, db } = await makePack(t);
  const events = await pageEvents(db, 'B-1', 0, 100);
  const anchors = join(folderOf(t), 'heads.jsonl');
  const heads = [10, 20].map((seq) => JSON.stringify({ batch_id: 'B-1', events: seq, head: events[seq - 1]?.hash }));
  await writeFile(anchors, `${heads.join('\n')}\n`);
  assert.deepEqual((await verifyReports(dir, { anchors })).findings, []);

  await writeFile(
    anchors,
    `${heads.join('\n')}\n${JSON.stringify({ batch_id: 'B-1', events: 10, head: 'x' })}\n${heads[0]}\n`,
  );
  assert.match(String((await verifyReports(dir, { anchors })).findings[0]?.message), /anchored twice at event 10/);
  await writeFile(anchors, `${heads.join('\n')}\n`);

  // Somebody with the ledger and the key says of one event that another person did it, and has the reports made anew.
  let head = events[13]?.hash ?? '';
  for (const event of events.slice(14)) {
    const actor = event.seq === 15 ? 'somebody else' : event.actor;
    head = chainHash(head, { ...event, actor });
    await db.execute('UPDATE events SET actor = ?, hash = ? WHERE seq = ?', [actor, head, event.seq]);
  }
  await db.execute('UPDATE batches SET audit_head = ?', [head]);
  const anew = (await writeReports(db, 'B-1', folderOf(t), signedBy(db, key))).dir;
  assert.deepEqual((await verifyReports(anew)).findings, [], 'by themselves they are one piece');
  assert.deepEqual(
    (await verifyReports(anew, { anchors })).findings.map(({ message }) => message),
    ['event 20 is not the one that was anchored: the chain was rewritten.'],
  );
  // Beside what was given out before, they are not.
  await writeReports(db, 'B-1', dirname(dir), signedBy(db, key));
  assert.deepEqual(
    (await verifyReports(dir)).findings.map(({ message }) => message),
    ['does not continue from the end of version 1: the chain was rewritten.'],
  );
});

test('the result says which events no anchored head covers, so that the holder of the key could have rewritten them', async (t) => {
  const { dir, db, key } = await makePack(t);
  const chain = await pageEvents(db, 'B-1', 0, 100);
  const anchors = join(folderOf(t), 'heads.jsonl');
  const coveredBy = async (events: number) => {
    await writeFile(anchors, JSON.stringify({ batch_id: 'B-1', events, head: chain[events - 1]?.hash }));
    const { covered_events, coverage } = await verifyReports(dir, { anchors });
    return [covered_events, coverage];
  };
  const holder = 'the holder of the signing key could have rewritten';
  assert.deepEqual(await coveredBy(29), [
    29,
    `No anchored head covers the last 2 of 31 events: ${holder} everything after event 29.`,
  ]);
  assert.deepEqual(await coveredBy(31), [31, 'An anchored head covers all 31 events.']);
  const alone = await verifyReports(dir);
  assert.deepEqual(
    [alone.covered_events, alone.coverage],
    [0, `No anchor of this chain was given (--anchor FILE): without one, ${holder} all of it.`],
  );
  const head = { batch_id: 'B-1', place: 'file heads', events: 29, head: chain[28]?.hash ?? '' };
  await insertAnchor(db, { ...head, anchored_at: startMs, receipt: null });
  await writeReports(db, 'B-1', dirname(dir), signedBy(db, key));
  assert.equal(
    (await verifyReports(dir)).coverage,
    `These reports say that a head was anchored at event 29. Compare the chain with it (--anchor): until then, ${holder} all of it.`,
  );
});

test('reports that are older than the ledger are complete, and the result says what came since', async (t) => {
  const { db, place: ledger } = await placedLedger(folderOf(t));
  t.after(() => db.close());
  const pack = await makePack(t, { ledger: db });
  const { doubts, later } = await verifyReports(pack.dir, { ledger });
  assert.deepEqual([doubts, later], [[], { events: 0, kinds: {} }]);
  await inUnit(pack.db, { clock: testClock(), actor: 'engine' }, async (unit) => {
    await unit.append('B-1', 'row.refund', {}, 1);
    for (const rowNo of [1, 2]) await unit.append('B-1', 'row.changed_late', {}, rowNo);
  });
  const result = await verifyReports(pack.dir, { ledger });
  assert.deepEqual([result.ok, result.later], [true, { events: 3, kinds: { 'row.changed_late': 2, 'row.refund': 1 } }]);
  assert.deepEqual(result.doubts, [
    'The ledger has 3 events more of this batch (2 row.changed_late, 1 row.refund): these reports are older than it.',
  ]);
  await writeReports(pack.db, 'B-1', folderOf(t), signedBy(pack.db, pack.key));
  assert.match(
    String((await verifyReports(pack.dir, { ledger })).doubts),
    /\(1 batch\.report, .*older than it\. Version 2 was published since\.$/,
  );
});

test('a folder with the name of another batch is doubted, but not one with any other name', async (t) => {
  const pack = await makePack(t);
  const doubtsIn = async (name: string) => {
    const dir = join(pack.dir, '..', name);
    await cp(pack.dir, dir, { recursive: true });
    const { ok, doubts } = await verifyReports(dir);
    return [ok, doubts];
  };
  assert.deepEqual(await doubtsIn('evidence 2026'), [true, []]);
  assert.deepEqual(await doubtsIn('20261120-093000-4f2a'), [
    true,
    ['The folder has the name of batch 20261120-093000-4f2a, but these are the reports of batch B-1.'],
  ]);
});

function serviceEntry(rowNo: number, changes: object = {}): string {
  const amount = { value: 100.5, currency: 'KES' };
  const status = rowNo === 8 ? 'failed' : 'completed';
  return JSON.stringify({ id: `topup-${rowNo}`, status, reference: `payroll-2026-11/R-${rowNo}`, amount, ...changes });
}

const rowsAtService = [1, 2, 3, 4, 5, 6, 7, 8];

test('the service’s own list is compared payment by payment', async (t) => {
  const pack = await makePack(t);
  const serviceList = join(folderOf(t), 'list.jsonl');
  const findingsFor = async (lines: string[]) => {
    await writeFile(serviceList, lines.join('\n'));
    return (await verifyReports(pack.dir, { serviceList })).findings.map(({ message }) => message);
  };
  const whole = rowsAtService.map((rowNo) => serviceEntry(rowNo));
  assert.deepEqual(await findingsFor([...whole, serviceEntry(99, { reference: 'another-program' })]), []);
  assert.match((await findingsFor(whole.slice(1))).join(), /row 1 is completed; the service's list does not have it/);
  assert.match(
    (await findingsFor([...whole, serviceEntry(11)])).join(),
    /topup-11 under payroll-2026-11\/R-11, which no row accounts for/,
  );
  assert.match(
    (await findingsFor([...whole, serviceEntry(2, { id: 'other' })])).join(),
    /topup-2 and other under one reference/,
  );
  assert.match(
    (await findingsFor(whole.with(2, serviceEntry(3, { amount: { value: 100.49, currency: 'KES' } })))).join(),
    /row 3 has the amount 100\.50; the service has 100\.49 \(payment topup-3\)/,
  );
  assert.match(
    (await findingsFor(whole.with(3, serviceEntry(4, { status: 'pending' })))).join(),
    /row 4 is completed; the service has payment topup-4 as pending/,
  );
});

test('a reference that looks like a formula is found in the list as the service has it', async (t) => {
  const db = await testLedger(t);
  await writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1, { row_ref: 'a;=b' }), way: completedWay(1) }]);
  const folder = folderOf(t);
  const { dir } = await writeReports(db, 'B-1', folder, signedBy(db, await openSigningKey(join(folder, 'key.pem'))));
  const serviceList = join(folder, 'list.jsonl');
  await writeFile(serviceList, serviceEntry(1, { reference: 'payroll-2026-11/a;=b' }));
  assert.deepEqual((await verifyReports(dir, { serviceList })).findings, []);
});

test('of many findings a hundred are listed, with the number of the others', async (t) => {
  const pack = await makePack(t);
  const serviceList = join(folderOf(t), 'list.jsonl');
  const more = Array.from({ length: 130 }, (_, index) => serviceEntry(100 + index));
  await writeFile(serviceList, [...rowsAtService.map((rowNo) => serviceEntry(rowNo)), ...more].join('\n'));
  const { findings, findings_unlisted } = await verifyReports(pack.dir, { serviceList });
  assert.deepEqual([findings.length, findings_unlisted], [100, 30]);
});

test('a list may have a payment twice, as if pages overlap, and be larger than the memory', async (t) => {
  const pack = await makePack(t);
  const serviceList = join(folderOf(t), 'list.jsonl');
  const whole = rowsAtService.map((rowNo) => serviceEntry(rowNo)).join('\n');
  await writeFile(serviceList, `${whole}\n${whole}\n`);
  assert.deepEqual((await verifyReports(pack.dir, { serviceList })).findings, []);
  const more = Array.from({ length: 150_000 }, (_, index) => serviceEntry(100 + index));
  await writeFile(serviceList, `${whole}\n${more.join('\n')}\n`);
  const program = `
    import { verifyReports } from '${join(import.meta.dirname, '../../src/verify/verify.ts')}';
    const { findings } = await verifyReports('${pack.dir}', { serviceList: '${serviceList}' });
    console.log(findings.length, findings[0].message);`;
  const flags = ['--max-old-space-size=24', '--input-type=module', '--eval', program];
  assert.match(
    execFileSync(process.execPath, flags, { encoding: 'utf8' }),
    /^100 the service has topup-100 under payroll-2026-11\/R-100, which no row accounts for/,
  );
});

test('openssl can check the signature', async (t) => {
  const pack = await makePack(t);
  const keyPath = join(folderOf(t), 'public.pem');
  await writeFile(keyPath, pack.key.publicKey);
  const args = [
    'pkeyutl',
    '-verify',
    '-pubin',
    '-inkey',
    keyPath,
    '-rawin',
    '-in',
    'manifest.json',
    '-sigfile',
    'manifest.sig',
  ];
  try {
    assert.match(execFileSync('openssl', args, { cwd: pack.dir, encoding: 'utf8' }), /Verified Successfully/);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    t.skip('openssl is not installed');
  }
});

test('the key is made once, and only its owner can read it', async (t) => {
  const path = join(folderOf(t), 'deep', 'key.pem');
  const [first, second] = await Promise.all([openSigningKey(path), openSigningKey(path)]);
  assert.equal(first.fingerprint, second.fingerprint);
  assert.equal((await openSigningKey(path)).fingerprint, first.fingerprint);
  assert.deepEqual(await readdir(join(path, '..')), ['key.pem']);
});

test('the proof imports nothing of the program that it checks', async () => {
  const folder = join(import.meta.dirname, '../../src/verify');
  const names = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.ts'));
  assert.ok(names.length > 20);
  for (const name of names) {
    const path = join(folder, name);
    for (const [, from = ''] of (await readFile(path, 'utf8')).matchAll(/from '([^']+)'/g)) {
      if (from.startsWith('.'))
        assert.ok(resolve(path, '..', from).startsWith(`${folder}/`), `${name} imports ${from}`);
      else assert.match(from, /^(node:|zod$|csv-parse$)/, `${name} imports ${from}`);
    }
  }
});

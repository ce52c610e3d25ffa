import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { contentRowRef, idempotencyKey, otherContentRef } from '../../../src/core/identity/ids.ts';
import { withoutSpreadsheetGuard } from '../../../src/core/money/spreadsheet-safe.ts';
import type { Database, Queryable, SqlValue } from '../../../src/ledger/drivers/database.ts';
import type { NewRow } from '../../../src/ledger/rows/rows.ts';
import { writeReports } from '../../../src/reports/reports.ts';
import { batchSummary } from '../../../src/reports/summary/summary.ts';
import type { BatchSummary } from '../../../src/reports/summary/summary-shape.ts';
import { openSigningKey } from '../../../src/reports/versions/signing-key.ts';
import { verifyReports } from '../../../src/verify/verify.ts';
import { folderOf } from '../../support/folder.ts';
import { placedLedger, setPause } from '../../support/ledger.ts';
import {
  columns,
  completedWay,
  failedWay,
  invalidRow,
  newBatch,
  newRow,
  type Step,
  signedBy,
  startMs,
  testLedger,
  writeBatch,
  writeSampleBatch,
} from '../fixture.ts';

const ownColumns =
  'row,row_ref,status,phone_number,network_id,amount,currency,product_id,generation,attempts,topup_id,reference,' +
  'idempotency_key,service_status,provider_reference,cost,cost_currency,failure_code,failure_reason,first_sent_at,completed_at';

async function results(
  t: TestContext,
  db: Database,
  options = {},
): Promise<{ header: string[]; rows: Record<string, string>[] }> {
  const { dir } = await writeReports(db, 'B-1', folderOf(t), options);
  const [header = [], ...lines] = parse(await readFile(join(dir, 'results.csv'))) as string[][];
  return { header, rows: lines.map((line) => Object.fromEntries(line.map((cell, at) => [header[at] ?? '', cell]))) };
}

test('results.csv has its own columns first, then those of the file, and the line of the row in the file', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const { header } = await results(t, db);
  const inputs = columns.map((name) => `input_${name}`);
  assert.deepEqual(header, [...ownColumns.split(','), ...inputs, 'line', 'failure_column']);
});

test('every row of the file has its line, in file order', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const { rows } = await results(t, db);
  assert.deepEqual(
    rows.map(({ row }) => row),
    ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'],
  );
  assert.deepEqual(rows.map(({ status }) => status).slice(6), ['completed', 'failed', 'invalid', 'skipped']);
});

test('a paid row shows what was requested, its result, and its key and reference', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const { rows } = await results(t, db);
  const { row_ref, amount, reference, idempotency_key, cost, first_sent_at, completed_at, input_name } = rows[0] ?? {};
  assert.deepEqual(
    { row_ref, amount, reference, cost, first_sent_at, completed_at, input_name },
    {
      row_ref: 'R-1',
      amount: '100.50',
      reference: 'payroll-2026-11/R-1',
      cost: '0.80',
      first_sent_at: '2026-11-01T08:00:01.000Z',
      completed_at: '2026-11-01T08:00:01.900Z',
      input_name: 'Person 1',
    },
  );
  assert.equal(
    idempotency_key,
    idempotencyKey({ account: 'main', runId: 'payroll-2026-11', rowRef: 'R-1', generation: 1 }),
  );
});

test('a row that was never sent has neither key nor reference', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const { rows } = await results(t, db);
  assert.deepEqual(
    rows.slice(8).map(({ status, idempotency_key, reference }) => [status, idempotency_key, reference]),
    [
      ['invalid', '', ''],
      ['skipped', '', ''],
    ],
  );
});

test('a held row with an earlier payment shows the service’s answer, and neither key nor time of its own', async (t) => {
  const db = await testLedger(t);
  const hold: Step = ['hold', { problems: '[]', service_status: 'completed', first_sent_at: startMs - 1_000 }];
  await writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1), way: [hold] }], null);
  const [row] = (await results(t, db)).rows;
  assert.deepEqual(
    [row?.status, row?.service_status, row?.idempotency_key, row?.reference, row?.first_sent_at],
    ['held', 'completed', '', '', ''],
  );
});

test('an invalid row shows its problems as its failure', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const { rows } = await results(t, db);
  assert.equal(rows[8]?.failure_code, 'PHONE_INVALID');
  assert.equal(rows[8]?.failure_reason, '"0712" is too short to be a phone number.');
});

test('every row shows its line of the file, and the column of each problem', async (t) => {
  const db = await testLedger(t);
  const problem = (code: string, column: string | null) => ({
    code,
    column,
    message: 'Wrong.',
    suggestion: 'Correct.',
  });
  const problems = (...columns: (string | null)[]) =>
    JSON.stringify(columns.map((column, at) => problem(`CODE_${at}`, column)));
  await writeBatch(db, newBatch('B-1'), [
    { row: invalidRow('B-1', 1, { line: 2, problems: problems('Téléphone', null, 'Net pay') }) },
    { row: invalidRow('B-1', 2, { line: 5, problems: problems(null) }) },
    { row: newRow('B-1', 3, { line: 6, sms_message: 'Thanks' }), way: failedWay(3) },
  ]);
  const { header, rows } = await results(t, db);
  assert.deepEqual(header.slice(-3), ['sms_message', 'line', 'failure_column']);
  assert.deepEqual(
    rows.map(({ line, failure_code, failure_column }) => [line, failure_code, failure_column]),
    [
      ['2', 'CODE_0; CODE_1; CODE_2', 'Téléphone; ; Net pay'],
      ['5', 'CODE_0', ''],
      ['6', 'PROVIDER_DECLINED', ''],
    ],
  );
});

test('lines with too few or too many cells shift and lose nothing', async (t) => {
  const db = await testLedger(t);
  const short = invalidRow('B-1', 1, { input: JSON.stringify(['0712', '1']) });
  const long = invalidRow('B-1', 2, {
    input: JSON.stringify(['0712', '1', '5', 'KES', '', 'R', 'Ann', 'more', 'still more']),
  });
  await writeBatch(db, newBatch('B-1'), [
    { row: short },
    { row: long },
    { row: newRow('B-1', 3), way: completedWay(3) },
  ]);
  const { header, rows } = await results(t, db);
  assert.deepEqual(header.slice(-5, -2), ['input_name', 'input_column_8', 'input_column_9']);
  assert.deepEqual([rows[0]?.input_network_id, rows[0]?.input_amount, rows[0]?.input_name], ['1', '', '']);
  assert.deepEqual(
    [rows[1]?.input_name, rows[1]?.input_column_8, rows[1]?.input_column_9],
    ['Ann', 'more', 'still more'],
  );
  assert.equal(rows[2]?.input_name, 'Person 3');
});

test('no cell of a file becomes a formula, and line breaks, quotes and delimiters stay in their cell', async (t) => {
  const db = await testLedger(t);
  const name = '=HYPERLINK("http://x","a"),\r\nb\rc';
  const input = JSON.stringify(['+254712000001', '1', '100.50', 'KES', '', '@ref', name]);
  await writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1, { row_ref: '@ref', input }), way: completedWay(1) }]);
  const { rows } = await results(t, db);
  assert.equal(rows.length, 1);
  assert.equal(rows[0]?.input_name, `'${name}`);
  assert.equal(rows[0]?.row_ref, "'@ref");
  assert.equal(rows[0]?.phone_number, '+254712000001');
});

test('no part of a cell is a formula if semicolons separate cells; proof and intake read the original reference', async (t) => {
  const db = await testLedger(t);
  const ref = 'x;=HYPERLINK("http://x")';
  const input = JSON.stringify(['+254712000001', '1', '100.50', 'KES', '', ref, 'Ann;@SUM(A1)']);
  const rows = [1, 2].map((rowNo) => newRow('B-1', rowNo, { row_ref: rowNo === 1 ? ref : 'R-2', input }));
  const [paid, failed] = rows as [(typeof rows)[0], (typeof rows)[0]];
  await writeBatch(db, newBatch('B-1'), [
    { row: paid, way: completedWay(1) },
    { row: failed, way: failedWay(2) },
  ]);
  const folder = folderOf(t);
  const { dir } = await writeReports(db, 'B-1', folder, signedBy(db, await openSigningKey(join(folder, 'key.pem'))));
  for (const name of ['results.csv', 'failed.csv'])
    assert.doesNotMatch(await readFile(join(dir, name), 'utf8'), /[;\n]"*[=@]/, name);
  assert.deepEqual((await verifyReports(dir)).findings, []);
  const [, line = []] = parse(await readFile(join(dir, 'failed.csv')), { bom: true }) as string[][];
  assert.equal(withoutSpreadsheetGuard(line[5] ?? ''), ref);
});

test('the reports have the same bytes when they are written again', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const [first, second] = [folderOf(t), folderOf(t)];
  const { files } = await writeReports(db, 'B-1', first);
  await writeReports(db, 'B-1', second);
  await writeReports(db, 'B-1', second);
  for (const name of files) {
    assert.deepEqual(await readFile(join(first, 'B-1', name)), await readFile(join(second, 'B-1', name)), name);
  }
});

test('incomplete files of a killed process are deleted when reports are written again, but not those of a living process', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const folder = folderOf(t);
  const { dir } = await writeReports(db, 'B-1', folder);
  const { pid } = spawnSync(process.execPath, ['--version']);
  const [here, there] = [`@${hostname()}`, '@another-machine'];
  const [alive, silent, far] = [`${process.pid}${here}-b`, `${process.pid}${here}-c`, `${pid}${there}-d`];
  for (const name of [`${pid}${here}-a`, `${pid}-a`, 'AbC123', alive, silent, far]) {
    await mkdir(join(dir, `.making-${name}`));
    await writeFile(join(dir, `.making-${name}`, 'results.csv'), 'half');
  }
  const hourAgo = new Date(Date.now() - 3_600_000);
  for (const path of ['results.csv', '.']) await utimes(join(dir, `.making-${silent}`, path), hourAgo, hourAgo);
  await writeReports(db, 'B-1', folder);
  assert.deepEqual(
    (await readdir(dir)).filter((name) => name.startsWith('.')).sort(),
    [`.making-${alive}`, `.making-${far}`].sort(),
  );
});

test('only the owner can read reports', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const { dir, files } = await writeReports(db, 'B-1', folderOf(t));
  assert.equal((await stat(dir)).mode & 0o777, 0o700);
  for (const name of files) assert.equal((await stat(join(dir, name))).mode & 0o777, 0o600, name);
});

test('masked results show no phone number, neither ours nor the one of the file', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const { dir } = await writeReports(db, 'B-1', folderOf(t), { mask: true });
  const text = await readFile(join(dir, 'results.csv'), 'utf8');
  assert.doesNotMatch(text, /712000\d\d\d/);
  assert.match(text, /,2\*{8}001,/);
});

test('masked numbers have no formula protection in a spreadsheet', async (t) => {
  const db = await testLedger(t);
  const input = ['+254 712 000 001', '\uFF0B254712000001', '(+254) 712 000 001', '=1+2'];
  const batch = newBatch('B-1', { columns: JSON.stringify(['A', 'B', 'C', 'D']) });
  await writeBatch(
    db,
    batch,
    [{ row: newRow('B-1', 1, { input: JSON.stringify(input) }), way: completedWay(1) }],
    null,
  );
  const { rows } = await results(t, db, { mask: true });
  assert.equal(rows[0]?.phone_number, '2********001');
  assert.deepEqual(
    ['A', 'B', 'C', 'D'].map((name) => rows[0]?.[`input_${name}`]),
    ['*** *** *** 001', '*********001', '(***) *** *** 001', "'=1+2"],
  );
});

test('masked results have no name derived from a number, and nothing derived from such a name', async (t) => {
  const db = await testLedger(t);
  const made = contentRowRef(['+254712000001', '100.50', 'KES', null], 1);
  const references = [made, 'staff 254712000002', 'staff 17'];
  const rows = references.map((row_ref, at) => ({
    row: newRow('B-1', at + 1, { row_ref, input: '[]' }),
    way: completedWay(at + 1),
  }));
  const held = newRow('B-1', 4, { row_ref: otherContentRef(made, 2), status: 'held', input: '[]' });
  await writeBatch(db, newBatch('B-1'), [...rows, { row: held }], null);
  const named = async (options: object) =>
    (await results(t, db, options)).rows.map(({ row_ref, reference, idempotency_key }) => [
      row_ref,
      reference,
      idempotency_key !== '',
    ]);
  assert.deepEqual(await named({ mask: true }), [
    ['', '', false],
    ['staff *********002', 'payroll-2026-11/staff *********002', false],
    ['staff 17', 'payroll-2026-11/staff 17', true],
    ['', '', false],
  ]);
  assert.deepEqual((await named({}))[0], [made, `payroll-2026-11/${made}`, true]);
});

test('no sentence of a masked report has a name derived from a number', async (t) => {
  const db = await testLedger(t);
  const made = contentRowRef(['+254712000001', '100.50', 'KES', null], 1);
  const said = `but the service now reports its payment as completed (payroll-2026-11/${made}).`;
  const problem = { code: 'MAY_BE_PAID', column: null, message: said, suggestion: '' };
  const failure = { failure_code: 'DELIVERY_FAILED', failure_reason: `mary: ${said}` };
  const rows = [
    { row: newRow('B-1', 1, { row_ref: made, input: '[]' }), way: [['hold', { problems: JSON.stringify([problem]) }]] },
    {
      row: newRow('B-1', 2, { input: '[]' }),
      way: [
        ['send', {}],
        ['fail', failure],
      ],
    },
  ] as { row: NewRow; way: Step[] }[];
  await writeBatch(db, newBatch('B-1'), rows, null);
  await setPause(db, 'service_mismatch', { batchId: 'B-1', detail: said });
  const { dir } = await writeReports(db, 'B-1', folderOf(t), { mask: true });
  for (const file of ['results.csv', 'report.html', 'summary.json']) {
    const text = await readFile(join(dir, file), 'utf8');
    assert.match(text, /as completed \(payroll-2026-11\/\*+\)/, file);
    assert.equal(text.includes(made), false, file);
  }
});

test('masked reports of a file that is named after a number do not show that name', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db, 'B-1', { file_name: '2026-11-25 bonus of 0712345678.csv' });
  const { dir } = await writeReports(db, 'B-1', folderOf(t), { mask: true });
  for (const file of ['report.html', 'summary.json'])
    assert.match(await readFile(join(dir, file), 'utf8'), /2026-11-25 bonus of \[number\]\.csv/, file);
});

test('reports of an unknown batch are refused, and the message names it', async (t) => {
  const db = await testLedger(t);
  await assert.rejects(writeReports(db, 'nope', folderOf(t)), { code: 'BATCH_UNKNOWN' });
});

test('reports of a running batch agree with each other', async (t) => {
  const folder = folderOf(t);
  const { db } = await placedLedger(folder);
  t.after(() => db.close());
  await writeSampleBatch(db);
  // Between the first reading of the rows, which is summed up, and the next.
  let hasGoneOn = false;
  const goingOn = <View extends Queryable>(view: View): View => ({
    ...view,
    async values<Values extends readonly SqlValue[]>(sql: string, params?: readonly SqlValue[]) {
      const found = await view.values<Values>(sql, params);
      if (!hasGoneOn) await db.execute(`UPDATE rows SET status = 'failed' WHERE row_no = 1`);
      hasGoneOn = true;
      return found;
    },
  });
  const busy: Database = { ...goingOn(db), snapshot: (work) => db.snapshot((view) => work(goingOn(view))) };
  const { dir } = await writeReports(busy, 'B-1', folder);
  assert.equal(hasGoneOn, true);
  const { rows } = JSON.parse(await readFile(join(dir, 'summary.json'), 'utf8')) as BatchSummary;
  const csv = await readFile(join(dir, 'results.csv'), 'utf8');
  assert.equal(csv.match(/,completed,\+254/g)?.length, rows.by_status.completed);
  assert.equal((await batchSummary(db, 'B-1')).rows.by_status.completed, rows.by_status.completed - 1);
});

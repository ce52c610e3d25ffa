import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import { authorsOfDraft } from '../../../src/ledger/drafts/drafts.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import { showKey } from '../../../src/operations/proof/show-key.ts';
import { verifyReports } from '../../../src/operations/proof/verify-reports.ts';
import { writeReports } from '../../../src/operations/proof/write-reports.ts';
import { eraseLostUploads } from '../../../src/runtime/drafts/erase-drafts.ts';
import { folderOf } from '../../support/folder.ts';
import { draftsApi } from './drafts-fixture.ts';

const lines = [
  'name,phone_number,network_id,amount,currency',
  'Amina,0712345601,Safaricom,100,KES',
  'Brian,+254712345602,Safaricom,150,KES',
  'Carol,0712345603,Safaricom,200,KES',
  'Dan,+254712345604,Safaricom,oops,KES',
  'Brian,+254712345602,Safaricom,150,KES',
];
const file = `${lines.join('\n')}\n`;

interface Group {
  code: string;
  column: number | null;
  rows: number;
  fixes: { fix: string; value: string | null }[];
}

describe('drafts over HTTP', () => {
  test('a file is read as it is, and its problems are grouped with what may mend them', async (t) => {
    const { send } = await draftsApi(t);
    const first = await send('POST', '/api/v1/drafts', { file: { name: 'november.csv', bytes: file } });
    const made = { ...first, id: first.body.draft_id };
    assert.equal(made.status, 200, made.text);
    assert.deepEqual([made.body.rows, made.body.version, made.body.status], [5, 1, 'open']);
    const { status, body } = await send('GET', `/api/v1/drafts/${made.id}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      body.groups.map(({ code, column, rows }: Group) => [code, column, rows]),
      [
        ['PHONE_NEEDS_COUNTRY', 1, 2],
        ['AMOUNT_NOT_A_NUMBER', 3, 1],
        ['DUPLICATE', 1, 1],
      ],
    );
    assert.deepEqual(body.groups[0].fixes, [
      { fix: 'add_country_code', value: 'country' },
      { fix: 'exclude_rows', value: null },
    ]);
    assert.deepEqual(
      body.columns.map(({ name, field, values }: { name: string; field: string; values: string[] }) => [
        name,
        field,
        values[0],
      ]),
      [
        ['name', null, 'Amina'],
        ['phone_number', 'phone_number', '0712345601'],
        ['network_id', 'network_id', 'Safaricom'],
        ['amount', 'amount', '100'],
        ['currency', 'currency', 'KES'],
      ],
    );
    assert.deepEqual(body.totals.counts, { rows: 5, valid: 1, invalid: 3, held: 1, skipped: 0 });
  });

  test('a problem is in its column, also where a spreadsheet would run the name of the column as a formula', async (t) => {
    const { send, upload } = await draftsApi(t);
    const { id } = await upload('phone_number,network_id,currency,=amount\n+254712345601,Safaricom,KES,oops\n');
    const draft = (await send('GET', `/api/v1/drafts/${id}`)).body;
    assert.deepEqual(
      draft.groups.map(({ code, column, values }: Group & { values: { value: string }[] }) => [
        code,
        column,
        values[0],
      ]),
      [['AMOUNT_NOT_A_NUMBER', 3, { value: 'oops', rows: 1 }]],
      JSON.stringify(draft.rejection),
    );
  });

  test('the header stays as it is, with spaces or an empty name at its end', async (t) => {
    const { send, upload } = await draftsApi(t);
    const spaced = await upload(`phone_number,network_id,currency,amount \n+254712345601,Safaricom,KES,oops\n`);
    const { groups } = (await send('GET', `/api/v1/drafts/${spaced.id}`)).body;
    assert.deepEqual(
      groups.map(({ code, column }: Group) => [code, column]),
      [['AMOUNT_NOT_A_NUMBER', 3]],
    );
    const tabs = [
      ['phone_number', 'network_id', 'currency', 'amount', ''],
      ['+254712345601', 'Safaricom', 'KES', '5', 'Amina'],
    ];
    const unnamed = await upload(tabs.map((cells) => `${cells.join('\t')}\n`).join(''));
    const { totals } = (await send('GET', `/api/v1/drafts/${unnamed.id}`)).body;
    assert.equal(totals.counts.valid, 1);
  });

  test('a fix is shown before and after, mends a group in one step, and is undone and done again', async (t) => {
    const { send, upload } = await draftsApi(t);
    const { id } = await upload(file);
    await send('GET', `/api/v1/drafts/${id}`);
    const fix = { code: 'PHONE_NEEDS_COUNTRY', column: 1, fix: 'add_country_code', value: 'KE' };
    const preview = await send('POST', `/api/v1/drafts/${id}/fix`, { body: fix });
    assert.equal(preview.status, 200, preview.text);
    assert.deepEqual([preview.body.mended, preview.body.left], [2, 0]);
    assert.deepEqual(preview.body.examples[0], {
      row: 1,
      line: 2,
      column: 1,
      before: '0712345601',
      after: '+254712345601',
    });
    const done = await send('POST', `/api/v1/drafts/${id}/change`, { body: { fix } });
    assert.equal(done.status, 200, done.text);
    assert.equal(done.body.changed, 2);
    const codes = async () => (await send('GET', `/api/v1/drafts/${id}`)).body.groups.map(({ code }: Group) => code);
    assert.deepEqual(await codes(), ['AMOUNT_NOT_A_NUMBER', 'DUPLICATE']);
    const undone = await send('POST', `/api/v1/drafts/${id}/undo`);
    assert.deepEqual([undone.status, undone.body.moved.step, undone.body.undo], [200, 1, null]);
    assert.deepEqual(await codes(), ['PHONE_NEEDS_COUNTRY', 'AMOUNT_NOT_A_NUMBER', 'DUPLICATE']);
    const again = await send('POST', `/api/v1/drafts/${id}/redo`);
    assert.deepEqual([again.status, again.body.moved.step, again.body.redo], [200, 1, null]);
    assert.deepEqual(await codes(), ['AMOUNT_NOT_A_NUMBER', 'DUPLICATE']);
    const { body } = await send('GET', `/api/v1/drafts/${id}/changes`);
    assert.deepEqual(
      body.steps.map((step: Record<string, unknown>) => [step.kind, step.detail, step.cells, step.done_by]),
      [['fix', 'add_country_code', 2, 'clerk']],
    );
    const [first] = body.steps[0].changes;
    const at = { row: 1, line: 2, column: 1 };
    assert.deepEqual(first, { ...at, before: '0712345601', after: '+254712345601' }, 'as the preview has it');
  });

  test('whole amounts before a cell of three digits are kept by one fix, as no thousands that were split off', async (t) => {
    const { send, upload } = await draftsApi(t);
    const rows = ['601,750,901', '602,500,902', '603,90,x'].map((row) => `+254712345${row},Safaricom,KES`);
    const { id } = await upload(`phone_number,Net pay,Gross pay,network_id,currency\n${rows.join('\n')}\n`);
    const map = { amount: 'Net pay', phone_number: 'phone_number' };
    await send('POST', `/api/v1/drafts/${id}/change`, { body: { options: { map } } });
    const { body: draft } = await send('GET', `/api/v1/drafts/${id}`);
    const [{ code, column, rows: count, fixes }] = draft.groups;
    assert.deepEqual([code, count, fixes[0]], ['AMOUNT_AMBIGUOUS', 2, { fix: 'keep_amount', value: null }]);
    const fix = { code, column, fix: 'keep_amount' };
    assert.equal((await send('POST', `/api/v1/drafts/${id}/fix`, { body: fix })).body.mended, 2);
    await send('POST', `/api/v1/drafts/${id}/change`, { body: { fix } });
    const { body: then } = await send('GET', `/api/v1/drafts/${id}`);
    assert.deepEqual([then.groups, then.totals.sums], [[], { KES: '1340' }]);
  });

  test('a fix of whole rows is shown, too', async (t) => {
    const { send, upload } = await draftsApi(t, { intake: { country: 'KE' } });
    const { id } = await upload(`${file}Eve,0712345605,Safaricom,100,KES,x,y\n`);
    const { groups } = (await send('GET', `/api/v1/drafts/${id}`)).body;
    const { code, column } = groups.find((group: Group) => group.column === null);
    const preview = await send('POST', `/api/v1/drafts/${id}/fix`, { body: { code, column, fix: 'exclude_rows' } });
    assert.deepEqual([preview.body.mended, preview.body.examples[0].column], [1, null], preview.text);
  });

  test('a changed cell is checked at once, and two people do not overwrite each other', async (t) => {
    const { send, upload } = await draftsApi(t, { intake: { country: 'KE' } });
    const { id } = await upload(file);
    const change = `/api/v1/drafts/${id}/change`;
    const cells = [{ row: 4, column: 3, value: '250' }];
    const done = await send('POST', change, { body: { version: 1, cells } });
    assert.equal(done.status, 200, done.text);
    assert.deepEqual([done.body.version, done.body.rows[0].state, done.body.rows[0].problems], [2, 'ready', []]);
    const late = await send('POST', change, { body: { version: 1, cells: [{ row: 4, column: 3, value: '1' }] } });
    assert.deepEqual([late.status, late.body.code], [412, 'CHANGED_MEANWHILE']);
    const shown = await send('GET', `/api/v1/drafts/${id}`);
    assert.equal(shown.headers.etag, '"2"');
    const body2 = { cells: [{ row: 2, column: 0, value: 'Ben' }] };
    const stale = await send('POST', `/api/v1/drafts/${id}/change`, { body: body2, ifMatch: '"1"' });
    assert.deepEqual([stale.status, stale.body.code], [412, 'CHANGED_MEANWHILE']);
    const fresh = await send('POST', `/api/v1/drafts/${id}/change`, { body: body2, ifMatch: '"2"' });
    assert.deepEqual([fresh.status, fresh.body.version], [200, 3]);
    const wrong = await send('POST', change, { body: { cells: [{ row: 1, column: 3, value: 'x' }] } });
    assert.deepEqual(
      wrong.body.rows[0].problems.map(({ code }: Group) => code),
      ['AMOUNT_NOT_A_NUMBER'],
    );
    const { body } = await send('GET', `/api/v1/drafts/${id}`);
    assert.deepEqual(body.totals.counts, { rows: 5, valid: 3, invalid: 1, held: 1, skipped: 0 });
    const two = await send('POST', change, { body: { cells, rows: { rows: [1], in_file: false } } });
    assert.deepEqual([two.status, two.body.code], [400, 'USAGE']);
  });

  test('rows are listed by state, problem and text, in pages', async (t) => {
    const { db, send, upload } = await draftsApi(t);
    const { id } = await upload(file);
    await send('GET', `/api/v1/drafts/${id}`);
    const { mock } = t.mock.method(db, 'query');
    const shown = ({ status, body, text }: Awaited<ReturnType<typeof send>>) => {
      assert.equal(status, 200, text);
      return [body.rows.map(({ row }: { row: number }) => row), body.total, body.next];
    };
    const rows = async (query: string) => shown(await send('GET', `/api/v1/drafts/${id}/rows${query}`));
    const search = async (body: object) => shown(await send('POST', `/api/v1/drafts/${id}/rows/search`, { body }));
    assert.deepEqual(await rows('?limit=2'), [[1, 2], 5, 2]);
    assert.deepEqual(await rows('?limit=2&after=2'), [[3, 4], 5, 4]);
    assert.deepEqual(await rows('?limit=2&skip=4'), [[5], 5, null]);
    assert.deepEqual(await rows('?limit=2&skip=9'), [[], 5, null]);
    const counts = mock.calls.filter(({ arguments: [sql] }) => sql.includes('COUNT('));
    assert.equal(counts.length, 0, 'the rows of a whole file are not counted for each page');
    assert.deepEqual(await rows('?code=PHONE_NEEDS_COUNTRY'), [[1, 3], 2, null]);
    assert.deepEqual(await rows('?state=held'), [[5], 1, null]);
    assert.deepEqual(await search({ text: 'BRIAN' }), [[2, 5], 2, null]);
    assert.deepEqual(await search({ text: 'BRIAN', after: 2 }), [[5], 2, null]);
    assert.deepEqual(await search({ text: 'safaricom', after: 1, skip: 2, limit: 2 }), [[4, 5], 5, 5]);
    assert.deepEqual(await rows('?state=invalid&skip=1'), [[3, 4], 3, null]);
    assert.deepEqual(await search({ text: '%' }), [[], 0, null]);
  });

  test('columns that are not clear are asked for, and remembered for the next file of the account', async (t) => {
    const { send, upload } = await draftsApi(t);
    const unclear = 'Telefon A,Net pay,network_id,Gross pay,currency\n+254712345601,100,Safaricom,120,KES\n';
    const { id } = await upload(unclear);
    const first = await send('GET', `/api/v1/drafts/${id}`);
    assert.equal(first.status, 200, first.text);
    assert.match(first.body.rejection.message, /phone_number|amount/);
    assert.equal(first.body.totals, null);
    const map = { phone_number: 'Telefon A', amount: 'Net pay' };
    const done = await send('POST', `/api/v1/drafts/${id}/change`, { body: { options: { map } } });
    assert.equal(done.status, 200, done.text);
    const then = await send('GET', `/api/v1/drafts/${id}`);
    assert.deepEqual([then.body.rejection, then.body.totals.counts.valid], [null, 1], JSON.stringify(then.body.groups));
    const next = await upload(unclear.replace('5601', '5602'));
    assert.deepEqual((await send('GET', `/api/v1/drafts/${next.id}`)).body.totals.counts.valid, 1);
    // A choice that is undone is no longer the one for the next file; done again, it is.
    const mapOfNext = async (last: string) => {
      const { id: later } = await upload(unclear.replace('5601', last));
      return (await send('GET', `/api/v1/drafts/${later}`)).body.options.map;
    };
    await send('POST', `/api/v1/drafts/${id}/undo`, { body: {} });
    assert.equal(await mapOfNext('5603'), undefined);
    await send('POST', `/api/v1/drafts/${id}/redo`, { body: {} });
    assert.deepEqual(await mapOfNext('5604'), map);
  });

  test('a mended file that comes back has the same rows, without our apostrophes against formulas', async (t) => {
    const { send, upload } = await draftsApi(t, { intake: { country: 'KE' } });
    const cells = ['+254 712 345 601', '=Amina', "O'Brien", '@home;=1', "'0712345602", '-5'];
    const header = 'phone_number,network_id,amount,currency,=team,note,origin,other,more,text';
    const { id } = await upload(`${header}\n+254 712 345 601,Safaricom,100,KES,${cells.join(',')}\n`);
    const rowsOf = async (draft: string) => {
      const { body } = await send('GET', `/api/v1/drafts/${draft}/rows`);
      return body.rows.map((row: { cells: string[] }) => row.cells);
    };
    const first = await rowsOf(id);
    assert.deepEqual(first[0].slice(4), cells);
    const { text } = await send('GET', `/api/v1/drafts/${id}/file/mended`);
    assert.match(text, /'\+254 712 345 601,Safaricom,100,KES,'\+254.*,'=Amina,/);
    const { id: back } = await upload(text, { name: 'back.csv' });
    assert.notEqual(back, id);
    assert.deepEqual(await rowsOf(back), first);
    const { body } = await send('GET', `/api/v1/drafts/${back}`);
    assert.equal(body.columns[4].name, '=team');
    assert.equal(body.totals.counts.valid, 1, JSON.stringify(body.groups));
  });

  test('the batch is of the mended file, its chain names the original and every change', async (t) => {
    const { db, send, upload, logged } = await draftsApi(t, { intake: { country: 'KE' } });
    const { id, body: made } = await upload(file);
    await send('POST', `/api/v1/drafts/${id}/change`, { body: { rows: { rows: [5], in_file: false } } });
    const done = await send('POST', `/api/v1/drafts/${id}/change`, {
      body: { cells: [{ row: 4, column: 3, value: '250' }] },
    });
    assert.equal(done.status, 200, JSON.stringify(logged));
    const planned = await send('POST', `/api/v1/drafts/${id}/plan`, { body: {} });
    assert.equal(planned.status, 200, planned.text);
    assert.equal(planned.body.plan.to_send, 4, JSON.stringify(planned.body.findings));
    const mended = await send('GET', `/api/v1/drafts/${id}/file/mended`);
    assert.match(mended.text, /Dan,\+254712345604,Safaricom,250,KES\n$/);
    assert.equal(String(mended.headers['content-disposition']), "attachment; filename*=UTF-8''november.csv");
    assert.equal((await send('GET', `/api/v1/drafts/${id}/file/original`)).text, file);
    const batchId = planned.body.batch_id;
    const events = (await pageEvents(db, batchId, 0, 100)).map(({ kind, row_no, body }) => ({
      kind,
      row_no,
      data: JSON.parse(body),
    }));
    const origin = events.find(({ kind }) => kind === 'batch.draft');
    assert.deepEqual([origin?.data.original_sha256, origin?.data.steps], [made.original_sha256, 2]);
    const mend = events.filter(({ kind }) => kind === 'row.mend');
    assert.deepEqual(
      mend.map(({ row_no, data }) => [row_no, data.line, data.column, data.by]),
      [[4, 5, 3, 'clerk']],
    );
    assert.equal(events.filter(({ kind }) => kind === 'batch.exclude_row').length, 1);
    assert.equal(JSON.stringify(events).includes('"250"'), false, 'the chain has no text of the file');
    const submitted = await send('POST', `/api/v1/drafts/${id}/submit`, { body: { batch_id: batchId } });
    assert.equal(submitted.status, 200, submitted.text);
    assert.equal(submitted.body.status, 'approved');
    const late = await send('POST', `/api/v1/drafts/${id}/change`, {
      body: { cells: [{ row: 1, column: 3, value: '9' }] },
    });
    assert.deepEqual([late.status, late.body.code], [409, 'DRAFT_STATE']);
    assert.equal((await send('GET', `/api/v1/drafts/${id}`)).body.status, 'submitted');
    assert.equal((await send('GET', `/api/v1/drafts/${id}/file/mended`)).text, mended.text);
  });

  test('the reports of its batch verify with both verifiers', async (t) => {
    const { send, upload, session } = await draftsApi(t, { intake: { country: 'KE' } });
    const { id } = await upload(file);
    await send('POST', `/api/v1/drafts/${id}/change`, { body: { cells: [{ row: 4, column: 3, value: '250' }] } });
    await send('POST', `/api/v1/drafts/${id}/change`, { body: { rows: { rows: [1], in_file: false } } });
    const { body } = await send('POST', `/api/v1/drafts/${id}/plan`, { body: {} });
    await send('POST', `/api/v1/drafts/${id}/submit`, { body: { batch_id: body.batch_id } });
    const door = { nameOf: (field: string) => field };
    const { dir } = await performIn(session, writeReports, door, { batch_id: body.batch_id, out: folderOf(t) });
    const found = await performIn(session, verifyReports, door, { dir });
    assert.deepEqual([found.ok, found.findings], [true, []]);
    const { public_key } = await performIn(session, showKey, door, {});
    const key = join(folderOf(t), 'key.pem');
    writeFileSync(key, public_key);
    if (spawnSync('python3', ['--version']).status !== 0 || spawnSync('openssl', ['version']).status !== 0) return;
    const { stdout, stderr } = spawnSync('python3', ['test/verify/verify.py', dir, key], { encoding: 'utf8' });
    assert.match(`${stdout}${stderr}`, /^PROVEN/);
  });

  test('a change after the plan cancels its batch, and an old plan cannot be submitted', async (t) => {
    const { send, upload } = await draftsApi(t, { intake: { country: 'KE' } });
    const { id } = await upload(file);
    const planned = await send('POST', `/api/v1/drafts/${id}/plan`, { body: {} });
    await send('POST', `/api/v1/drafts/${id}/change`, { body: { rows: { rows: [4], in_file: false } } });
    const submitted = await send('POST', `/api/v1/drafts/${id}/submit`, { body: { batch_id: planned.body.batch_id } });
    assert.deepEqual([submitted.status, submitted.body.code], [412, 'CHANGED_MEANWHILE']);
    const { body } = await send('GET', `/api/v1/batches/${planned.body.batch_id}`);
    assert.equal(body.status, 'cancelled');
  });

  test('a change that began before the plan does not slip in while the plan is submitted', async (t) => {
    const { db, send, upload } = await draftsApi(t, { intake: { country: 'KE' } });
    const { id } = await upload(file);
    const change = { cells: [{ row: 1, column: 3, value: '999' }] };
    const [planned, decided] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { transact } = db;
    let isSubmitting = false;
    let count = 0;
    // The change writes its step, and the submission decides about the batch, in their second transactions.
    db.transact = async (work) => {
      count += 1;
      if (count !== 2) return transact(work);
      if (isSubmitting) planned.resolve();
      await (isSubmitting ? decided : planned).promise;
      return transact(work);
    };
    const changing = send('POST', `/api/v1/drafts/${id}/change`, { body: change });
    void changing.finally(decided.resolve);
    while (count < 2) await setImmediate();
    const { body: plan } = await send('POST', `/api/v1/drafts/${id}/plan`, { body: {} });
    [isSubmitting, count] = [true, 0];
    const submitted = await send('POST', `/api/v1/drafts/${id}/submit`, { body: { batch_id: plan.batch_id } });
    assert.equal(submitted.status, 200, submitted.text);
    assert.equal((await changing).body.code, 'CHANGED_MEANWHILE');
    assert.equal((await send('GET', `/api/v1/drafts/${id}`)).body.status, 'submitted');
  });

  test('of two plans of a draft that are made at the same time, one counts, and no batch is left of the other', async (t) => {
    const { db, send, upload } = await draftsApi(t, { intake: { country: 'KE' } });
    const { id } = await upload(file);
    const plan = () => send('POST', `/api/v1/drafts/${id}/plan`, { body: {} });
    const plans = (await Promise.all([plan(), plan()])).toSorted((a, b) => a.status - b.status);
    assert.deepEqual(
      plans.map(({ status, body }) => [status, body.code]),
      [
        [200, undefined],
        [412, 'CHANGED_MEANWHILE'],
      ],
    );
    assert.deepEqual(await db.query('SELECT status FROM batches ORDER BY status'), [
      { status: 'cancelled' },
      { status: 'validated' },
    ]);
    const { batch_id } = plans[0]?.body ?? {};
    assert.equal((await send('POST', `/api/v1/drafts/${id}/submit`, { body: { batch_id } })).status, 200);
    assert.deepEqual(await authorsOfDraft(db, batch_id), ['clerk']);
  });

  test('a reader finds no masked number by searching for its digits', async (t) => {
    const { send, upload, makeKey } = await draftsApi(t);
    const { id } = await upload(file);
    const auditor = await makeKey('auditor', ['audit']);
    const search = async (text: string, key?: string) => {
      const own = key === undefined ? {} : { key };
      const { body } = await send('POST', `/api/v1/drafts/${id}/rows/search`, { body: { text }, ...own });
      return body.total ?? body.code;
    };
    assert.equal(await search('7123456'), 5);
    for (const text of ['7123456', '2', '\u0662']) assert.equal(await search(text, auditor), 'ROLE_MISSING', text);
    assert.equal(await search('brian', auditor), 2);
  });

  test('a reader sees no number in what was taken for the header of a file without one', async (t) => {
    const { send, upload, makeKey } = await draftsApi(t);
    const { id } = await upload(lines.slice(1).join('\n'));
    const auditor = await makeKey('auditor', ['audit']);
    const read = async (key: object) => JSON.stringify((await send('GET', `/api/v1/drafts/${id}`, key)).body);
    assert.match(await read({}), /0712345601/);
    assert.doesNotMatch(await read({ key: auditor }), /0712345601/);
    const options = { map: { phone_number: '0712345601' } };
    assert.equal((await send('POST', `/api/v1/drafts/${id}/change`, { body: { options } })).status, 200);
    assert.match(await read({}), /"map":\{"phone_number":"0712345601"/);
    assert.doesNotMatch(await read({ key: auditor }), /0712345601/, 'as a column that a person has chosen');
  });

  test('numbers are masked for readers, and a discarded draft is gone', async (t) => {
    const { send, upload, makeKey } = await draftsApi(t);
    const { id } = await upload(file);
    const auditor = await makeKey('auditor', ['audit']);
    const { body } = await send('GET', `/api/v1/drafts/${id}/rows`, { key: auditor });
    assert.equal(body.rows[1].cells[1], '*********602');
    assert.equal((await send('GET', `/api/v1/drafts/${id}/file/original`, { key: auditor })).status, 403);
    assert.equal((await send('GET', '/api/v1/drafts')).body.drafts.length, 1);
    assert.equal((await send('POST', `/api/v1/drafts/${id}/discard`)).status, 200);
    assert.equal((await send('GET', '/api/v1/drafts')).body.drafts.length, 0);
    assert.equal((await send('GET', `/api/v1/drafts/${id}/file/original`)).body.code, 'DRAFT_STATE');
  });

  test('a discarded draft leaves no number in the answers that the API keeps', async (t) => {
    const { db, send, upload } = await draftsApi(t, { intake: { country: 'KE' } });
    const { id } = await upload(file);
    const change = { cells: [{ row: 1, column: 3, value: '120' }] };
    assert.match((await send('POST', `/api/v1/drafts/${id}/change`, { body: change })).text, /0712345601/);
    const kept = async () => JSON.stringify(await db.query('SELECT * FROM api_requests'));
    assert.match(await kept(), /0712345601/, 'for a request that is sent again');
    await send('POST', `/api/v1/drafts/${id}/discard`);
    assert.doesNotMatch(await kept(), /12345601/);
  });

  test('a pasted table is a file like any other', async (t) => {
    const { send, upload } = await draftsApi(t);
    const { id } = await upload(file.replaceAll(',', '\t'), { name: 'pasted.tsv' });
    const { body } = await send('GET', `/api/v1/drafts/${id}`);
    assert.deepEqual(body.totals.counts, { rows: 5, valid: 1, invalid: 3, held: 1, skipped: 0 });
  });

  test('the same file leads to its open draft, and to a second one only if that is asked for', async (t) => {
    const { send, upload } = await draftsApi(t);
    const first = await upload(file);
    assert.equal(first.body.is_new, true);
    const again = await upload(file, { name: 'november (1).csv' });
    assert.deepEqual([again.status, again.id, again.body.is_new], [200, first.id, false]);
    const known = await send('GET', `/api/v1/drafts?original_sha256=${first.body.original_sha256}`);
    assert.deepEqual([known.body.drafts.length, known.body.drafts[0].created_by], [1, 'clerk']);
    assert.equal((await send('GET', `/api/v1/drafts?original_sha256=${'0'.repeat(64)}`)).body.drafts.length, 0);
    assert.equal((await send('GET', '/api/v1/drafts?original_sha256=x')).status, 400);
    const second = await upload(file, { query: '?anew=true' });
    assert.notEqual(second.id, first.id);
    await send('POST', `/api/v1/drafts/${first.id}/discard`);
    await send('POST', `/api/v1/drafts/${second.id}/discard`);
    assert.equal((await upload(file)).body.is_new, true);
  });

  test('a file may have any name: what no file system or screen should see is left out', async (t) => {
    const { session, send } = await draftsApi(t, { intake: { country: 'KE' } });
    const nameOf = async (name: string) => {
      const headers = {
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      };
      const made = await send('POST', '/api/v1/drafts?anew=true', { body: Buffer.from(file), headers });
      if (made.status !== 200) return made.body.code;
      const planned = await send('POST', `/api/v1/drafts/${made.body.draft_id}/plan`, { body: {} });
      assert.equal(planned.status, 200, `${name}: ${planned.text}`);
      return made.body.file_name;
    };
    const long = '\u1320'.repeat(120);
    assert.equal(await nameOf(`${long}.csv`), `${long.slice(0, 65)}.csv`, 'of 360 bytes');
    assert.equal(await nameOf('\u0641\u200c\u202egnp.csv'), '\u0641gnp.csv');
    for (const name of ['../../ledger.csv', '..\\ledger.csv', '.ledger.csv', 'ledger\0.csv', '\r\nledger.csv'])
      assert.equal(await nameOf(name), 'ledger.csv', JSON.stringify(name));
    for (const name of ['', '..', '/', '\u202e']) assert.equal(await nameOf(name), 'USAGE', JSON.stringify(name));
    const beside = readdirSync(dirname(session.ledgerPath)).toSorted();
    assert.deepEqual(beside, ['airbatch.config.json', 'drafts', 'uploads']);
  });

  test('an upload of which a part was lost is refused, and leaves nothing behind', async (t) => {
    const { send, session } = await draftsApi(t);
    const digest = createHash('sha256').update(file).digest('base64');
    const sent = (bytes: string) =>
      send('POST', '/api/v1/drafts', {
        file: { name: 'november.csv', bytes },
        headers: { 'content-digest': `sha-256=:${digest}:` },
      });
    const cut = await sent(file.slice(0, -20));
    assert.deepEqual([cut.status, cut.body.code], [400, 'REQUEST_INVALID']);
    assert.deepEqual(readdirSync(join(dirname(session.ledgerPath), 'uploads')), []);
    assert.equal((await sent(file)).status, 200);
    // A program that was killed while it received a file leaves it there.
    const uploads = join(dirname(session.ledgerPath), 'uploads');
    for (const name of ['lost', 'now']) mkdirSync(join(uploads, name));
    utimesSync(join(uploads, 'lost'), 0, 0);
    eraseLostUploads(session);
    assert.deepEqual(readdirSync(uploads), ['now']);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readXlsx, writeXlsx } from 'hucre/xlsx';
import { authorsOfDraft } from '../../../src/ledger/drafts/drafts.ts';
import { draftsApi } from './drafts-fixture.ts';

type Cell = string | number | null;

const header: Cell[] = ['name', 'phone_number', 'network_id', 'amount', 'currency'];
const row = (name: string, phone: Cell, amount: Cell): Cell[] => [name, phone, 'Safaricom', amount, 'KES'];
const november = [header, row('Amina', '+254712345601', 100), row('Brian', 254712345602, 150.5)];
const december = [header, row('Carol', '+254712345603', 200)];

interface Sheet {
  name: string;
  rows: Cell[][];
  columns?: { hidden?: boolean; numFmt?: string }[];
}

async function book(...sheets: Sheet[]): Promise<Buffer> {
  return Buffer.from(await writeXlsx({ sheets, activeSheet: sheets.length - 1 }));
}

describe('a workbook as a draft', () => {
  test('asks which of its sheets is meant, with rows and sums, and reads the one that is chosen', async (t) => {
    const { send, upload } = await draftsApi(t);
    const bytes = await book(
      { name: 'November', rows: november },
      { name: 'December', rows: december },
      { name: 'Notes', rows: [['paid by Amina']] },
    );
    const { id, status, text } = await upload(bytes, { name: 'payroll.xlsx' });
    assert.equal(status, 200, text);
    const asked = await send('GET', `/api/v1/drafts/${id}`);
    assert.equal(asked.status, 200, asked.text);
    assert.deepEqual(asked.body.sheets, [
      { name: 'November', rows: 2, sums: { KES: '250.5' }, is_active: false },
      { name: 'December', rows: 1, sums: { KES: '200' }, is_active: false },
      { name: 'Notes', rows: 0, sums: {}, is_active: true },
    ]);
    assert.deepEqual([asked.body.rows, asked.body.totals, asked.body.options.sheet], [0, null, undefined]);
    assert.equal((await send('GET', `/api/v1/drafts/${id}/file/mended_xlsx`)).body.code, 'USAGE');
    // A change of the options chooses no sheet.
    const body = { options: { country: 'KE' } };
    assert.equal((await send('POST', `/api/v1/drafts/${id}/change`, { body })).status, 200);
    assert.equal((await send('GET', `/api/v1/drafts/${id}`)).body.sheets.length, 3);
    const chosen = await send('POST', `/api/v1/drafts/${id}/reread`, { body: { sheet: 'December' } });
    assert.equal(chosen.status, 200, chosen.text);
    const read = await send('GET', `/api/v1/drafts/${chosen.body.draft_id}`);
    assert.deepEqual([read.body.totals.counts.valid, read.body.totals.sums], [1, { KES: '200' }]);
    assert.deepEqual(
      [read.body.options.sheet, read.body.options.country, read.body.sheets.length],
      ['December', 'KE', 3],
    );
    assert.match(read.body.notes[0].message, /^Only the sheet "December" was read; not read: "November", "Notes"/);
    assert.equal((await send('GET', `/api/v1/drafts/${id}`)).body.status, 'discarded');
    const other = await send('POST', `/api/v1/drafts/${chosen.body.draft_id}/reread`, { body: { sheet: 'November' } });
    const again = await send('GET', `/api/v1/drafts/${other.body.draft_id}`);
    assert.deepEqual(again.body.totals.sums, { KES: '250.5' });
    const late = await send('POST', `/api/v1/drafts/${other.body.draft_id}/reread`, {
      body: { sheet: 'December', version: 9 },
    });
    assert.deepEqual([late.status, late.body.code], [412, 'CHANGED_MEANWHILE']);
    const none = await send('POST', `/api/v1/drafts/${other.body.draft_id}/reread`, { body: { sheet: 'March' } });
    assert.deepEqual([none.status, none.body.code], [422, 'FILE_REJECTED']);
    assert.equal(none.body.reason.code, 'SHEET_UNKNOWN');
    assert.equal((await send('GET', '/api/v1/drafts')).body.drafts.length, 1);
  });

  test('is still the work of who has uploaded it if a colleague chooses the sheet', async (t) => {
    const { db, send, upload, makeKey } = await draftsApi(t, { intake: { country: 'KE' } });
    const colleague = await makeKey('colleague', ['prepare']);
    const bytes = await book({ name: 'November', rows: november }, { name: 'December', rows: december });
    const { id } = await upload(bytes, { name: 'payroll.xlsx' });
    const body = { sheet: 'December' };
    const chosen = await send('POST', `/api/v1/drafts/${id}/reread`, { key: colleague, body });
    assert.equal(chosen.body.created_by, 'clerk', chosen.text);
    const plan = `/api/v1/drafts/${chosen.body.draft_id}/plan`;
    const planned = await send('POST', plan, { key: colleague, body: {} });
    assert.deepEqual(await authorsOfDraft(db, planned.body.batch_id), ['clerk'], 'who may not approve it');
  });

  test('becomes a batch that has the name of the file that people know', async (t) => {
    const { send, upload } = await draftsApi(t, { intake: { country: 'KE' } });
    const bytes = await book({ name: 'Failed', rows: november });
    const { id } = await upload(bytes, { name: 'failed.xlsx' });
    const { body: planned } = await send('POST', `/api/v1/drafts/${id}/plan`, { body: {} });
    const { body: batch } = await send('GET', `/api/v1/batches/${planned.batch_id}`);
    assert.equal(batch.file_name, 'failed.xlsx');
  });

  test('asks for the sheet where the first one has nothing to pay', async (t) => {
    const { send, upload } = await draftsApi(t);
    const bytes = await book(
      { name: 'How to', rows: [['Fill in the next sheet']] },
      { name: 'Payout', rows: december },
    );
    const { id } = await upload(bytes, { name: 'payroll.xlsx' });
    const { body } = await send('GET', `/api/v1/drafts/${id}`);
    assert.deepEqual(
      body.sheets.map(({ name, rows }: { name: string; rows: number }) => [name, rows]),
      [
        ['How to', 0],
        ['Payout', 1],
      ],
    );
  });

  test('does not read a column that its sheet hides, before a person says so', async (t) => {
    const { send, upload } = await draftsApi(t);
    const rows = [
      ['phone_number', 'network_id', 'amount', 'Net pay', 'currency'],
      ['+254712345601', 'Safaricom', 999, 100, 'KES'],
    ];
    const columns = [{}, {}, { hidden: true }, {}, {}];
    const { id } = await upload(await book({ name: 'November', rows, columns }), { name: 'payroll.xlsx' });
    const first = await send('GET', `/api/v1/drafts/${id}`);
    assert.match(first.body.rejection?.message ?? '', /"amount", which could be the amount, is hidden/);
    assert.equal(first.body.columns[2].is_hidden, true);
    const body = { options: { map: { amount: 'Net pay' } } };
    await send('POST', `/api/v1/drafts/${id}/change`, { body });
    const read = await send('GET', `/api/v1/drafts/${id}`);
    assert.deepEqual(read.body.totals?.sums, { KES: '100' });
    const cells = [{ row: 1, column: 2, value: '5' }];
    const changed = await send('POST', `/api/v1/drafts/${id}/change`, { body: { cells } });
    assert.equal(changed.body.rows[0].state, 'ready');
    const planned = await send('POST', `/api/v1/drafts/${id}/plan`, { body: {} });
    assert.deepEqual(planned.body.plan.sums, { KES: '100' });
  });

  test('reads below title lines, leaves out a TOTAL line where a person says so, and reads another header line', async (t) => {
    const { send, upload } = await draftsApi(t);
    const rows: Cell[][] = [['Acme Ltd', null], [], ...november, ['TOTAL', null, null, 250.5, null]];
    const { id } = await upload(await book({ name: 'November', rows }), { name: 'payroll.xlsx' });
    const first = await send('GET', `/api/v1/drafts/${id}`);
    assert.deepEqual([first.body.options.header_line, first.body.totals.counts.invalid], [3, 1]);
    assert.match(first.body.notes[0].message, /above the header are not read: "Acme Ltd"/);
    const { sheet: _, header_line: __, ...options } = first.body.options;
    await send('POST', `/api/v1/drafts/${id}/change`, { body: { options: { ...options, total_line: 'skip' } } });
    const read = await send('GET', `/api/v1/drafts/${id}`);
    assert.deepEqual(read.body.totals.counts, { rows: 3, valid: 2, invalid: 0, held: 0, skipped: 1 });
    const anew = await send('POST', `/api/v1/drafts/${id}/reread`, { body: { header_line: 4 } });
    const other = await send('GET', `/api/v1/drafts/${anew.body.draft_id}`);
    assert.deepEqual([other.body.options.header_line, other.body.columns[0].name], [4, 'Amina']);
  });

  test('a plain number of the sheet is what the sheet stored, also after mending', async (t) => {
    const { send, upload } = await draftsApi(t);
    const rows = [header, row('Amina', '+254712345601', 1234.5), row('Brian', '+254712345602', '1,234')];
    const { id } = await upload(await book({ name: 'November', rows }), { name: 'payroll.xlsx' });
    const { body } = await send('GET', `/api/v1/drafts/${id}`);
    assert.deepEqual(
      body.groups.map(({ code, rows: count }: { code: string; rows: number }) => [code, count]),
      [['AMOUNT_AMBIGUOUS', 1]],
    );
    // Its name still says which file it was.
    const mended = await send('GET', `/api/v1/drafts/${id}/file/mended`);
    assert.match(String(mended.headers['content-disposition']), /''payroll\.xlsx\.csv$/);
  });

  test('a number with a currency in its format does not show how people write the texts beside it', async (t) => {
    const { send, upload } = await draftsApi(t);
    const rows = [header, row('Amina', '+254712345601', 99.5), row('Brian', '+254712345602', '1,500')];
    const columns = [{}, {}, {}, { numFmt: '[$KES]\\ #,##0.00' }, {}];
    const { id } = await upload(await book({ name: 'November', rows, columns }), { name: 'payroll.xlsx' });
    const { body } = await send('GET', `/api/v1/drafts/${id}/rows`);
    const found = body.rows.map(({ cells, state }: { cells: string[]; state: string }) => [cells[3], state]);
    assert.deepEqual(found, [
      ['KES 99.5', 'unchecked'],
      ['1,500', 'unchecked'],
    ]);
    const { groups } = (await send('GET', `/api/v1/drafts/${id}`)).body;
    assert.deepEqual(
      groups.map(({ code, rows: count }: { code: string; rows: number }) => [code, count]),
      [['AMOUNT_AMBIGUOUS', 1]],
    );
  });

  for (const [what, heads, options] of [
    ['its network is chosen for all rows', ['name', 'phone_number', 'staff no', 'amount'], { network_id: 1 }],
    [
      'the amounts have a name of their own',
      ['name', 'phone_number', 'network_id', 'Bonus'],
      { map: { amount: 'Bonus' } },
    ],
  ] as const)
    test(`reads amounts as the sheet shows them, also if ${what}`, async (t) => {
      const { send, upload } = await draftsApi(t, { intake: { currency: 'KES' } });
      const line = (phone: string) => ['Amina', phone, 'Safaricom', 35_000];
      const columns = [{}, {}, {}, { numFmt: '[$UGX]\\ #,##0' }];
      const rows = [[...heads], line('+254712345601')];
      const { id } = await upload(await book({ name: 'November', rows, columns }), { name: 'payroll.xlsx' });
      await send('POST', `/api/v1/drafts/${id}/change`, { body: { options } });
      const { groups, totals } = (await send('GET', `/api/v1/drafts/${id}`)).body;
      assert.deepEqual(
        [groups.map(({ code }: { code: string }) => code), totals?.sums],
        [['CURRENCY_OF_OTHER_COUNTRY'], {}],
      );
    });

  test('has no stray quotes: each cell has its own', async (t) => {
    const { send, upload } = await draftsApi(t);
    const notes = ['32" TV', 'TV 32"', '"', '"first\nline;"x'];
    const lines = notes.map((note, at) => [...row('Amina', `+25471234560${at}`, 100), note]);
    const { id } = await upload(await book({ name: 'November', rows: [[...header, 'note'], ...lines] }), {
      name: 'payroll.xlsx',
    });
    const { groups, rejection, totals } = (await send('GET', `/api/v1/drafts/${id}`)).body;
    assert.deepEqual([groups, rejection, totals?.counts.valid], [[], null, 4]);
  });

  test('comes back as a workbook of texts that no spreadsheet computes, and that can be uploaded again', async (t) => {
    const { send, download, upload } = await draftsApi(t);
    const heads = [...header, 'staff no', 'note'];
    const rows = [
      [...row('Amina', '+254712345601', 100), '00017', '=1+1'],
      [...row('Brian', '0712345602', '100.50'), '-5', '@SUM(A1)'],
      [...row('Carol', '+254712345603', 300), '3', ''],
    ];
    const { id } = await upload(await book({ name: 'November', rows: [heads, ...rows] }), { name: 'payroll.xlsx' });
    const cells = [{ row: 2, column: 1, value: '+254712345602' }];
    assert.equal((await send('POST', `/api/v1/drafts/${id}/change`, { body: { cells } })).status, 200);
    const without = { rows: { rows: [3], in_file: false } };
    assert.equal((await send('POST', `/api/v1/drafts/${id}/change`, { body: without })).status, 200);
    const mended = await download(`/api/v1/drafts/${id}/file/mended_xlsx`);
    assert.match(String(mended.headers['content-disposition']), /''payroll\.xlsx$/);
    assert.match(String(mended.headers['content-type']), /spreadsheetml\.sheet/);
    const corrected = [
      ['Amina', '+254712345601', 'Safaricom', '100', 'KES', '00017', '=1+1'],
      ['Brian', '+254712345602', 'Safaricom', '100.50', 'KES', '-5', '@SUM(A1)'],
    ];
    const { sheets } = await readXlsx(mended.bytes);
    assert.deepEqual(
      sheets.map(({ name, rows: found }) => [name, found]),
      [['November', [heads, ...corrected]]],
    );
    const again = await upload(mended.bytes, { name: 'payroll.xlsx' });
    const read = await send('GET', `/api/v1/drafts/${again.id}/rows`);
    assert.deepEqual(
      read.body.rows.map((one: { cells: string[] }) => one.cells),
      corrected,
    );
    const { totals } = (await send('GET', `/api/v1/drafts/${again.id}`)).body;
    assert.deepEqual([totals.counts.valid, totals.sums], [2, { KES: '200.5' }]);
    const { batch_id } = (await send('POST', `/api/v1/drafts/${id}/plan`, { body: {} })).body;
    await send('POST', `/api/v1/drafts/${id}/submit`, { body: { batch_id } });
    const late = await readXlsx((await download(`/api/v1/drafts/${id}/file/mended_xlsx`)).bytes);
    assert.deepEqual([late.sheets[0]?.name, late.sheets[0]?.rows], ['November', [heads, ...corrected]], 'from the CSV');
    assert.equal((await send('GET', `/api/v1/batches/${batch_id}`)).body.draft_id, id);
    // A formula of the file is a text there, too.
    const csv = await send('GET', `/api/v1/drafts/${id}/file/mended`);
    assert.match(csv.text, /;00017;'=1\+1\n.*;'-5;'@SUM\(A1\)\n$/);
  });

  test('is no workbook for a draft that was none, nor after its files were erased', async (t) => {
    const { send, upload } = await draftsApi(t);
    const plain = await upload('phone_number,network_id,amount,currency\n+254712345601,Safaricom,5,KES\n');
    const { status, body } = await send('GET', `/api/v1/drafts/${plain.id}/file/mended_xlsx`);
    assert.deepEqual([status, body.code], [400, 'USAGE']);
    const { id } = await upload(await book({ name: 'November', rows: november }), { name: 'payroll.xlsx' });
    await send('POST', `/api/v1/drafts/${id}/discard`, { body: {} });
    assert.equal((await send('GET', `/api/v1/drafts/${id}`)).body.are_files_kept, false);
    const erased = await send('GET', `/api/v1/drafts/${id}/file/mended_xlsx`);
    assert.deepEqual([erased.status, erased.body.code], [409, 'DRAFT_STATE']);
  });
});

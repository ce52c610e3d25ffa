import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { readXlsx, writeXlsx } from 'hucre/xlsx';
import type { Page } from 'playwright-core';
import { findBatch } from '../../src/ledger/batches/batches.ts';
import { requireBatch } from '../../src/ledger/batches/require-batch.ts';
import { failedCsv } from '../../src/reports/render/failed.ts';
import { makeStage, openPage, type Stage, windowOf } from './browser.ts';
import { samples } from './samples.ts';

let stage: Stage | null = null;
before(async () => {
  stage = await makeStage();
});
after(() => stage?.close());

async function open(t: TestContext) {
  if (stage === null) {
    t.skip('no Chromium can run here: set CHROME_PATH');
    return null;
  }
  const context = await windowOf(stage, {});
  t.after(() => context.close());
  const { page, faults } = await openPage(context, `${stage.installation.url}/new`);
  return { page, faults, installation: stage.installation };
}

type Cell = string | number | null;
const header: Cell[] = ['name', 'phone_number', 'network_id', 'amount', 'currency'];
const row = (name: string, phone: Cell, amount: Cell): Cell[] => [name, phone, 'Safaricom', amount, 'KES'];

async function upload(page: Page, name: string, sheets: { name: string; rows: Cell[][]; columns?: object[] }[]) {
  const buffer = Buffer.from(await writeXlsx({ sheets } as Parameters<typeof writeXlsx>[0]));
  const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  await page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer });
  await page.getByRole('heading', { level: 1, name }).waitFor({ timeout: 60_000 });
}

/** Waits until so many rows are right. */
async function right(page: Page, count: string): Promise<void> {
  await page.locator('option', { hasText: `Ready (${count})` }).waitFor({ state: 'attached' });
}

async function submit(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'See the plan' }).click();
  await page.getByText('will be paid.').waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.waitForURL('**/batches/**');
  return decodeURIComponent(page.url().split('/').at(-1) ?? '');
}

describe('a workbook', () => {
  test('with several sheets is read from the one that the clerk chooses, and then from another', async (t) => {
    const opened = await open(t);
    if (opened === null) return;
    const { page, faults } = opened;
    await upload(page, 'sheets.xlsx', [
      { name: 'November', rows: [header, row('Amina', '+254712345601', 100), row('Brian', 254712345602, 150.5)] },
      { name: 'Bonus', rows: [header, row('Carol', '+254712345603', 200)] },
      { name: 'Notes', rows: [['paid by Amina']] },
    ]);
    const table = page.getByRole('region', { name: 'Which sheet is to be paid?' }).last();
    await table.getByText('250.50').waitFor();
    assert.deepEqual(await table.getByRole('button').allInnerTexts(), ['Read this sheet', 'Read this sheet']);
    await page.getByRole('button', { name: 'Read the sheet Bonus' }).click();
    await right(page, '1');
    await page.getByText('Only the sheet “Bonus” was read').waitFor();
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'The whole file' }) });
    await card.getByRole('button', { name: 'Change' }).click();
    await card.getByLabel('Sheet', { exact: true }).selectOption('November');
    await card.getByRole('button', { name: 'Read the file again' }).click();
    await right(page, '2');
    assert.deepEqual(await page.locator('.page-head a[download]').allTextContents(), [
      'Original file',
      'Corrected file (XLSX)',
      'Corrected file (CSV)',
    ]);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Corrected file (XLSX)' }).click();
    // A download of the browser itself lacks the key that stands in for signing in.
    const bytes = await (await page.context().request.get((await download).url())).body();
    const { sheets } = await readXlsx(bytes);
    assert.deepEqual(sheets[0]?.rows[2], ['Brian', '254712345602', 'Safaricom', '150.5', 'KES']);
    await submit(page);
    assert.deepEqual(faults, []);
  });

  test('with a title, a TOTAL line and local numbers is read by what the clerk sets for the whole file', async (t) => {
    const opened = await open(t);
    if (opened === null) return;
    const { page } = opened;
    const short = ['name', 'phone_number', 'amount'];
    await upload(page, 'titled.xlsx', [
      {
        name: 'November',
        rows: [
          ['Acme Ltd'],
          [],
          short,
          ['Amina', '0712345611', 100],
          ['Brian', '0712345612', 150],
          ['TOTAL', null, 250],
        ],
      },
    ]);
    await page.getByText('The lines above the header, up to line').waitFor();
    // No column has the network: the page shows at once what can be set for the whole file.
    await page.getByLabel('Country', { exact: true }).selectOption('KE');
    await page.getByLabel('Currency', { exact: true }).fill('kes');
    await page.getByLabel('Networks of').selectOption('KE');
    const network = page.locator('option', { hasText: 'Safaricom' });
    await network.waitFor({ state: 'attached' });
    await page.getByLabel('Network', { exact: true }).selectOption((await network.textContent()) ?? '');
    await page.getByLabel('A line that adds up the others').selectOption('skip');
    await page.getByRole('button', { name: 'Use for the whole file' }).click();
    await right(page, '2');
    await page.locator('option', { hasText: 'Skipped (1)' }).waitFor({ state: 'attached' });
    await page.getByText('Kenya (KE) · KES').waitFor();
  });

  test('with a hidden column is not read by it before the clerk says so', async (t) => {
    const opened = await open(t);
    if (opened === null) return;
    const { page } = opened;
    await upload(page, 'hidden.xlsx', [
      {
        name: 'November',
        rows: [
          ['phone_number', 'network_id', 'amount', 'Net pay', 'currency'],
          ['+254712345621', 'Safaricom', 999, 100, 'KES'],
        ],
        columns: [{}, {}, { hidden: true }, {}, {}],
      },
    ]);
    await page.getByText('Choose what the columns mean').waitFor();
    await page.getByText('hidden in the sheet', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('amount is read as').inputValue(), '-');
    await page.getByLabel('Net pay is read as').selectOption('amount');
    await page.getByRole('button', { name: 'Read the columns like this' }).click();
    await right(page, '1');
    await page.locator('.figures').getByText('100.00').waitFor();
  });

  test('of failed rows comes back mended, within the run of its batch', async (t) => {
    const opened = await open(t);
    if (opened === null) return;
    const { page, installation } = opened;
    const { db } = installation.session;
    let text = '';
    for await (const part of failedCsv(db, await requireBatch(db, samples.done))) text += part;
    const lines = text.replace('\uFEFF', '').trimEnd().split('\n');
    // A clerk opens failed.csv in a spreadsheet, which makes numbers of digits, and saves it there.
    const rows = lines.map((line) => line.split(',').map((cell) => (/^[0-9.]+$/.test(cell) ? Number(cell) : cell)));
    assert.equal(rows.length, 2);
    await upload(page, 'failed.xlsx', [{ name: 'failed', rows }]);
    await right(page, '1');
    const grid = page.getByRole('grid');
    await grid.getByText('+254712001507').dblclick();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('+254712345634');
    await page.keyboard.press('Enter');
    await grid.getByText('+254712345634').waitFor();
    await page.getByText('Saved and checked').waitFor();
    assert.equal(await page.getByLabel('This file corrects the run').inputValue(), 'payroll-2026-10');
    const batch = await findBatch(db, await submit(page));
    assert.deepEqual([batch?.run_id, batch?.status], ['payroll-2026-10', 'awaiting_approval']);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { requireBatch } from '../../src/ledger/batches/require-batch.ts';
import { findDraftRow, splitCells } from '../../src/ledger/drafts/draft-rows.ts';
import { listDrafts } from '../../src/ledger/drafts/drafts.ts';
import { intercept, makeStage, openPage, type Stage, windowOf } from './browser.ts';
import { moveRow, samples, ways } from './samples.ts';

let stage: Stage | null = null;
before(async () => {
  stage = await makeStage();
});
after(() => stage?.close());

async function open(t: TestContext, name = 'wanjiru', path = '/new') {
  if (stage === null) {
    t.skip('no Chromium can run here: set CHROME_PATH');
    return null;
  }
  const context = await windowOf(stage, { name });
  t.after(() => context.close());
  const { page } = await openPage(context, `${stage.installation.url}${path}`);
  return { page, context, installation: stage.installation };
}

/** A file of its own: the same one would lead to the draft of another test. */
function fileOf(name: string): { name: string; mimeType: string; buffer: Buffer } {
  const header = 'name,phone_number,network_id,amount,currency';
  const rows = [`Amina ${name},+254712345601,Safaricom,100,KES`, 'Brian,+254712345602,Safaricom,150,KES'];
  return { name, mimeType: 'text/csv', buffer: Buffer.from(`${[header, ...rows].join('\n')}\n`) };
}

async function upload(page: Page, name: string): Promise<string> {
  await page.locator('input[type=file]').setInputFiles(fileOf(name));
  await page.getByRole('heading', { level: 1, name }).waitFor({ timeout: 60_000 });
  await page.locator('option', { hasText: 'Ready (2)' }).waitFor({ state: 'attached' });
  return decodeURIComponent(page.url().split('/').at(-1) ?? '');
}

/** Writes into a cell as a person does. */
async function write(page: Page, cell: string, value: string): Promise<void> {
  await page.getByRole('grid').getByText(cell, { exact: true }).dblclick();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(value);
  await page.keyboard.press('Enter');
}

describe('a draft', () => {
  test('keeps what is typed while the server is away, and saves it once it is back', async (t) => {
    const opened = await open(t);
    if (opened === null) return;
    const { page, installation } = opened;
    const id = await upload(page, 'away.csv');
    await installation.whileStopped(async () => {
      await write(page, '150', '175');
      await page.getByText('Your changes wait here').waitFor();
      await page.getByText('No connection to the server').waitFor();
      await page.getByRole('grid').getByText('175').waitFor();
    });
    await page.getByText('Saved and checked').waitFor();
    const row = await findDraftRow(installation.session.db, id, 2);
    assert.equal(splitCells(row?.cells ?? '')[3], '175');
    await page.getByText('No connection to the server').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('grid').getByText('150').waitFor();
  });

  test('is made of a file that was sent while the server was away, once', async (t) => {
    const opened = await open(t);
    if (opened === null) return;
    const { page, installation } = opened;
    await installation.whileStopped(async () => {
      await page.locator('input[type=file]').setInputFiles(fileOf('late.csv'));
      await page.getByText('The file is sent as soon as it does').waitFor();
    });
    await page.getByRole('heading', { level: 1, name: 'late.csv' }).waitFor();
    const { db } = installation.session;
    const all = { accounts: null, status: null, sha256: null, before: null, limit: 50 };
    const drafts = await listDrafts(db, all);
    assert.equal(drafts.filter(({ file_name }) => file_name === 'late.csv').length, 1);
  });

  test('of which the answer was lost is opened without sending the file twice', async (t) => {
    const opened = await open(t);
    if (opened === null) return;
    const { page } = opened;
    let sent = 0;
    await intercept(page, /\/api\/v1\/drafts\?account=[^&]*$|\/api\/v1\/drafts\?$/, async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      sent += 1;
      // The server has the file, and the connection breaks before its answer arrives.
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.locator('input[type=file]').setInputFiles(fileOf('answer.csv'));
    await page.getByRole('heading', { level: 1, name: 'answer.csv' }).waitFor();
    assert.equal(sent, 1);
  });

  test('is found when the same file is uploaded again; a second one is made if that is wanted', async (t) => {
    const opened = await open(t);
    if (opened === null) return;
    const { page, installation } = opened;
    const id = await upload(page, 'twice.csv');
    await page.goto(`${installation.url}/new`);
    await page.locator('input[type=file]').setInputFiles({ ...fileOf('twice.csv'), name: 'twice (1).csv' });
    const dialog = page.getByRole('dialog', { name: 'This file was uploaded before' });
    await dialog.getByRole('link', { name: 'twice.csv' }).click();
    await page.getByRole('heading', { level: 1, name: 'twice.csv' }).waitFor();
    assert.ok(page.url().endsWith(encodeURIComponent(id)));
    await page.goto(`${installation.url}/new`);
    await page.locator('input[type=file]').setInputFiles({ ...fileOf('twice.csv'), name: 'twice (1).csv' });
    await dialog.getByRole('button', { name: 'Start a new draft' }).click();
    await page.getByRole('heading', { level: 1, name: 'twice (1).csv' }).waitFor();
  });

  test('of two people shows each the changes of the other, and lets neither overwrite the other unseen', async (t) => {
    const one = await open(t);
    if (one === null) return;
    const id = await upload(one.page, 'together.csv');
    const two = await open(t, 'otieno', `/new/${encodeURIComponent(id)}`);
    assert.ok(two);
    await two.page.getByRole('grid').getByText('150').waitFor();
    // Different cells: both are kept.
    await write(one.page, '100', '110');
    await write(two.page, '150', '160');
    await one.page.getByRole('grid').getByText('160').waitFor();
    await two.page.getByRole('grid').getByText('110').waitFor();
    // The same cell: the second one learns of it, and does not lose what was typed.
    await two.page.getByRole('grid').getByText('110').dblclick();
    await write(one.page, '110', '115');
    await one.page.getByText('Saved and checked').waitFor();
    await two.page.keyboard.press('Control+a');
    await two.page.keyboard.type('120');
    await two.page.keyboard.press('Enter');
    await two.page.getByText('You wrote: 120').waitFor();
    await two.page.getByRole('grid').getByText('115').waitFor();
    const row = await findDraftRow(one.installation.session.db, id, 1);
    assert.equal(splitCells(row?.cells ?? '')[3], '115');
    // A change stands at its line, as in the grid. Whoever undoes a step of the other reads it.
    await one.page.getByRole('button', { name: 'Show', exact: true }).click();
    await one.page.getByText('Line 3 · amount:').waitFor();
    await two.page.getByRole('button', { name: 'Undo' }).click();
    await two.page.getByText('You undid what wanjiru had done (Cells changed: 1).').waitFor();
    await two.page.getByRole('grid').getByText('110').waitFor();
    await one.page.getByRole('grid').getByText('110').waitFor();
    await one.page.getByRole('button', { name: 'Undo' }).click();
    await one.page.getByRole('grid').getByText('150').waitFor();
    assert.equal(await one.page.getByText('You undid').count(), 0, 'their own step');
  });
});

test('a batch shows what happened while the server was away', async (t) => {
  if (stage === null) return t.skip('no Chromium can run here: set CHROME_PATH');
  const { installation } = stage;
  const id = await installation.addLong(3);
  const opened = await open(t, 'wanjiru', `/batches/${id}`);
  const grid = opened?.page.getByRole('grid');
  await grid?.getByText('not yet sent').nth(2).waitFor();
  await installation.whileStopped(() => moveRow(installation.session, id, 2, ways.complete(2)));
  await grid?.getByText('completed').waitFor();
  return undefined;
});

test('the last of a million rows is reached with one key', async (t) => {
  if (stage === null) return t.skip('no Chromium can run here: set CHROME_PATH');
  const id = await stage.installation.addLong(4);
  const context = await windowOf(stage);
  t.after(() => context.close());
  const [row] = (await (await context.request.get(`${stage.installation.url}/api/v1/batches/${id}/rows`)).json()).rows;
  // A server with a million rows is measured by a script (million-rows.ts): here the page is asked.
  await intercept(context, `**/api/v1/batches/${id}`, async (route) => {
    const status = await (await route.fetch()).json();
    await route.fulfill({ json: { ...status, counts: { ready: 1_000_000 } } });
  });
  await intercept(context, `**/api/v1/batches/${id}/rows?*`, (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get('after'));
    const rows = Array.from({ length: Math.min(200, 1_000_000 - after) }, (_, at) => after + at + 1);
    return route.fulfill({ json: { batch_id: id, rows: rows.map((row_no) => ({ ...row, row_no })), next: null } });
  });
  const { page } = await openPage(context, `${stage.installation.url}/batches/${id}`);
  const grid = page.getByRole('grid');
  const cell = (name: string) => grid.getByRole('gridcell', { name, exact: true });
  const isInView = (name: string) =>
    cell(name).evaluate((one) => {
      const { top, bottom } = one.getBoundingClientRect();
      const frame = one.closest('.grid-frame')?.getBoundingClientRect();
      return frame !== undefined && top >= frame.top && bottom <= frame.bottom + 1;
    });
  await cell('1').waitFor();
  await grid.press('End');
  await cell('1,000,000').waitFor();
  assert.ok(await isInView('1,000,000'));
  await grid.press('ArrowUp');
  await grid.press('PageUp');
  await cell('999,980').waitFor();
  await grid.press('Home');
  await cell('1').waitFor();
  assert.ok(await isInView('1'));
  await grid.press('PageDown');
  await cell('20').waitFor();
  return undefined;
});

describe('a batch of two people', () => {
  test('shows the second one what the first has decided, before anything is changed', async (t) => {
    const path = `/batches/${samples.paused}`;
    const [one, two] = [await open(t, 'wanjiru', path), await open(t, 'otieno', path)];
    if (one === null || two === null) return;
    const dialog = two.page.getByRole('dialog');
    await two.page.getByRole('button', { name: 'Change the order' }).click();
    await dialog.getByLabel('Priority').selectOption('bulk');
    // Rows that end meanwhile are no reason to ask again; what another person has decided is.
    await moveRow(one.installation.session, samples.paused, 48, ways.complete(48));
    await one.page.getByRole('button', { name: 'Change the order' }).click();
    await one.page.getByLabel('Priority').selectOption('urgent');
    await one.page.getByRole('button', { name: 'Save' }).click();
    await one.page.getByText('The order is changed.').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('order changed · wanjiru').waitFor();
    const { db } = one.installation.session;
    assert.equal((await requireBatch(db, samples.paused)).priority, 'urgent', 'nothing was overwritten unseen');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await two.page.getByText('The order is changed.').waitFor();
    assert.equal((await requireBatch(db, samples.paused)).priority, 'bulk');
  });

  test('is resumed by the one who has it open, though rows end meanwhile', async (t) => {
    const opened = await open(t, 'wanjiru', `/batches/${samples.paused}`);
    if (opened === null) return;
    const { page, installation } = opened;
    await page.getByRole('button', { name: 'Resume' }).click();
    await moveRow(installation.session, samples.paused, 49, ways.complete(49));
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await page.getByText('The batch continues.').waitFor();
  });
});

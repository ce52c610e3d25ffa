import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { pageEvents } from '../../src/ledger/audit/events.ts';
import { findBatch } from '../../src/ledger/batches/batches.ts';
import { axeFaults } from './axe.ts';
import { makeStage, openPage, type Person, type Stage, windowOf } from './browser.ts';

let stage: Stage | null = null;
before(async () => {
  stage = await makeStage();
});
after(() => stage?.close());

async function open(t: TestContext, path = '/new', person: Person = {}) {
  if (stage === null) {
    t.skip('no Chromium can run here: set CHROME_PATH');
    return null;
  }
  const context = await windowOf(stage, person);
  t.after(() => context.close());
  const { page, faults } = await openPage(context, `${stage.installation.url}${path}`);
  return { page, faults, context, session: stage.installation.session };
}

const header = 'name,phone_number,network_id,amount,currency';

/** The batch that is being sent has paid this person the same: a plan holds the row. */
const paidBefore = 'Eve,+254712000137,1,750,KES';

function fileOf(rows: readonly string[]): { name: string; mimeType: string; buffer: Buffer } {
  return { name: 'november.csv', mimeType: 'text/csv', buffer: Buffer.from(`${[header, ...rows].join('\n')}\n`) };
}

async function upload(page: Page, rows: readonly string[]): Promise<void> {
  await page.locator('input[type=file]').setInputFiles(fileOf(rows));
  await page.getByRole('heading', { level: 1, name: 'november.csv' }).waitFor({ timeout: 60_000 });
}

/** Waits until so many rows are right. */
async function right(page: Page, count: string): Promise<void> {
  await page.locator('option', { hasText: `Ready (${count})` }).waitFor({ state: 'attached' });
}

/**
 * The median of the processor time that the page's main thread takes for a jump in the grid, in seconds. Other programs
 * on the machine delay a jump, but they do not change this time.
 */
async function jumpCost(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const taken = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
  const costs: number[] = [];
  for (let jump = 0; jump < 24; jump++) {
    const before = await taken();
    await page.evaluate(
      async (part) => {
        const frame = document.querySelector('.grid-frame') as HTMLElement;
        frame.scrollTop = frame.scrollHeight * part;
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      },
      ((jump * 7) % 24) / 24,
    );
    costs.push((await taken()) - before);
  }
  await devtools.detach();
  return costs.sort((a, b) => a - b)[costs.length / 2] as number;
}

describe('a clerk', () => {
  test('uploads a file, corrects a group and a cell, undoes, sees the plan and submits', async (t) => {
    const opened = await open(t);
    if (opened === null) return;
    const { page, faults, session } = opened;
    await upload(page, [
      'Amina,0712345601,Safaricom,100,KES',
      'Brian,+254712345602,Safaricom,150,KES',
      'Carol,0712345603,Safaricom,200,KES',
      'Dan,+254712345604,Safaricom,oops,KES',
      paidBefore,
    ]);
    await page.getByText('The phone number has no country code').first().waitFor();
    await page.getByRole('button', { name: 'Correct' }).first().click();
    await page.getByLabel('Country', { exact: true }).selectOption('KE');
    await page.getByText('+254712345601').first().waitFor();
    const preview = page.getByRole('dialog').getByRole('region');
    await preview.getByRole('rowheader', { name: 'Line 4' }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    assert.equal(await preview.evaluate((frame) => frame.scrollWidth <= frame.clientWidth), true, 'fits a phone');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Correct 2 rows' }).click();
    await right(page, '4');
    const grid = page.getByRole('grid');
    await grid.getByText('oops').dblclick();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('250');
    await page.keyboard.press('Enter');
    await right(page, '5');
    await page.keyboard.press('Control+z');
    await right(page, '4');
    await page.keyboard.press('Control+Shift+Z');
    await right(page, '5');
    const changes = page.getByRole('region', { name: 'Changes' });
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await changes
      .getByRole('row', { name: /clerk|wanjiru/ })
      .first()
      .waitFor();
    await changes.getByRole('row', { name: /Line 5 · amount: oops → 250/ }).waitFor();
    await changes.getByRole('row', { name: /Line 2 · phone_number: 0712345601 → \+254712345601/ }).waitFor();
    const figures = page.locator('.figures').first().locator('.figure');
    const shown = async () =>
      (await figures.allTextContents()).flatMap((text) => text.match(/^(?:Ready|To pay|Held)[0-9]/) ?? []);
    assert.deepEqual(await shown(), ['Ready5', 'Held0']);
    await page.getByRole('button', { name: 'See the plan' }).click();
    await page.getByText('4 rows will be paid.').waitFor({ timeout: 30_000 });
    assert.deepEqual(await shown(), ['To pay4', 'Held1']);
    const networks = page.getByRole('table', { name: 'By network' });
    await networks.getByRole('row', { name: 'Safaricom Kenya Kenya (KE) 4 700.00 KES' }).waitFor();
    const wallets = page.getByRole('table', { name: 'Money in the wallets' });
    await wallets
      .getByRole('row', { name: /^[A-Z]{3}( -?[0-9,.]+ [A-Z]{3}){4}$/ })
      .first()
      .waitFor();
    await right(page, '4');
    await page.locator('.filters select').selectOption('held');
    await grid.getByText('Brian').waitFor({ state: 'detached' });
    await grid.getByText('Eve').waitFor();
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.waitForURL('**/batches/**');
    const batchId = decodeURIComponent(page.url().split('/').at(-1) ?? '');
    assert.equal((await findBatch(session.db, batchId))?.status, 'awaiting_approval');
    const kinds = (await pageEvents(session.db, batchId, 0, 100)).map(({ kind }) => kind);
    assert.equal(kinds.filter((kind) => kind === 'row.mend').length, 3);
    assert.deepEqual(faults, []);
  });

  test('chooses the meaning of unclear columns', async (t) => {
    const opened = await open(t);
    if (opened === null) return;
    const { page } = opened;
    const text = 'who,mobile A,Net pay,operator,currency\nAmina,+254712345601,100,Safaricom,KES\n';
    await page.locator('input[type=file]').setInputFiles({ ...fileOf([]), buffer: Buffer.from(text) });
    await page.getByText('Choose what the columns mean').waitFor();
    await page.getByText('No column was found for: Phone number').waitFor();
    await page.getByText('Saved. Nothing can be checked yet').waitFor();
    await page.getByLabel('mobile A is read as').selectOption('phone_number');
    await page.getByLabel('Net pay is read as').selectOption('amount');
    await page.getByRole('button', { name: 'Read the columns like this' }).click();
    await right(page, '1');
    // The next file with these columns is read in the same way, without a question.
    await page.goto(new URL('/new', page.url()).href);
    const next = Buffer.from(text.replace('5601,100', '5602,120'));
    await page.locator('input[type=file]').setInputFiles({ ...fileOf([]), buffer: next });
    await page.getByRole('grid').getByText('120').waitFor();
    await right(page, '1');
    assert.equal(await page.getByText('Choose what the columns mean').count(), 0);
  });

  test('pastes a table from a spreadsheet', async (t) => {
    const opened = await open(t);
    if (opened === null) return;
    const { page } = opened;
    await page.getByLabel('Paste cells here').focus();
    await page.evaluate(
      (text) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', text);
        document.activeElement?.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
      },
      [header, 'Amina,+254712345601,Safaricom,100,KES'].join('\n').replaceAll(',', '\t'),
    );
    await page.getByRole('heading', { level: 1, name: 'pasted.tsv' }).waitFor();
    await right(page, '1');
  });

  test('meets no accessibility fault, in light and dark', async (t) => {
    const opened = await open(t);
    if (opened === null) return;
    const { page, faults } = opened;
    assert.deepEqual(await axeFaults(page, ['light']), []);
    await upload(page, ['Amina,0712345601,Safaricom,100,KES', 'Brian,+254712345602,Safaricom,150,KES']);
    await page.getByRole('grid').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assert.deepEqual(faults, []);
  });

  test('scrolls, filters and edits 100,000 rows', async (t) => {
    const opened = await open(t);
    if (opened === null) return;
    const { page, context } = opened;
    const rowsOf = (count: number) =>
      Array.from(
        { length: count },
        (_, index) => `Person ${index},${index % 100 === 0 ? '07' : '+2547'}${12_000_000 + index},Safaricom,100,KES`,
      );
    await upload(page, rowsOf(100_000));
    const grid = page.getByRole('grid');
    await grid.waitFor({ timeout: 120_000 });
    await grid.focus();
    const { page: smallPage } = await openPage(context, `${stage?.installation.url}/new`);
    await upload(smallPage, rowsOf(1_000));
    await smallPage.getByRole('grid').waitFor();
    const small = await jumpCost(smallPage);
    const large = await jumpCost(page);
    t.diagnostic(`a jump takes ${small} s of the page's thread in 1,000 rows, ${large} s in 100,000`);
    // The page soon has all of 1,000 rows; of 100,000, each jump loads some.
    assert.ok(large < 3 * small, `${large} s in 100,000 rows, ${small} s in 1,000`);
    await grid.focus();
    await page.keyboard.press('Control+End');
    await grid.getByText('Person 99999').waitFor();
    await page.getByPlaceholder('Find in any cell').fill('Person 54321');
    await grid.getByText('Person 54321').waitFor();
    await grid.getByText('Person 54321').dblclick();
    await page.keyboard.type('!');
    await page.keyboard.press('Enter');
    await grid.getByText('Person 54321!').waitFor();
  });
});

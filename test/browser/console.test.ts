import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { BrowserContext, Page } from 'playwright-core';
import { requireBatch } from '../../src/ledger/batches/require-batch.ts';
import { findRow } from '../../src/ledger/rows/rows.ts';
import { performIn } from '../../src/operations/base/operation.ts';
import { listBatches } from '../../src/operations/batches/list-batches.ts';
import { axeFaults } from './axe.ts';
import { faultsIn, intercept, leavePage, makeStage, openPage, type Person, type Stage, windowOf } from './browser.ts';
import { samples } from './samples.ts';

const firstLoadBytesMax = 120_000;

let stage: Stage | null = null;
before(async () => {
  stage = await makeStage();
});
after(() => stage?.close());

/** A page of the console for the duration of a test; null, and the test is skipped, where no browser can run. */
async function open(t: TestContext, path: string, person: Person = {}) {
  if (stage === null) {
    t.skip('no Chromium can run here: set CHROME_PATH');
    return null;
  }
  const context = await windowOf(stage, person);
  t.after(() => context.close());
  const { page, faults } = await openPage(context, `${stage.installation.url}${path}`);
  return { page, faults, context, ...stage.installation };
}

const pages: [string, string][] = [
  ['/', 'Batches'],
  [`/batches/${samples.running}`, 'bonus-2026-11'],
  ['/new', 'New batch'],
  ['/approvals', 'Approvals'],
  ['/doubts', 'Doubts'],
  ['/reports', 'Reports'],
  [`/reports/${samples.done}`, 'Reports of payroll-2026-10'],
  ['/reconciliation', 'Reconciliation'],
  ['/audit', 'Audit log'],
  ['/jobs', 'Jobs'],
  ['/wallets', 'Wallets'],
  ['/payments', 'Payments'],
  ['/payout', 'Plan a payout'],
  ['/workers', 'Workers'],
  ['/people', 'People'],
  ['/settings', 'Settings'],
];

/** Waits until everything that the page asked for is there. */
async function settled(page: Page): Promise<void> {
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

/** A slow connection, as tools mean by 3G: 1.6 Mbit/s and 150 ms. */
const slow = { latency: 150, throughput: 200_000 };

/** What the first page loads with an empty cache on a slow connection, until it shows a batch. */
async function firstPageOn3g(on: Stage): Promise<{ bytes: number; requests: number; ms: number }> {
  const context = await windowOf(on);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  const { latency, throughput: downloadThroughput } = slow;
  await devtools.send('Network.enable');
  const line = { offline: false, latency, downloadThroughput, uploadThroughput: downloadThroughput };
  await devtools.send('Network.emulateNetworkConditions', line);
  const loaded = { bytes: 0, requests: 0 };
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    loaded.bytes += encodedDataLength;
    loaded.requests += 1;
  });
  const begun = performance.now();
  await page.goto(`${on.installation.url}/`);
  await page.getByRole('link', { name: 'payroll-2026-11' }).waitFor();
  const ms = performance.now() - begun;
  await context.close();
  return { ...loaded, ms };
}

describe('every page', () => {
  // One tab for all pages.
  let context: BrowserContext | null = null;
  let page: Page | null = null;
  let faults: string[] = [];
  before(async () => {
    if (stage === null) return;
    context = await windowOf(stage);
    page = await context.newPage();
    faults = faultsIn(page);
  });
  after(() => context?.close());

  for (const [path, title] of pages)
    test(`${path} has its title, no accessibility fault in light and dark, and breaks no policy`, async (t) => {
      if (stage === null || page === null) return t.skip('no Chromium can run here: set CHROME_PATH');
      await leavePage(page);
      faults.length = 0;
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(`${stage.installation.url}${path}`);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await settled(page);
      assert.deepEqual(await axeFaults(page), []);
      // On a phone nothing is wider than the screen.
      await page.setViewportSize({ width: 390, height: 844 });
      assert.equal(
        await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
        true,
        'no sideways scrolling',
      );
      assert.deepEqual(faults, []);
      return undefined;
    });
});

describe('the console', () => {
  test('loads at most 120 kB at first, compressed', (t) => {
    if (stage === null) return t.skip('no Chromium can run here: set CHROME_PATH');
    const folder = stage.consoleFolder;
    const assets = readdirSync(join(folder, 'assets'));
    // The texts of later pages (`en-pages`) are loaded with these pages.
    const first = assets.filter((name) => /^(index|en(?!-pages)|batches-page)-.*\.(js|css)$/.test(name));
    // What these import at once belongs to the first load as well.
    const imported = new Set(first);
    for (const name of imported)
      for (const [, chunk = ''] of readFileSync(join(folder, 'assets', name), 'utf8').matchAll(/from\s*"\.\/([^"]+)"/g))
        imported.add(chunk);
    const bytes = [...imported].reduce(
      (sum, name) => sum + gzipSync(readFileSync(join(folder, 'assets', name)), { level: 9 }).length,
      0,
    );
    assert.ok(first.length >= 4 && bytes <= firstLoadBytesMax, `${bytes} bytes in ${[...imported].join(', ')}`);
    return undefined;
  });

  test('loads so little that its first page needs at most 5 s on a slow 3G connection', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const { bytes, requests, ms } = await firstPageOn3g(stage);
    // With three requests at a time; browsers send six. How long it takes here depends on what else the machine does.
    const needed = (bytes / slow.throughput) * 1_000 + (requests / 3) * slow.latency;
    t.diagnostic(`${requests} requests, ${bytes} bytes: ${Math.round(needed)} ms; here after ${Math.round(ms)} ms`);
    assert.ok(requests > 5 && bytes > 50_000 && needed < 5_000, `${needed} ms`);
    return undefined;
  });

  test('keeps the language that a person chooses', async (t) => {
    const opened = await open(t, '/');
    if (opened === null) return;
    const { page } = opened;
    await page.getByRole('button', { name: /wanjiru/ }).click();
    await page.getByLabel('Language').selectOption('sw');
    await page.getByRole('heading', { level: 1, name: 'Mafungu' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'sw');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Mafungu' }).waitFor();
  });

  test('says when the server is out of reach, and keeps what was loaded', async (t) => {
    const opened = await open(t, '/');
    if (opened === null) return;
    const { page, context } = opened;
    await page.getByRole('link', { name: 'bonus-2026-11' }).waitFor();
    await context.setOffline(true);
    await page.getByRole('combobox').selectOption('ended');
    await page.getByText('No connection to the server').waitFor();
    await context.setOffline(false);
    await page.getByRole('link', { name: 'payroll-2026-10' }).waitFor();
    await page.getByText('No connection to the server').waitFor({ state: 'detached' });
  });

  test('repeats a change under the same key if its outcome is not known', async (t) => {
    const opened = await open(t, `/batches/${samples.paused}`);
    if (opened === null) return;
    const { page } = opened;
    const keys: (string | undefined)[] = [];
    await intercept(page, '**/reorder', (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      return keys.length === 1 ? route.abort('connectionreset') : route.continue();
    });
    await page.getByRole('button', { name: 'Change the order' }).click();
    await page.getByLabel('Priority').selectOption('urgent');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The server does not answer').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The order is changed.').waitFor();
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1], 'the outcome of the first was not known');
  });
});

describe('an operator', () => {
  test('sees a row complete, live', async (t) => {
    const opened = await open(t, `/batches/${samples.running}`);
    if (opened === null) return;
    const { page, completeRow } = opened;
    await page.getByText('34 56.7%').waitFor();
    await completeRow(48);
    await page.getByText('35 58.3%').waitFor();
  });

  test('pauses, resolves a row in doubt with evidence, and releases a held row, with the keyboard alone', async (t) => {
    const opened = await open(t, `/batches/${samples.running}`);
    if (opened === null) return;
    const { page, session } = opened;
    const press = async (name: string | RegExp) => {
      await page
        .getByRole('button', { name, exact: typeof name === 'string' })
        .first()
        .focus();
      await page.keyboard.press('Enter');
    };
    await press('Pause');
    const dialog = page.getByRole('dialog');
    await page.keyboard.press('Tab');
    await dialog.getByRole('button', { name: 'Pause' }).press('Enter');
    await dialog.getByText('Give a reason in a few words.').waitFor();
    await dialog.getByLabel('Reason').fill('the list is wrong');
    await dialog.getByRole('button', { name: 'Pause' }).press('Enter');
    await page.getByText('A person paused it: the list is wrong').waitFor();
    await page.getByRole('combobox').selectOption('in_doubt');
    const grid = page.getByRole('grid');
    await grid.getByText('in doubt').first().waitFor();
    await grid.press('Enter');
    await press('Decide with evidence');
    await dialog.getByLabel('Outcome').selectOption('paid');
    await dialog.getByLabel('Evidence').fill('ticket 4711 of the support');
    await press('Resolve');
    await page.getByText('Row 43 is resolved.').waitFor();
    // What does not fit is left out, and nothing lies beside the page. The row's dialog has it.
    const header = (name: string) => grid.getByRole('columnheader', { name, exact: true });
    for (const [width, name, state] of [
      [1180, 'Sent', 'detached'],
      [390, 'Reason', 'detached'],
      [1440, 'Sent', 'visible'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await header(name).waitFor({ state });
      assert.equal(await grid.evaluate((element) => element.scrollWidth <= element.clientWidth), true, `${width}`);
    }
    assert.equal((await findRow(session.db, samples.running, 43))?.status, 'completed');
    // Forced colours (Windows' high contrast) show every edge: the chosen tab has another than the others.
    await page.emulateMedia({ forcedColors: 'active' });
    const edges = await page
      .getByRole('tab')
      .evaluateAll((tabs) => tabs.map((tab) => getComputedStyle(tab).borderBottomColor));
    assert.equal(edges.filter((edge) => edge === edges[0]).length, 1, edges.join(', '));
    // A badge leaves no room for a dot that has the colour of the ground.
    const dots = await page
      .locator('.badge')
      .evaluateAll((badges) => badges.map((badge) => getComputedStyle(badge, '::before').display));
    assert.deepEqual([...new Set(dots)], ['none']);
    await page.emulateMedia({ forcedColors: 'none' });
    await page.getByRole('tab', { name: 'Rows', exact: true }).press('ArrowRight');
    await press('Skip');
    await dialog.getByLabel('Reason').fill('left the company');
    await dialog.getByRole('button', { name: 'Skip' }).press('Enter');
    await page.getByText('1 row is skipped.').waitFor();
    assert.equal((await findRow(session.db, samples.running, 46))?.status, 'skipped');
  });

  test('scrolls through 100,000 rows without delay', { timeout: 120_000 }, async (t) => {
    if (stage === null) return t.skip('no Chromium can run here: set CHROME_PATH');
    const id = await stage.installation.addLong(100_000);
    const opened = await open(t, `/batches/${id}`);
    if (opened === null) return undefined;
    const { page } = opened;
    const grid = page.getByRole('grid');
    await grid.getByRole('gridcell', { name: '1', exact: true }).waitFor();
    const drawn = await grid.getByRole('row').count();
    assert.ok(drawn < 80, `${drawn} rows are drawn`);
    const begun = performance.now();
    await grid.press('End');
    await grid.getByRole('gridcell', { name: '100,000', exact: true }).waitFor();
    t.diagnostic(`the last of 100,000 rows after ${Math.round(performance.now() - begun)} ms`);
    return undefined;
  });
});

test('the wallets say how long their money lasts', async (t) => {
  // What other tests have added to the queue decides how long.
  await (await open(t, '/wallets'))?.page.getByText(/KES: (until .*|longer than a year|not for all rows.*)/).waitFor();
});

test('why a dialog could not do its work is in view on a phone, below however many fields', async (t) => {
  const opened = await open(t, '/people', { options: { viewport: { width: 390, height: 700 } } });
  if (opened === null) return;
  const { page } = opened;
  await page.getByRole('button', { name: 'Add a person' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Njeri Mwangi');
  await dialog.getByText(/^Lower-case letters/).waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.waitForFunction(() => {
    const [said, below] = ['[role=alert]', '.dialog-actions'].map((one) =>
      document.querySelector(`dialog ${one}`)?.getBoundingClientRect(),
    );
    return said !== undefined && below !== undefined && said.top >= 0 && said.top < below.top;
  });
});

test('a payout in many currencies leaves an approver’s phone room for what is paid', async (t) => {
  const opened = await open(t, '/approvals', { options: { viewport: { width: 390, height: 844 } } });
  if (opened === null) return;
  const { page } = opened;
  const sums = Object.fromEntries(['GHS', 'KES', 'NGN', 'RWF', 'TZS', 'UGX', 'ZAR'].map((one) => [one, '100']));
  await intercept(page, '**/api/v1/batches/*/review', async (route) => {
    const response = await route.fetch();
    const review = (await response.json()) as { plan: object };
    return route.fulfill({ response, json: { ...review, plan: { ...review.plan, sums } } });
  });
  await page.getByRole('link', { name: 'Review and approve' }).first().click();
  await page.locator('.decision-bar').waitFor();
  const { height = 0 } = (await page.locator('.decision-bar').boundingBox()) ?? {};
  assert.ok(height < 120, String(height));
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('dialog').getByText('UGX').waitFor();
});

test('a batch that a person rejected is called rejected, with the reason', async (t) => {
  if (stage === null) return t.skip('no Chromium can run here: set CHROME_PATH');
  const context = await windowOf(stage);
  t.after(() => context.close());
  await intercept(context, `**/api/v1/batches/${samples.paused}`, async (route) => {
    const batch = (await (await route.fetch()).json()) as { situation: object };
    const situation = { ...batch.situation, doing: 'cancelled', holds: [], next: null, meanwhile: [] };
    return route.fulfill({
      json: { ...batch, status: 'cancelled', rejection: 'October', rejected_by: 'njeri', pauses: [], situation },
    });
  });
  const { page } = await openPage(context, `${stage.installation.url}/batches/${samples.paused}`);
  await page.getByRole('heading', { name: 'It was rejected' }).waitFor();
  await page.getByText('Reason: October (njeri)').waitFor();
  await page.locator('.badge').getByText('rejected').waitFor();
  const next = page.getByRole('region', { name: 'What is needed now' }).getByRole('link', { name: 'New batch' });
  assert.match((await next.getAttribute('href')) ?? '', /^\/new\?run=./);
  return undefined;
});

/** What stays under the bar at the top or at the end of the page when it gets the focus there. */
function coveredAtFocus(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const [head, bar] = ['.top', '.decision-bar'].map((name) => document.querySelector(name)?.getBoundingClientRect());
    const above = head?.bottom ?? 0;
    const below = bar?.top ?? innerHeight;
    const found = [...document.querySelectorAll<HTMLElement>('main :is(a[href], button, input, select)')];
    return found.flatMap((element) =>
      [0, innerHeight - 60].flatMap((at) => {
        if (element.closest('.decision-bar') !== null) return [];
        element.blur();
        scrollBy(0, element.getBoundingClientRect().top - at);
        element.focus();
        const { top, bottom } = element.getBoundingClientRect();
        return top < above || bottom > below ? [`${element.textContent} at ${top} to ${bottom}`] : [];
      }),
    );
  });
}

describe('an approver', () => {
  test('sees on a phone what is approved, and approves it', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here: set CHROME_PATH');
    const { session } = stage.installation;
    const newest = async () => {
      const page = await performIn(session, listBatches, { nameOf: (field) => field }, { limit: 1 });
      return page.batches[0];
    };
    const waiting = await newest();
    const { content_sha256: digest } = await requireBatch(session.db, waiting?.batch_id ?? '');
    const opened = await open(t, '/approvals', { options: { viewport: { width: 390, height: 844 } } });
    if (opened === null) return undefined;
    const { page } = opened;
    await page.getByRole('link', { name: 'Review and approve' }).click();
    await page.getByText('The digest of the rows').waitFor();
    await page.getByText(digest?.match(/.{1,8}/g)?.join(' ') ?? 'no digest').waitFor();
    assert.deepEqual(await axeFaults(page, ['light']), []);
    await page.locator('.decision-bar').getByText('1 product').waitFor();
    assert.deepEqual(await coveredAtFocus(page), []);
    await page.getByText('invalid: 1', { exact: true }).waitFor();
    // The approver has seen the batch as it was, and its new state takes long to come.
    await page.getByRole('link', { name: 'Back to the batch' }).click();
    await page.getByText('It waits for a second person').waitFor();
    assert.match((await page.locator('.figure').first().textContent()) ?? '', /^Rows to pay411 of 412 rows$/);
    await page.getByRole('link', { name: 'Review and approve' }).click();
    await page.getByRole('button', { name: 'Approve' }).click();
    const arrival = Promise.withResolvers<void>();
    await intercept(page, /\/api\/v1\/batches\/[^/]+$/, async (route) => {
      await arrival.promise;
      await route.continue();
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('The batch is approved.').waitFor();
    await page.waitForURL(/\/batches\/[^/]+$/);
    assert.equal(await page.getByText('It waits for a second person').count(), 0, 'the state before the approval');
    arrival.resolve();
    await page.getByRole('heading', { level: 1, name: waiting?.run_id ?? 'no run' }).waitFor();
    const decided = await newest();
    assert.deepEqual([decided?.batch_id, decided?.approved_by], [waiting?.batch_id, 'wanjiru']);
    return undefined;
  });
});

/** What somebody between the reports and the browser may answer; and what the browser must name as wrong. */
const attacks: [string, (text: string) => string, string][] = [
  ['results.csv', (text) => text.replace('completed', 'Completed'), 'results.csv'],
  ['report.html', (text) => `${text} `, 'report.html'],
  ['events.jsonl', (text) => text.replace('"engine"', '"nobody"'), 'events.jsonl:'],
  ['events.jsonl', (text) => `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`, 'events.jsonl'],
  ['manifest.json', (text) => text.replace('"program": "', '"program": "x'), 'manifest.sig'],
  ['manifest.json', (text) => text.replace(samples.done, samples.running), 'manifest.json'],
  [
    'manifest.json',
    (text) => text.replace('BEGIN PUBLIC KEY-----\\nMC', 'BEGIN PUBLIC KEY-----\\nMD'),
    'manifest.json',
  ],
  ['manifest.sig', (text) => text.slice(1), 'manifest.sig'],
];

async function attackReports(page: Page): Promise<void> {
  for (const [file, edit, named] of attacks) {
    const address = new RegExp(`/report-files/${file.replace('.', '\\.')}\\?`);
    await intercept(page, address, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: Buffer.from(edit((await response.body()).toString('latin1')), 'latin1') });
    });
    await page.getByRole('button', { name: 'Verify in this browser' }).click();
    const red = page.locator('.notice.tone-bad').getByText(named).first();
    await red.waitFor({ timeout: 20_000 });
    assert.equal(await page.getByText('The reports are complete and unchanged').count(), 0, file);
    await page.unroute(address);
  }
  await page.getByRole('button', { name: 'Verify in this browser' }).click();
  await page.getByText('The reports are complete and unchanged').waitFor();
}

describe('an auditor', () => {
  test('writes masked reports, verifies them in the browser, and can change nothing', async (t) => {
    const opened = await open(t, `/batches/${samples.done}`, { name: 'auditor', roles: ['audit'] });
    if (opened === null) return;
    const { page } = opened;
    await page.getByRole('tab', { name: 'Events' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Pay failed rows again' }).count(), 0);
    await page.getByRole('link', { name: 'Reports' }).last().click();
    await page.getByRole('button', { name: 'Write them masked' }).click();
    await page.getByRole('button', { name: 'Verify in this browser' }).click();
    await page.getByText('The reports are complete and unchanged').waitFor();
    await page.getByLabel(/Fingerprint that the owner/).fill('ab cd');
    await page.getByText('These reports were signed with a different key.').waitFor();
    await page.getByRole('heading', { name: 'The reports were changed' }).waitFor();
    await attackReports(page);
  });
});

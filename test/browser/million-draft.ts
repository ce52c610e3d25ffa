import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Browser, Page } from 'playwright-core';
import { csvOf, wrongEvery } from '../../bench/drafts.ts';
import type { FromServer } from '../../bench/drafts-child.ts';
import { asLauncher } from '../../bench/memory.ts';
import { root } from '../house/imports.ts';
import { buildConsole, openBrowser, openPage, windowOf } from './browser.ts';

const jumps = 24;
const waitMs = 1_800_000;

/**
 * `node test/browser/million-draft.ts [ROWS]`: a clerk uploads a file of a million rows in a real browser, goes through
 * its grid, filters it, changes a cell and a group, and plans it. What each step takes, and the memory of the server and
 * of the page.
 */
async function measure(browser: Browser, folder: string, rows: number): Promise<void> {
  const file = join(folder, 'november.csv');
  await pipeline(Readable.from(csvOf(rows)), createWriteStream(file));
  await mkdir(join(folder, 'served'), { mode: 0o700 });
  const child = fork(join(root, 'bench/drafts-child.ts'), [join(folder, 'served'), buildConsole()], {
    execArgv: asLauncher.execArgv,
    env: { ...process.env, ...asLauncher.env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const next = async () => (await once(child, 'message'))[0] as FromServer;
  const ready = (await next()) as Extract<FromServer, { kind: 'ready' }>;
  const context = await windowOf({ browser, installation: ready });
  const { page } = await openPage(context, `${ready.url}/new`);
  page.setDefaultTimeout(waitMs);
  const { metric, heap } = await metricsOf(page);
  const serverPeak = async () => {
    child.send('peak');
    return ((await next()) as Extract<FromServer, { kind: 'peak' }>).peakMiB;
  };
  const step = async (name: string, work: () => Promise<unknown>) => {
    const [begun, before] = [performance.now(), await metric('TaskDuration')];
    await work();
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    const busy = (((await metric('TaskDuration')) - before) * 1_000).toFixed(0);
    const memory = `server's peak ${await serverPeak()} MiB, page ${await heap()} MiB`;
    process.stdout.write(`${name}: ${seconds} s, main thread of the page ${busy} ms; ${memory}\n`);
  };
  await walk(page, { file, rows, step, metric });
  child.disconnect();
  await once(child, 'exit');
}

interface Walk {
  file: string;
  rows: number;
  step: (name: string, work: () => Promise<unknown>) => Promise<void>;
  metric: (name: string) => Promise<number>;
}

async function walk(page: Page, { file, rows, step, metric }: Walk): Promise<void> {
  const count = (value: number) => value.toLocaleString('en');
  const grid = page.getByRole('grid');
  const wrong = Math.ceil(rows / wrongEvery);
  const option = (text: string) => page.locator('option', { hasText: text }).waitFor({ state: 'attached' });
  // The header is the first line.
  const cell = (row: number) => grid.getByRole('rowheader', { name: count(row + 1), exact: true }).waitFor();
  await step('upload and check', async () => {
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('heading', { level: 1, name: 'november.csv' }).waitFor();
    await option(`Ready (${count(rows - wrong)})`);
  });
  await step('first rows', () => cell(2));
  const costs: number[] = [];
  await step(`${jumps} jumps`, async () => {
    for (let jump = 0; jump < jumps; jump++) costs.push(await jumpCost(page, metric, ((jump * 7) % jumps) / jumps));
  });
  const median = costs.toSorted((a, b) => a - b)[jumps / 2] ?? Number.NaN;
  process.stdout.write(`a jump: ${median.toFixed(1)} ms of processor time\n`);
  await step('last row', async () => {
    await grid.press('Control+End');
    await cell(rows);
  });
  const state = page.locator('.filters select');
  await step('filter by state', async () => {
    await state.selectOption('invalid');
    await grid.press('Control+Home');
    await cell(wrongEvery + 1);
  });
  await step('all rows again', async () => {
    await state.selectOption('all');
    await cell(2);
  });
  const search = page.getByPlaceholder('Find in any cell');
  await step('search', async () => {
    await search.fill(`person ${rows - 2}`);
    await cell(rows - 1);
  });
  await search.fill('');
  await cell(2);
  await step('fix a group, and check', async () => {
    await page.getByRole('button', { name: 'Correct', exact: true }).click();
    await page.getByLabel('Country', { exact: true }).selectOption('KE');
    await page.getByRole('button', { name: `Correct ${count(wrong)} rows` }).click();
    await option(`Ready (${count(rows)})`);
  });
  await step('plan', async () => {
    await page.getByRole('button', { name: 'See the plan' }).click();
    await page.getByRole('button', { name: 'Submit' }).waitFor();
  });
}

async function metricsOf(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const metric = async (wanted: string) => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  };
  const heap = async () => {
    await devtools.send('HeapProfiler.collectGarbage');
    return ((await metric('JSHeapUsedSize')) / 1024 ** 2).toFixed(1);
  };
  return { metric, heap };
}

async function jumpCost(page: Page, metric: Walk['metric'], part: number): Promise<number> {
  const before = await metric('TaskDuration');
  await page.evaluate(async (share) => {
    const frame = document.querySelector('.grid-frame') as HTMLElement;
    frame.scrollTop = frame.scrollHeight * share;
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }, part);
  return ((await metric('TaskDuration')) - before) * 1_000;
}

const browser = await openBrowser();
if (browser === null) throw new Error('no Chromium can run here: set CHROME_PATH');
const folder = mkdtempSync(join(tmpdir(), 'airbatch-draft-'));
try {
  await measure(browser, folder, Number(process.argv[2] ?? 1_000_000));
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

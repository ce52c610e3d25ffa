import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { extname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { type RunningCommand, startCommand } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { sandboxHere } from '../support/sandbox-process.ts';
import { buildConsole, intercept, openBrowser } from './browser.ts';

const password = 'correct horse battery';
const codePeriodMs = 30_000;
const rows = 30;
const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

/** A port that was free a moment ago: the program is started again at the same address. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** `airbatch console` in a folder, at a sandbox that lives on, which is killed and started again as often as a test wants. */
async function program(t: TestContext) {
  const cwd = folderOf(t);
  const { url: baseUrl, liveCharges } = await sandboxHere(t);
  // What a kill left in doubt is looked up soon.
  const doubt = { lookupDelaysMs: [1_000], resendDelaysMs: [2_000] };
  const main = { baseUrl, apiKeyEnv: 'AIRBATCH_API_KEY', doubt };
  const policy = { approval: { needed: 'always' } };
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ accounts: { main }, policy }));
  const port = await freePort();
  let command: RunningCommand | null = null;
  t.after(() => command?.child.kill('SIGKILL'));
  const start = async () => {
    const env = { AIRBATCH_API_KEY: 'sandbox-key' };
    command = startCommand(['--json', 'console', '--port', String(port)], { cwd, env });
    const [line] = await command.seen(/\{\n? *"url":[^}]+\}/);
    return JSON.parse(line) as { url: string; link: string | null };
  };
  const kill = async () => {
    command?.child.kill('SIGKILL');
    await command?.ended;
  };
  return { cwd, start, kill, liveCharges };
}

type Program = Awaited<ReturnType<typeof program>>;

/** A browser of somebody's own. The files of the console come from the build, everything else from the program. */
async function browserOf(t: TestContext, browser: Browser, files: string): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-KE', timezoneId: 'Africa/Nairobi' });
  t.after(() => context.close());
  await intercept(context, /^http:\/\/localhost:[0-9]+\/(?!api\/)/, (route) => {
    const { pathname } = new URL(route.request().url());
    const path = pathname.startsWith('/assets/') ? pathname : '/index.html';
    const contentType = types[extname(path)] ?? 'text/html; charset=utf-8';
    return route.fulfill({ contentType, body: readFileSync(join(files, path)) });
  });
  return context.newPage();
}

/** Opens a one-time link, and sets the password. */
async function enter(page: Page, link: string, name?: string): Promise<void> {
  await page.goto(link);
  if (name !== undefined) await page.getByLabel('Name').fill(name);
  await page.getByLabel('New password').fill(password);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByRole('heading', { level: 1, name: 'Batches' }).waitFor();
}

/** Adds an app with codes. Each code counts once, so the next one is that of the next period. */
async function addCodes(page: Page, url: string): Promise<() => string> {
  await page.goto(`${url}/account`);
  await page.getByRole('button', { name: 'Add an app with codes' }).click();
  const secret = ((await page.locator('.secret').textContent()) ?? '').replaceAll(' ', '');
  const codes = new TOTP({ secret: Secret.fromBase32(secret) });
  await page.locator('[name=code]').fill(codes.generate());
  await page.locator('dialog button[type=submit]').click();
  await page.getByRole('button', { name: 'Remove' }).waitFor();
  return () => codes.generate({ timestamp: Date.now() + codePeriodMs });
}

async function confirm(page: Page, code: string): Promise<void> {
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
  await page.locator('[name=code]').fill(code);
  await page.getByRole('button', { name: 'Confirm' }).click();
}

/** The administrator adds a person. Returns the person's link. */
async function invite(page: Page, name: string, roles: readonly RegExp[], code: string | null): Promise<string> {
  await page.getByRole('button', { name: 'Add a person' }).click();
  const dialog = page.getByRole('dialog').first();
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await dialog.getByLabel('Full name').fill(name);
  await dialog.getByRole('checkbox', { name: /uploads and corrects/ }).uncheck();
  for (const role of roles) await dialog.getByRole('checkbox', { name: role }).check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  if (code !== null) await confirm(page, code);
  await page.getByRole('heading', { name: `Link for ${name}` }).waitFor();
  const link = (await page.locator('.secret').textContent()) ?? '';
  await page.getByRole('button', { name: 'Close' }).click();
  return link;
}

const header = 'name,phone_number,network_id,amount,currency,note';
/** The notes make the file large enough for a slow line to be cut in the middle of it. */
const lines = Array.from({ length: rows }, (_, index) => {
  const number = `${712_345_600 + index}`;
  return `Person ${index},${index < 2 ? `0${number}` : `+254${number}`},Safaricom,${100 + index},KES,${'x'.repeat(400)}`;
});
const file = { name: 'november.csv', mimeType: 'text/csv', buffer: Buffer.from([header, ...lines].join('\n')) };

/** Uploads on a slow line; the program is killed while the file arrives, and the browser sends it again. */
async function uploadThroughKill(page: Page, url: string, { cwd, kill, start }: Program): Promise<void> {
  await page.goto(`${url}/new`);
  const slow = { offline: false, latency: 300, downloadThroughput: 50_000, uploadThroughput: 4_000 };
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.emulateNetworkConditions', slow);
  await page.locator('input[type=file]').setInputFiles(file);
  const uploads = join(cwd, '.airbatch/uploads');
  while (!existsSync(uploads) || readdirSync(uploads).length === 0) await new Promise((soon) => setTimeout(soon, 20));
  await kill();
  await page.getByText('The file is sent as soon as it does').waitFor();
  await start();
  await page.getByRole('heading', { level: 1, name: 'november.csv' }).waitFor({ timeout: 60_000 });
  const drafts = await page.evaluate(async () => (await (await fetch('/api/v1/drafts')).json()).drafts.length);
  assert.equal(drafts, 1);
}

/** Corrects a group of rows, and submits, all on the slow line. Returns the path of the batch. */
async function correctAndSubmit(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Correct' }).first().click();
  await page.getByLabel('Country', { exact: true }).selectOption('KE');
  await page.getByRole('button', { name: 'Correct 2 rows' }).click();
  await page.locator('option', { hasText: `Ready (${rows})` }).waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'See the plan' }).click();
  await page.getByText(`${rows} rows will be paid.`).waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.waitForURL('**/batches/**');
  return new URL(page.url()).pathname;
}

/** Approves; the program is killed before the approval arrives, and again before its answer leaves. */
async function approveThroughKills(page: Page, nextCode: () => string, { kill, start }: Program): Promise<void> {
  let attempts = 0;
  let kills = 0;
  await intercept(page, '**/approve', async (route) => {
    attempts += 1;
    // The first attempt asks for the second factor.
    if (attempts === 1 || attempts > 3) return route.continue();
    if (attempts === 3) assert.equal((await route.fetch()).status(), 200);
    await kill();
    kills += 1;
    return route.abort('connectionreset');
  });
  const dialog = page.getByRole('dialog');
  await page.getByRole('link', { name: 'Review and approve' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await confirm(page, nextCode());
  for (const killed of [1, 2]) {
    // The dialog may still show the answer to the attempt before: a program that is started now would be killed.
    while (kills < killed) await new Promise((soon) => setTimeout(soon, 20));
    await dialog.getByText('The server does not answer').waitFor();
    await start();
    await dialog.getByRole('button', { name: 'Approve' }).click();
  }
  await page.getByText('The batch is approved.').waitFor();
}

test('the way of a clerk, an approver, an operator and an auditor, from an empty folder to the verified report', {
  timeout: 600_000,
}, async (t) => {
  const browser = await openBrowser();
  if (browser === null) return t.skip('no Chromium can run here: set CHROME_PATH');
  t.after(() => browser.close());
  const consoleFolder = buildConsole();
  const running = await program(t);
  const { url, link } = await running.start();
  const windows = () => browserOf(t, browser, consoleFolder);

  const admin = await windows();
  await enter(admin, link ?? '', 'amina');
  const adminCode = await addCodes(admin, url);
  await admin.goto(`${url}/people`);
  const clerkLink = await invite(admin, 'kamau', [/uploads and corrects/], adminCode());
  const approverLink = await invite(admin, 'njeri', [/approves and rejects/], null);
  const operatorLink = await invite(admin, 'otieno', [/sends, pauses/, /decides whether/], null);
  const auditorLink = await invite(admin, 'zawadi', [/sees everything/], null);

  const clerk = await windows();
  await enter(clerk, clerkLink);
  await uploadThroughKill(clerk, url, running);
  const batch = await correctAndSubmit(clerk);
  await clerk.getByText('It waits for a second person').waitFor();

  const operator = await windows();
  await enter(operator, operatorLink);
  await operator.goto(url + batch);
  const approver = await windows();
  await enter(approver, approverLink);
  const approverCode = await addCodes(approver, url);
  await approver.goto(url + batch);
  await approveThroughKills(approver, approverCode, running);

  // The operator's page is open all the time. The program is killed as soon as the page shows that rows were sent.
  const sent = operator.getByRole('grid').getByText(/^(being sent|accepted|completed)$/);
  await sent.first().waitFor({ timeout: 60_000 });
  await running.kill();
  await operator.getByText('No connection to the server').waitFor({ timeout: 60_000 });
  await running.start();
  await operator.getByText(`${rows} / ${rows}`).waitFor({ timeout: 120_000 });
  await operator.getByText('No connection to the server').waitFor({ state: 'hidden' });
  const charges = [...(await running.liveCharges()).values()];
  assert.deepEqual(charges, Array<number>(rows).fill(1), 'each row was charged once');

  const auditor = await windows();
  await enter(auditor, auditorLink);
  await auditor.goto(url + batch.replace('/batches/', '/reports/'));
  await auditor.getByRole('button', { name: 'Write them masked' }).click();
  await auditor.getByRole('button', { name: 'Verify in this browser' }).click();
  await auditor.getByText('The reports are complete and unchanged').waitFor();
  await auditor.goto(url + batch);
  await auditor.getByRole('tab', { name: 'Events' }).click();
  await auditor.getByText('njeri').first().waitFor();
  for (const name of ['Pause', 'Resume', 'Change the order', 'Pay failed rows again'])
    assert.equal(await auditor.getByRole('button', { name }).count(), 0, name);
  return undefined;
});

import type { Page, Route } from 'playwright-core';
import { intercept } from './browser.ts';
import {
  answer,
  deliveries,
  factors,
  failed,
  jobs,
  keys,
  longId,
  longName,
  never,
  openLines,
  ownSessions,
  reconciliation,
  sessions,
  signedOut,
  storedReconciliation,
  storedReconciliations,
  workers,
} from './sample-answers.ts';
import { samples } from './samples.ts';

/** A page of the console, or a state of one, that people look at. */
export interface PageState {
  name: string;
  path: string;
  /** Answers that the sample ledger does not give: the path of the API, and what is done with its requests. */
  answers?: Record<string, (route: Route) => unknown>;
  /** What a person does on the page before it is looked at. */
  steps?: (page: Page) => Promise<void>;
}

const nth = (role: 'tab' | 'button', index: number) => (page: Page) =>
  page.getByRole('main').getByRole(role).nth(index).click();
const submit = (page: Page) => page.locator('button[type=submit]').last().click();
const dialogBy = (index: number) => async (page: Page) => {
  await page.locator('.page-head .button').nth(index).click();
  await page.getByRole('dialog').waitFor();
};

/** A file with a row that no network can pay, and one whose number lacks its country. No file comes twice. */
async function upload(page: Page): Promise<void> {
  const lines = [
    'phone_number,network_id,amount,currency,employee,note',
    `+254712000001,1,500,KES,${longName},${performance.now()}`,
    '0712000002,1,123456789012,KES,Otieno Odhiambo,',
    '+254712000003,1,,KES,Achieng Were,',
  ];
  const buffer = Buffer.from(lines.join('\n'));
  const file = { name: 'payroll of december.csv', mimeType: 'text/csv', buffer };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.waitForURL('**/new/**');
  await page.locator('.mending').waitFor();
}

/** What each list shows while it loads, without anything in it, and after an error. */
function statesOf(name: string, path: string, api: string, empty: unknown): PageState[] {
  return [
    { name: `${name}-loading`, path, answers: { [api]: never } },
    { name: `${name}-empty`, path, answers: { [api]: answer(empty) } },
    { name: `${name}-error`, path, answers: { [api]: failed } },
  ];
}

const own = { 'session/all': answer(ownSessions) };
/** A reconciliation is made, and two that were made before. */
const reconciliations = {
  reconciliations: (route: Route) =>
    answer(route.request().method() === 'POST' ? reconciliation : storedReconciliations)(route),
  'reconciliations/R-1': answer(storedReconciliation),
  'reconciliations/R-1/items': answer(openLines),
};
const noFactors = { totp: false, passkeys: [] };

/** All pages of the console, with what opens over them, and the states of three lists. `waiting`: a batch to approve. */
export function allPages(waiting: string): PageState[] {
  const running = `/batches/${samples.running}`;
  return [
    { name: 'batches', path: '/' },
    { name: 'menu', path: '/', steps: (page) => page.locator('.menu-button').click({ timeout: 500 }).catch(never) },
    { name: 'own-menu', path: '/', steps: (page) => page.locator('.who button').first().click() },
    { name: 'batch-running', path: running },
    { name: 'batch-held', path: running, steps: nth('tab', 1) },
    { name: 'batch-events', path: running, steps: nth('tab', 2) },
    { name: 'batch-details', path: running, steps: nth('tab', 3) },
    { name: 'batch-row', path: `${running}?row=43` },
    { name: 'batch-pause', path: running, steps: dialogBy(0) },
    { name: 'batch-paused', path: `/batches/${samples.paused}` },
    { name: 'batch-reorder', path: `/batches/${samples.paused}`, steps: dialogBy(1) },
    { name: 'batch-done', path: `/batches/${samples.done}` },
    { name: 'batch-long', path: `/batches/${longId}` },
    { name: 'batch-waiting', path: `/batches/${waiting}` },
    { name: 'approvals', path: '/approvals' },
    { name: 'approval', path: `/batches/${waiting}/approval` },
    {
      ...{ name: 'approval-dialog', path: `/batches/${waiting}/approval` },
      steps: (page) => page.locator('.decision-bar .main-action').click(),
    },
    { name: 'new', path: '/new' },
    { name: 'draft', path: '/new', steps: upload },
    { name: 'doubts', path: '/doubts' },
    { name: 'doubts-picked', path: '/doubts', steps: (page) => page.getByRole('checkbox').first().check() },
    { name: 'doubts-held', path: '/doubts', steps: nth('tab', 1) },
    { name: 'payments', path: '/payments' },
    {
      ...{ name: 'payments-person', path: '/payments' },
      async steps(page) {
        await page.locator('input[type=tel]').fill('+254712000137');
        await submit(page);
        await page.getByRole('table').waitFor();
      },
    },
    {
      ...{ name: 'payments-files', path: '/payments' },
      async steps(page) {
        await nth('tab', 1)(page);
        await submit(page);
        await page.getByRole('table').waitFor();
      },
    },
    { name: 'payments-journal', path: '/payments', steps: nth('tab', 2) },
    { name: 'reports', path: '/reports' },
    {
      ...{ name: 'report', path: `/reports/${samples.done}` },
      async steps(page) {
        await page.locator('.page-head button').last().click();
        await page.locator('.file-list').waitFor();
      },
    },
    { name: 'reconciliation', path: '/reconciliation', answers: reconciliations },
    { name: 'reconciliation-earlier', path: '/reconciliation/R-1', answers: reconciliations },
    {
      ...{ name: 'reconciliation-result', path: '/reconciliation' },
      answers: reconciliations,
      async steps(page) {
        await submit(page);
        await page.getByRole('table').nth(2).waitFor();
      },
    },
    { name: 'jobs', path: '/jobs', answers: { jobs: answer(jobs) } },
    {
      ...{ name: 'payout', path: '/payout' },
      async steps(page) {
        for (const [index, text] of ['5000', '123456789012', 'KES'].entries())
          await page.locator('form input').nth(index).fill(text);
        await submit(page);
        await page.locator('.figures').waitFor();
      },
    },
    { name: 'wallets', path: '/wallets' },
    { name: 'workers', path: '/workers', answers: { workers: answer(workers) } },
    { name: 'people', path: '/people' },
    { name: 'people-new', path: '/people', steps: (page) => page.locator('.card-head .button').click() },
    { name: 'people-sessions', path: '/people', answers: { sessions: answer(sessions) }, steps: nth('tab', 1) },
    { name: 'people-keys', path: '/people', answers: { 'api-keys': answer(keys) }, steps: nth('tab', 2) },
    { name: 'people-keys-empty', path: '/people', answers: { 'api-keys': answer({ keys: [] }) }, steps: nth('tab', 2) },
    {
      ...{ name: 'people-key-made', path: '/people', answers: { 'api-keys': answer(keys) } },
      async steps(page) {
        await nth('tab', 2)(page);
        const made = answer({ secret: `ab_${'k7Zq'.repeat(12)}`, key: keys.keys[0] });
        await intercept(page, '**/api/v1/api-keys', (route) =>
          route.request().method() === 'POST' ? made(route) : route.fallback(),
        );
        await page.locator('.card-head .button').click();
        await page.getByRole('dialog').getByRole('textbox').first().fill('payroll');
        await page.getByRole('dialog').locator('button[type=submit]').click();
        await page.locator('.secret').waitFor();
      },
    },
    { name: 'account', path: '/account', answers: { ...own, 'session/factors': answer(factors) } },
    { name: 'account-none', path: '/account', answers: { ...own, 'session/factors': answer(noFactors) } },
    {
      ...{ name: 'account-app', path: '/account' },
      answers: {
        ...own,
        'session/factors': answer(noFactors),
        'session/factors/totp': answer({
          secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
          uri: 'otpauth://totp/airbatch:wanjiru?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=airbatch',
        }),
      },
      async steps(page) {
        await page.locator('.card .button').nth(1).click();
        await page.locator('svg.qr').waitFor();
      },
    },
    {
      ...{ name: 'account-password', path: '/account', answers: { ...own, 'session/factors': answer(factors) } },
      // Below the second factors, and before the sessions.
      steps: (page) => page.locator('.card').nth(1).locator('.button').click(),
    },
    { name: 'audit', path: '/audit' },
    { name: 'audit-access', path: '/audit', steps: nth('tab', 1) },
    { name: 'settings', path: '/settings' },
    { name: 'settings-new', path: '/settings', steps: (page) => page.locator('.card-head .button').click() },
    {
      ...{ name: 'endpoint', path: '/settings', answers: { 'webhooks/[^/]+/deliveries': answer(deliveries) } },
      steps: (page) => page.locator('.table a').first().click(),
    },
    {
      ...{ name: 'endpoint-delivery', path: '/settings', answers: { 'webhooks/[^/]+/deliveries': answer(deliveries) } },
      async steps(page) {
        await page.locator('.table a').first().click();
        await page.locator('.table tbody tr .button').first().click();
        await page.getByRole('dialog').waitFor();
      },
    },
    {
      ...{ name: 'endpoint-new', path: '/settings' },
      steps: (page) => page.locator('.table a').first().click(),
    },
    { name: 'nowhere', path: '/nowhere' },
    { name: 'sign-in', path: '/', answers: { session: signedOut } },
    { name: 'link', path: '/link#token', answers: { session: signedOut } },
    {
      ...{ name: 'batches-offline', path: '/' },
      async steps(page) {
        await page.context().setOffline(true);
        await page.locator('.offline-bar').waitFor();
      },
    },
    ...statesOf('batches', '/', 'batches', { batches: [], next: null }),
    ...statesOf('jobs', '/jobs', 'jobs', { jobs: [], folder: '/srv/airbatch/jobs' }),
    ...statesOf('approvals', '/approvals', 'batches', { batches: [], next: null }),
  ];
}

/** Opens the state of a page: with its answers, after its steps, and when all has loaded. */
export async function openState(
  page: Page,
  url: string,
  { name, path, answers = {}, steps }: PageState,
): Promise<void> {
  for (const [api, act] of Object.entries(answers)) await intercept(page, new RegExp(`/api/v1/${api}(\\?.*)?$`), act);
  await page.goto(`${url}${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const isLoading = name.endsWith('-loading');
  if (!isLoading) await settled(page);
  await steps?.(page);
  if (!isLoading) await settled(page);
}

/** Waits until everything that the page asked for is there. */
export async function settled(page: Page): Promise<void> {
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

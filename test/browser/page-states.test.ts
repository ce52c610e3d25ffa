import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { createApiKey } from '../../src/operations/access/create-api-key.ts';
import { performIn } from '../../src/operations/base/operation.ts';
import { intercept, leavePage, makeStage, type Stage, windowOf } from './browser.ts';
import { answer, factors, failed, ownSessions } from './sample-answers.ts';
import { samples } from './samples.ts';

/** Every page that reads something. */
const paths = [
  ...['/', `/batches/${samples.running}`, '/approvals', '/new', '/doubts', '/payments', '/reports'],
  ...[`/reports/${samples.done}`, '/reconciliation', '/jobs', '/wallets', '/workers', '/people', '/account', '/audit'],
  ...['/settings', '/payout'],
];
/** What the server answers; for the own account, which a key has not, what a person would see. */
function real(route: Route): unknown {
  const { pathname } = new URL(route.request().url());
  if (pathname.endsWith('/session/factors')) return answer(factors)(route);
  if (pathname.endsWith('/session/all')) return answer(ownSessions)(route);
  return route.fallback();
}

let stage: Stage | null = null;
before(async () => {
  stage = await makeStage();
});
after(() => stage?.close());

/** The server answers to who is signed in, and `act` to everything else. */
async function routeTo(page: Page, act: (route: Route) => unknown): Promise<void> {
  const isOthers = ({ pathname }: URL) => pathname.startsWith('/api/v1/') && pathname !== '/api/v1/session';
  await intercept(page, isOthers, act);
}

describe('every page', { timeout: 600_000 }, () => {
  // One tab for all pages.
  let context: BrowserContext | null = null;
  let page: Page | null = null;
  before(async () => {
    if (stage === null) return;
    context = await windowOf(stage);
    page = await context.newPage();
  });
  after(() => context?.close());

  for (const path of paths) {
    test(`${path} says that it loads, why it has nothing to show, and that there is no connection`, async (t) => {
      if (stage === null || context === null || page === null)
        return t.skip('no Chromium can run here: set CHROME_PATH');
      await leavePage(page);
      const { promise: mayAnswer, resolve: answerNow } = Promise.withResolvers<void>();
      let isBroken = true;
      await routeTo(page, async (route) => {
        await mayAnswer;
        return isBroken ? failed(route) : real(route);
      });
      await page.goto(`${stage.installation.url}${path}`);
      await page.getByRole('status').getByText('Loading').first().waitFor();

      // These read nothing before somebody enters something.
      if (path === '/new' || path === '/payments') isBroken = false;
      answerNow();
      if (isBroken) await page.getByRole('alert').getByText('INTERNAL').first().waitFor();
      isBroken = false;
      for (let tries = 0; tries < 9 && (await page.getByRole('alert').count()) > 0; tries++) {
        const again = page.getByRole('button', { name: 'Try again' }).first();
        await again.click({ timeout: 2_000 }).catch(() => undefined);
        await page.waitForTimeout(100);
      }
      assert.equal(await page.getByRole('alert').count(), 0);

      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      const before = await page.locator('main').textContent();
      await context.setOffline(true);
      await page.locator('.offline-bar').waitFor();
      const shown = await page.locator('main').textContent();
      const title = await page.getByRole('heading', { level: 1 }).textContent();
      assert.ok(title && before?.includes(title) && shown?.includes(title), `${shown}`);
      await context.setOffline(false);
      await page.locator('.offline-bar').waitFor({ state: 'detached' });
      return undefined;
    });
  }

  test('is there for an auditor: the server refuses nothing that it asks for, and shows no complete number', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here: set CHROME_PATH');
    const { session, url } = stage.installation;
    const door = { nameOf: (field: string) => field };
    const { secret } = await performIn(session, createApiKey, door, { name: 'zawadi', roles: ['audit'] });
    const { browser } = stage;
    const context = await windowOf({ browser, installation: { key: secret } }, { name: 'zawadi', roles: ['audit'] });
    t.after(() => context.close());
    const page = await context.newPage();
    const refused: string[] = [];
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (response.status() >= 400) refused.push(`${response.status()} ${pathname}`);
    });
    for (const path of paths.filter((one) => one !== '/account')) {
      await page.goto(`${url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const tabs = page.getByRole('main').getByRole('tab');
      for (let index = 0; index === 0 || index < (await tabs.count()); index++) {
        if ((await tabs.count()) > 0) await tabs.nth(index).click();
        await page.locator('.skeleton').first().waitFor({ state: 'detached' });
        assert.equal(await page.getByRole('alert').count(), 0, `${path}, part ${index}`);
        assert.doesNotMatch((await page.locator('main').textContent()) ?? '', /2547\d{8}/, path);
      }
    }
    assert.deepEqual(refused, []);
    return undefined;
  });

  test('that was never opened says without a connection that there is none, and is there after it', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here: set CHROME_PATH');
    const context = await windowOf(stage);
    t.after(() => context.close());
    const page = await context.newPage();
    await routeTo(page, real);
    await page.goto(stage.installation.url);
    await page.getByRole('link', { name: 'payroll-2026-11' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Wallets' }).click();
    await page.getByRole('heading', { name: 'No connection' }).waitFor();
    await page.locator('.offline-bar').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByRole('heading', { level: 1, name: 'Wallets' }).waitFor();
    return undefined;
  });
});

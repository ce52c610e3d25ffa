import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { inUnit } from '../../src/ledger/unit-of-work.ts';
import { makeWebhookDelivery } from '../../src/notify/deliver-webhooks.ts';
import { queueWebhooks } from '../../src/notify/webhook-events.ts';
import { axeFaults } from './axe.ts';
import { intercept, makeStage, openPage, type Stage, windowOf } from './browser.ts';

let stage: Stage | null = null;
before(async () => {
  stage = await makeStage();
});
after(() => stage?.close());

async function isAccessible(page: Page): Promise<void> {
  assert.deepEqual(await axeFaults(page, ['light']), []);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
}

test('an administrator makes an endpoint, sees what was sent to it, sends it again, and disables it', async (t) => {
  if (stage === null) return t.skip('no Chromium can run here: set CHROME_PATH');
  const { session, url } = stage.installation;
  const context = await windowOf(stage);
  t.after(() => context.close());
  const { page, faults } = await openPage(context, `${url}/settings`);
  await page.getByText('There are no endpoints').waitFor();
  await page.getByRole('row', { name: /policy\.approval\.needed always/ }).waitFor();
  await page.getByRole('button', { name: 'New endpoint' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Enter a complete address').waitFor();
  // Nothing listens there: the message waits, and the log says why.
  await page.getByLabel('Address').fill('http://127.0.0.1:9/hook?token=abc');
  await page.getByLabel('batch.paused').check();
  await isAccessible(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.secret').waitFor();
  // A secret that is shown once stays at a key that is pressed by mistake.
  for (const _ of [1, 2, 3]) await page.keyboard.press('Escape');
  assert.equal(await page.locator('.secret').isVisible(), true);
  assert.match((await page.locator('.secret').textContent()) ?? '', /^whsec_/);
  await page.getByRole('button', { name: 'Close' }).click();
  await session.db.execute('DELETE FROM webhook_cursors');
  const { db, clock, random } = session;
  const ending = new AbortController().signal;
  const openSecret = async () => `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const quiet = { openSecret, onDisabled: () => undefined, onError: (error: unknown) => assert.fail(String(error)) };
  const delivery = makeWebhookDelivery({ db, clock, random, mayBePrivate: false, ending, ...quiet });
  await queueWebhooks(db, clock.now(), []);
  await delivery.begin();
  await delivery.ended();
  await page.getByRole('link', { name: 'http://127.0.0.1:9/hook', exact: true }).click();
  const row = page.getByRole('row', { name: /batch\.paused/ }).first();
  await row.getByText('waiting').waitFor();
  await row.getByText('ECONNREFUSED').waitFor();
  await isAccessible(page);
  await db.execute('UPDATE webhook_deliveries SET due_at = NULL, failed_at = created_at');
  await row.getByText('failed', { exact: true }).waitFor();
  await row.getByRole('button').click();
  await page.getByText('"type": "batch.paused"').waitFor();
  await page.getByRole('button', { name: 'Send again' }).click();
  await row.getByText('waiting').waitFor();
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByText('disabled', { exact: true }).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await isAccessible(page);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('There are no endpoints').waitFor();
  assert.deepEqual(faults, []);
  return undefined;
});

test('nobody else sees endpoints', async (t) => {
  if (stage === null) return t.skip('no Chromium can run here: set CHROME_PATH');
  const context = await windowOf(stage, { roles: ['prepare', 'operate'] });
  t.after(() => context.close());
  const { page } = await openPage(context, `${stage.installation.url}/settings`);
  await page.getByText('Only administrators and auditors see the settings').waitFor();
  await page.getByText('An administrator can give you the role “administer”.').waitFor();
  return undefined;
});

test('a new person sees the console in the language of whoever added them', async (t) => {
  if (stage === null) return t.skip('no Chromium can run here: set CHROME_PATH');
  const context = await windowOf(stage, { options: { locale: 'fr-CI' } });
  t.after(() => context.close());
  const { page } = await openPage(context, `${stage.installation.url}/people`);
  await page.getByRole('button', { name: 'Ajouter une personne' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').nth(0).fill('akissi');
  await dialog.getByRole('textbox').nth(1).fill('Akissi Kouassi');
  const sent = Promise.withResolvers<{ language: string }>();
  await intercept(page, '**/users', (route) => {
    if (route.request().method() === 'POST') sent.resolve(route.request().postDataJSON());
    return route.continue();
  });
  await dialog.locator('button[type=submit]').click();
  assert.equal((await sent.promise).language, 'fr');
  return undefined;
});

test('an auditor finds what a person did long ago, by search and by day', async (t) => {
  if (stage === null) return t.skip('no Chromium can run here: set CHROME_PATH');
  const { session, url } = stage.installation;
  const [{ batch_id } = { batch_id: '' }] = await session.db.query<{ batch_id: string }>(
    'SELECT batch_id FROM batches',
  );
  const longAgo = { ...session.clock, now: () => Date.parse('2024-03-01T09:00:00Z') };
  const actor = { clock: session.clock, actor: 'amina' };
  await inUnit(session.db, { ...actor, clock: longAgo }, (unit) =>
    unit.append(batch_id, 'batch.resume', { why: 'the needle' }),
  );
  await inUnit(session.db, actor, async (unit) => {
    for (let count = 0; count < 1_000; count += 1) await unit.append(batch_id, 'batch.pause', { why: `hay ${count}` });
  });
  const context = await windowOf(stage, { roles: ['audit'] });
  t.after(() => context.close());
  const { page, faults } = await openPage(context, `${url}/audit`);
  await page.getByPlaceholder('Search by person, event or detail').fill('amina needle');
  await page.getByText('No event matches').waitFor();
  await page.getByText('Events that fit: 0. Read so far: 1,000').waitFor();
  await page.getByRole('button', { name: 'Show more events' }).click();
  await page.getByText('the needle').waitFor();
  await page.reload();
  await page.getByLabel('Up to the day').fill('2024-03-01');
  await page.getByText('the needle').waitFor();
  await isAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await isAccessible(page);
  assert.deepEqual(faults, []);
  return undefined;
});

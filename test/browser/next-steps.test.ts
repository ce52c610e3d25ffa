import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { pauseWhy } from '../../src/core/state/pause-texts.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { requireBatch } from '../../src/ledger/batches/require-batch.ts';
import { inUnit } from '../../src/ledger/unit-of-work.ts';
import { createUser } from '../../src/operations/access/create-user.ts';
import { performIn } from '../../src/operations/base/operation.ts';
import { makeStage, openPage, type Stage, windowOf } from './browser.ts';
import { answer } from './sample-answers.ts';
import { samples } from './samples.ts';

describe('what a person does next', { timeout: 300_000 }, () => {
  let stage: Stage | null = null;
  before(async () => {
    stage = await makeStage();
  });
  after(() => stage?.close());

  for (const [role, link, path] of [
    ['prepare', 'New batch', '/new'],
    ['approve', 'Batches', '/'],
  ] as const)
    test(`stands in an empty list of approvals for the role “${role}”`, async (t) => {
      if (stage === null) return t.skip('no Chromium can run here');
      const context = await windowOf(stage, { roles: [role] });
      t.after(() => context.close());
      await context.route(/api\/v1\/batches\?/, answer({ batches: [], next: null }));
      const { page, faults } = await openPage(context, `${stage.installation.url}/approvals`);
      await page.getByText('Nothing waits for approval').waitFor();
      await page.getByRole('main').getByRole('link', { name: link, exact: true }).click();
      await page.waitForURL(`**${path}`);
      assert.deepEqual(faults, []);
      return undefined;
    });

  test('if nothing fits the filter of a list: they clear it', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const context = await windowOf(stage);
    t.after(() => context.close());
    const { page } = await openPage(context, stage.installation.url);
    for (const path of ['/', `/batches/${samples.running}`, '/audit']) {
      await page.goto(`${stage.installation.url}${path}`);
      const search = page.getByRole('main').getByRole('searchbox');
      await search.fill('zzz');
      await page.getByRole('button', { name: 'Clear the filter' }).click();
      await page.getByRole('main').locator('table, [role=grid]').first().waitFor();
      assert.equal(await search.inputValue(), '');
    }
    return undefined;
  });

  test('after the server has refused to disable a person: they read why', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const { session, url } = stage.installation;
    const door = { nameOf: (field: string) => field };
    await performIn(session, createUser, door, { name: 'zawadi', display_name: 'Zawadi', roles: ['admin'] });
    const context = await windowOf(stage);
    t.after(() => context.close());
    const reason = { code: 'LAST_ADMIN', values: { name: 'zawadi' } };
    const problem = { status: 400, code: 'USAGE', title: '', detail: 'zawadi is the last', reason };
    await context.route('**/users/zawadi/change', (route) => route.fulfill({ status: 400, json: problem }));
    const { page } = await openPage(context, `${url}/people`);
    const row = page.getByRole('row', { name: /Zawadi/ });
    await row.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByText('zawadi is the only administrator.').waitFor();
    return undefined;
  });

  test('about a pause by airbatch: they read why in their language, and give support the English sentence', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const { session, url } = stage.installation;
    await inUnit(session.db, { clock: systemClock, actor: 'engine' }, async (unit) => {
      const why = pauseWhy('PAUSE_FAILURES', { failed: 3, rows: 10, percent: 20 }, '3 of the last 10 rows failed');
      await unit.pauseBatch(await requireBatch(unit.tx, samples.running), { reason: 'guard_tripped', why });
    });
    const context = await windowOf(stage, { options: { locale: 'pt-MZ' } });
    t.after(() => context.close());
    const { page } = await openPage(context, `${url}/batches/${samples.running}`);
    await page
      .getByText(/segurança\. Linhas falhadas entre as últimas 10: 3\. Não são permitidas mais de 20%/)
      .waitFor();
    const english = page.getByText('3 of the last 10 rows failed');
    assert.equal(await english.isVisible(), false);
    await page.getByText('Para o apoio').click();
    await english.waitFor();
    assert.equal(await english.getAttribute('lang'), 'en');
    return undefined;
  });
});

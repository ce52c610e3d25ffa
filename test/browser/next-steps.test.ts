import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { pauseWhy } from '../../src/core/state/pause-texts.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { requireBatch } from '../../src/ledger/batches/require-batch.ts';
import { inUnit } from '../../src/ledger/unit-of-work.ts';
import { createUser } from '../../src/operations/access/create-user.ts';
import { performIn } from '../../src/operations/base/operation.ts';
import { listBatches } from '../../src/operations/batches/list-batches.ts';
import { rejectBatch } from '../../src/operations/batches/reject-batch.ts';
import { writeReports } from '../../src/operations/proof/write-reports.ts';
import { intercept, makeStage, openPage, type Stage, windowOf } from './browser.ts';
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
      await intercept(context, /api\/v1\/batches\?/, answer({ batches: [], next: null }));
      const { page, faults } = await openPage(context, `${stage.installation.url}/approvals`);
      await page.getByText('Nothing waits for approval').waitFor();
      await page.getByRole('main').getByRole('link', { name: link, exact: true }).click();
      await page.waitForURL(`**${path}`);
      assert.deepEqual(faults, []);
      return undefined;
    });

  test('in empty lists: nobody is sent to a button that they do not have', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const { url } = stage.installation;
    const context = await windowOf(stage, { roles: ['audit'] });
    t.after(() => context.close());
    await intercept(context, /api\/v1\/batches\?/, answer({ batches: [], next: null }));
    await intercept(context, /api\/v1\/api-keys$/, answer({ keys: [] }));
    await intercept(context, /api\/v1\/webhooks$/, answer({ endpoints: [] }));
    const { page } = await openPage(context, url);
    await page.getByText('which somebody with the role “prepare” uploads').waitFor();
    for (const [path, tab, title] of [
      ['/people', 'API keys', 'There are no keys'],
      ['/settings', null, 'There are no endpoints'],
    ] as const) {
      await page.goto(url + path);
      if (tab !== null) await page.getByRole('tab', { name: tab }).click();
      const empty = page.locator('.state').filter({ hasText: title });
      assert.match((await empty.textContent()) ?? '', /Administrators (make|add) [a-z]+ here\.$/);
    }
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
    await performIn(session, createUser, door, { name: 'zawadi', display_name: 'Zawadi', roles: ['admin'] });
    const context = await windowOf(stage);
    t.after(() => context.close());
    const reason = { code: 'LAST_ADMIN', values: { name: 'zawadi' } };
    const problem = { status: 400, code: 'USAGE', title: '', detail: 'zawadi is the last', reason };
    await intercept(context, '**/users/zawadi/change', (route) => route.fulfill({ status: 400, json: problem }));
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
    await page.getByRole('tab', { name: 'Detalhes' }).click();
    await page.getByText('sandbox incorporada').waitFor();
    return undefined;
  });

  test('about a batch that they have submitted: they read who may approve it, and are led to no refusal', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const { session, url } = stage.installation;
    const { batches } = await performIn(session, listBatches, door, { status: ['awaiting_approval'], limit: 1 });
    const batch = `${url}/batches/${batches[0]?.batch_id}`;
    const context = await windowOf(stage);
    t.after(() => context.close());
    let may_approve: string[] = [];
    await intercept(context, /\/api\/v1\/batches\/[^/]+$/, async (route) => {
      const answered = await (await route.fetch()).json();
      return route.fulfill({ json: { ...answered, approvals: { ...answered.approvals, may_approve } } });
    });
    const { page, faults } = await openPage(context, batch);
    await page.getByText('nobody else may approve it yet').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Review and approve' }).count(), 0);
    may_approve = ['amina', 'wanjiru'];
    await page.reload();
    await page.getByText('may approve: amina, wanjiru').waitFor();
    await page.getByRole('link', { name: 'Review and approve' }).waitFor();
    assert.deepEqual(faults, []);
    // Whoever follows a link of a notification all the same sees nothing red.
    const problem = { status: 403, code: 'SECOND_PERSON_NEEDED', title: '', detail: 'you submitted it', reason: null };
    await intercept(context, '**/review*', (route) => route.fulfill({ status: 403, json: problem }));
    await page.getByRole('link', { name: 'Review and approve' }).click();
    await page.getByRole('heading', { name: 'Another person must do this.' }).waitFor();
    await page.getByText('may approve: amina, wanjiru').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    return undefined;
  });

  test('about a batch that was rejected: they correct its file in a new draft, within its run', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const { session, url } = stage.installation;
    const context = await windowOf(stage);
    t.after(() => context.close());
    // The link of a rejected batch that had no draft.
    const { page } = await openPage(context, `${url}/new?run=bonus-2026-12`);
    const lines = ['name,phone_number,network_id,amount', 'Amina,0712345609,1,oops', ''];
    const file = { name: 'bonus.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) };
    await page.locator('input[type=file]').setInputFiles(file);
    const draftId = (await createdDraft(page)) ?? '';
    const grid = page.getByRole('grid');
    await page.getByRole('button', { name: 'For the whole file' }).first().click();
    await page.getByLabel('Currency').fill('KES');
    await page.getByLabel('Country', { exact: true }).selectOption('KE');
    await page.getByRole('button', { name: 'Use for the whole file' }).click();
    const wholeFile = page.getByText('Kenya (KE) · KES');
    await wholeFile.waitFor();
    // The fields are gone: the focus is on what opened them.
    await page.locator('button[aria-expanded="false"]:focus').waitFor();
    await grid.getByText('oops').dblclick();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('120.50');
    await page.keyboard.press('Enter');
    await page.getByText('Saved and checked').waitFor();
    assert.equal(await page.getByLabel('Run id').inputValue(), 'bonus-2026-12');
    await page.getByRole('button', { name: 'See the plan' }).click();
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.waitForURL('**/batches/**');
    const batch_id = decodeURIComponent(new URL(page.url()).pathname.slice('/batches/'.length));
    await performIn(session, rejectBatch, door, { batch_id, why: 'The amount is of last year.' });
    await page.reload();
    await page.getByRole('button', { name: 'Start a new draft of its file' }).click();
    await grid.getByText('120.50').waitFor();
    assert.notEqual(await createdDraft(page), draftId);
    await wholeFile.waitFor();
    await page.getByRole('heading', { level: 1, name: 'bonus.csv' }).waitFor();
    assert.equal(await page.getByLabel('Run id').inputValue(), 'bonus-2026-12');
    return undefined;
  });

  test('about a wrong file that they submitted: they withdraw it, and correct it in a new draft', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const context = await windowOf(stage);
    t.after(() => context.close());
    const { page, faults } = await openPage(context, `${stage.installation.url}/new?run=withdrawn-2026-12`);
    const lines = ['name,phone_number,network_id,amount,currency', 'Amina,+254712345610,1,75.50,KES', ''];
    const file = { name: 'wrong.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('button', { name: 'See the plan' }).click();
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.waitForURL('**/batches/**');
    const batch = page.url();
    await page.getByRole('button', { name: 'Withdraw' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Withdraw' }).click();
    await dialog.getByText('Give a reason in a few words.').waitFor();
    await dialog.getByLabel('Reason').fill('The file of October');
    await dialog.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByRole('heading', { name: 'It was withdrawn' }).waitFor();
    await page.getByText('Reason: The file of October (').waitFor();
    await page.locator('.badge').getByText('withdrawn').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Withdraw' }).count(), 0);
    await page.getByRole('button', { name: 'Start a new draft of its file' }).click();
    await page.getByRole('grid').getByText('75.50').waitFor();
    assert.equal(await page.getByLabel('Run id').inputValue(), 'withdrawn-2026-12');
    assert.deepEqual(faults, []);
    // An approver who follows the link of an earlier notification reads why there is nothing to decide.
    await page.goto(`${batch}/approval`);
    await page.getByRole('heading', { name: 'It was withdrawn' }).waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await page.goto(batch);
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByText('reason: The file of October', { exact: true }).waitFor();
    return undefined;
  });

  test('about rows that are not paid: they correct these in a draft, within the run of their batch', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const { session, url } = stage.installation;
    await performIn(session, writeReports, door, { batch_id: samples.done });
    const context = await windowOf(stage);
    t.after(() => context.close());
    // Another batch with failed rows ended later.
    const later = { run_id: 'payroll-2026-12', file_name: 'december.csv', counts: { failed: 1 } };
    await intercept(context, /batches\?.*status=completed/, answer({ batches: [later], next: null }));
    const { page } = await openPage(context, `${url}/batches/${samples.done}`);
    const book = page.getByRole('link', { name: 'payroll-2026-10-failed.xlsx' });
    const answered = await context.request.get(new URL((await book.getAttribute('href')) ?? '', url).href);
    assert.equal((await answered.body()).subarray(0, 2).toString(), 'PK');
    await page.getByRole('button', { name: 'Correct these rows' }).click();
    await page.getByRole('heading', { level: 1, name: 'payroll-2026-10-failed.csv' }).waitFor();
    await page.getByRole('grid').getByText('+254712001507').waitFor();
    assert.equal(await page.getByLabel('This file corrects the run').inputValue(), 'payroll-2026-10');
    return undefined;
  });

  test('about a row that a link names wrongly: they read that there is no such row', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const context = await windowOf(stage);
    t.after(() => context.close());
    const { page } = await openPage(context, `${stage.installation.url}/batches/${samples.running}?row=4321`);
    await page.getByRole('dialog').getByText('This batch has no such row.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    assert.equal(new URL(page.url()).search, '');
    return undefined;
  });

  test('is in the list of batches: those that need a person, and the sums that wait for approval', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const context = await windowOf(stage);
    t.after(() => context.close());
    await intercept(context, /api\/v1\/batches\?(?!.*with_sums)/, async (route) => {
      const body = (await (await route.fetch()).json()) as { batches: { batch_id: string }[] };
      const batches = body.batches.map((batch) => ({ ...batch, needs_person: batch.batch_id === samples.running }));
      return route.fulfill({ json: { ...body, batches } });
    });
    const { page } = await openPage(context, stage.installation.url);
    await page.getByLabel('Show').selectOption('needs');
    const rows = page.getByRole('main').locator('tbody tr');
    await page.waitForFunction(() => document.querySelectorAll('main tbody tr').length === 1);
    await rows.getByRole('link').first().waitFor();
    await page.goto(`${stage.installation.url}/approvals`);
    await rows
      .first()
      .getByText(/[1-9][0-9.,]* KES/)
      .waitFor();
    return undefined;
  });
});

const door = { nameOf: (field: string) => field };

/** The draft of the page, once it is there. */
async function createdDraft(page: Page): Promise<string | undefined> {
  await page.waitForURL('**/new/*');
  return new URL(page.url()).pathname.split('/').at(-1);
}

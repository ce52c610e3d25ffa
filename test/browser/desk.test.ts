import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { insertJobFile } from '../../src/ledger/jobs/job-files.ts';
import { insertSlot } from '../../src/ledger/jobs/slots.ts';
import { insertOpenItem, insertReconciliation } from '../../src/ledger/reporting/reconciliations.ts';
import { createApiKey } from '../../src/operations/access/create-api-key.ts';
import { listEvents } from '../../src/operations/audit/list-events.ts';
import { performIn } from '../../src/operations/base/operation.ts';
import { unzipped } from '../support/unzip.ts';
import { intercept, makeStage, openPage, type Stage, windowOf } from './browser.ts';
import { moveRow, samples, ways } from './samples.ts';

describe('the doubt desk', { timeout: 300_000 }, () => {
  let stage: Stage | null = null;
  before(async () => {
    stage = await makeStage();
  });
  after(() => stage?.close());

  const eventsOf = async ({ installation: { session } }: Stage, row: number) => {
    const { events } = await performIn(
      session,
      listEvents,
      { nameOf: (field) => field },
      { batch_id: samples.running, row },
    );
    return events.map(({ kind, actor }) => `${kind} by ${actor}`);
  };

  test('an operator takes a doubt over, and looks it up now', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const context = await windowOf(stage);
    const { page, faults } = await openPage(context, `${stage.installation.url}/doubts`);
    await page.getByRole('checkbox', { name: 'Choose row 43 of bonus-2026-11' }).check();
    await page.getByRole('button', { name: 'Assign 1 row' }).click();
    await page.getByText('wanjiru takes care of 1 row.').waitFor();
    await page.getByLabel('Whose').selectOption({ label: 'mine' });
    const rows = page.getByRole('table').getByRole('row');
    await rows.nth(2).waitFor({ state: 'detached' });
    assert.equal(await rows.count(), 2, 'the head, and the row that is mine');
    await page.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Look 1 row up now' }).click();
    await page.getByText('wanjiru looked it up: not found').waitFor();
    assert.deepEqual((await eventsOf(stage, 43)).slice(-2), ['row.assign by wanjiru', 'row.look_up by wanjiru']);
    await page.getByRole('button', { name: 'Row 43' }).click();
    const answered = page.waitForResponse((response) => response.url().endsWith('/look-up'));
    await page.getByRole('dialog').getByRole('button', { name: 'Look up now' }).click();
    await answered;
    assert.equal((await eventsOf(stage, 43)).filter((kind) => kind === 'row.look_up by wanjiru').length, 2);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('an operator skips a group of held rows at once, with the reason', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const context = await windowOf(stage);
    const { page } = await openPage(context, `${stage.installation.url}/doubts`);
    await page.getByRole('tab', { name: /Held/ }).click();
    const heading = page.getByRole('heading', { name: 'bonus-2026-11' });
    const batch = page.locator('section.stack').filter({ has: heading });
    await batch.getByText(`On 25 Nov 2026, in batch ${samples.done}, line 5 of its file.`).first().waitFor();
    await batch.getByRole('button', { name: 'Skip these 2 rows' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('paid in October');
    await page.getByRole('dialog').getByRole('button', { name: 'Skip' }).click();
    await page.getByText('2 rows are skipped.').waitFor();
    assert.deepEqual((await eventsOf(stage, 46)).slice(-1), ['row.skip by wanjiru']);
    await context.close();
  });

  test('an operator decides about one held row alone, wherever it is listed', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    await moveRow(stage.installation.session, samples.running, 50, ways.hold());
    const context = await windowOf(stage);
    const { page, faults } = await openPage(context, `${stage.installation.url}/batches/${samples.running}?row=50`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Release' }).waitFor();
    await dialog.getByRole('button', { name: 'Skip' }).click();
    await dialog.getByLabel('Reason').fill('left the company');
    await dialog.getByRole('button', { name: 'Skip' }).click();
    await page.getByText('1 row is skipped.').waitFor();
    assert.deepEqual((await eventsOf(stage, 50)).slice(-1), ['row.skip by wanjiru']);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('somebody who only audits sees the doubts, and no way to change them', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const context = await windowOf(stage, { roles: ['audit'] });
    const { page } = await openPage(context, `${stage.installation.url}/doubts`);
    await page.getByRole('button', { name: 'Row 44' }).first().click();
    await page.getByRole('dialog').getByText('What happened to it').waitFor();
    for (const name of [/Look/, /Assign/, /Resolve/])
      assert.equal(await page.getByRole('button', { name }).count(), 0, String(name));
    assert.equal(await page.getByRole('checkbox').count(), 0);
    await context.close();
  });

  test('an auditor downloads the masked pack of a batch', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const context = await windowOf(stage, { roles: ['audit'] });
    const { page, faults } = await openPage(context, `${stage.installation.url}/reports/${samples.done}`);
    assert.equal(await page.getByRole('button', { name: 'Download the pack' }).count(), 0);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download it masked' }).click();
    // A download of the browser itself lacks the key that stands in for signing in.
    const files = unzipped(await (await context.request.get((await download).url())).body());
    assert.equal(JSON.parse(files.get('reports/manifest.json')?.toString() ?? '{}').masked, true);
    assert.match(files.get('README.txt')?.toString() ?? '', /airbatch verify reports/);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('an auditor finds what a person was paid, lists the files, and saves the entries for the books', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const context = await windowOf(stage, { roles: ['audit'] });
    const { page, faults } = await openPage(context, `${stage.installation.url}/payments`);
    await page.getByLabel('Phone number').fill('+254 712 000 137');
    await page.getByRole('button', { name: 'Find' }).click();
    const found = page.getByRole('table', { name: 'Sent to 2********137' });
    await found.getByRole('link', { name: 'payroll-2026-10' }).waitFor();
    assert.equal(await found.getByText('completed').count(), 3, 'one in each batch that has paid');
    // The port may have any digits.
    assert.equal(page.url(), `${stage.installation.url}/payments`);
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByLabel('From').fill('2020-01-01');
    await page.getByRole('button', { name: 'List' }).click();
    await page.getByRole('table').getByRole('link', { name: 'payroll-2026-10' }).waitFor();
    await page.getByRole('tab', { name: 'For the books' }).click();
    await page.getByLabel('From').fill('2020-01-01');
    await page.getByLabel('Account for the expense').fill('6100');
    await page.getByRole('button', { name: 'Make the entries' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the CSV' }).click();
    assert.match(readFileSync(await (await download).path(), 'utf8'), /,6100,/);
    await page.goto(`${stage.installation.url}/payout`);
    await page.getByText('Your role does not allow you to plan payouts').waitFor();
    await page.goto(`${stage.installation.url}/people`);
    await page.getByRole('tab', { name: 'API keys' }).click();
    await page.getByRole('row', { name: /wanjiru/ }).waitFor();
    for (const name of ['Revoke', 'Make a key', 'Add a person'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    const review = '**/api/v1/batches/*/review';
    await intercept(context, review, (route) =>
      route.fulfill({ status: 403, json: { code: 'ROLE_MISSING', detail: '' } }),
    );
    await page.goto(`${stage.installation.url}/batches/${samples.done}/approval`);
    await page.getByText('Your role does not allow you to approve batches').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
    assert.match(faults.splice(0).join(), /^[^,]*403[^,]*$/, 'the refused request, and nothing else');
    assert.deepEqual(faults, []);
    await context.close();
  });

  test('a comparison is found again with its files, of which an auditor gets masked copies', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const { browser, installation } = stage;
    const door = { nameOf: (field: string) => field };
    const { secret } = await performIn(installation.session, createApiKey, door, { name: 'zawadi', roles: ['audit'] });
    const context = await windowOf(stage);
    const { page, faults } = await openPage(context, `${installation.url}/reconciliation`);
    await page.getByRole('button', { name: 'Compare' }).click();
    const files = page.locator('.file-list');
    await files.getByRole('link', { name: 'reconciliation.csv' }).waitFor();
    // The sandbox has other balances than the samples: no line is wrong, and yet not all is well.
    await page.getByText('Somebody must look at this').first().waitFor();
    await page.getByRole('heading', { name: 'Every line agrees' }).waitFor();
    const address = (await files.getByRole('link', { name: 'reconciliation.csv' }).getAttribute('href')) ?? '';
    await page.reload();
    await page.getByRole('region', { name: 'Earlier comparisons' }).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Side by side' }).waitFor();
    const csv = await context.request.get(new URL(address, page.url()).href);
    assert.match(await csv.text(), /^bucket,batch_id,row,/);
    const other = await windowOf({ browser, installation: { key: secret } }, { name: 'zawadi', roles: ['audit'] });
    const { page: seen } = await openPage(other, page.url());
    await seen.locator('.file-list').getByRole('link', { name: 'reconciliation.json' }).waitFor();
    assert.equal(await seen.getByRole('link', { name: 'reconciliation.csv' }).count(), 0);
    assert.equal((await other.request.get(new URL(address, page.url()).href)).status(), 403);
    const masked = seen.locator('.file-list').getByRole('link', { name: 'reconciliation-masked.csv' });
    const copy = await other.request.get(new URL((await masked.getAttribute('href')) ?? '', page.url()).href);
    assert.match(await copy.text(), /^bucket,batch_id,row,/);
    assert.deepEqual(faults, []);
    await other.close();
    await context.close();
  });

  test('an operator keeps a note on an open line of a reconciliation, and sees what a job has brought', async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const { session, url } = stage.installation;
    await session.db.transact(async (tx) => {
      const times = { from_ms: 1, to_ms: 2, finished_at: 3 };
      await insertReconciliation(tx, {
        ...{ reconciliation_id: 'R-1', account: 'sandbox', ...times, batch_id: null },
        ...{ counts: '{"ledger_only":2}', wallets: 'null', charged_by_ledger: null, charged_by_service: null },
      });
      for (const [index, status_here] of ['completed', 'in_doubt'].entries()) {
        const about = { batch_id: samples.running, row: 7 + index, generation: 1, reference: null, topup_id: null };
        const there = { status_there: null, amount_there: null, cost_there: null, created_at: null };
        const next = {
          next: 'Ask the service.',
          next_reason: { code: 'NEXT_LOOK_UP', values: { row: `${7 + index}` } },
        };
        const here = { status_here, amount_here: '500 KES', cost_here: '480 KES', ...next };
        const item = JSON.stringify({ bucket: 'ledger_only', ...about, ...here, ...there, reference: `run/${index}` });
        await insertOpenItem(tx, { reconciliation_id: 'R-1', item_no: index + 1, bucket: 'ledger_only', item });
      }
    });
    const context = await windowOf(stage);
    const reconciliation = {
      ...{ format: 'airbatch.reconciliation/1', reconciliation_id: 'R-1', account: 'sandbox', batch_id: null },
      ...{ from: '2026-11-19T00:00:00Z', to: '2026-11-26T00:00:00Z', finished_at: '2026-11-26T00:00:00Z' },
      ...{ counts: { ledger_only: 2 }, open: 2, charged_by_ledger: {}, charged_by_service: {} },
      wallets: {
        ...{ first_read_at: '2026-11-19T00:00:00Z', last_read_at: '2026-11-26T00:00:00Z', next: 'Compare.' },
        currencies: ['KES', 'GHS'].map((currency) => ({ currency, left: '960', charged: '0', unexplained: '960' })),
      },
    };
    const answer = { reconciliation, reports: { dir: '/reports', files: [] }, open_items: [], is_settled: false };
    await intercept(context, '**/api/v1/reconciliations', (route) => route.fulfill({ json: answer }));
    const { page, faults } = await openPage(context, `${url}/reconciliation`);
    await page.getByRole('button', { name: 'Compare' }).click();
    const waiting = page.getByRole('region', { name: 'Waiting' });
    await waiting.getByRole('link', { name: 'Row 8' }).waitFor();
    await waiting.getByText('To look row 8 up again now, open it').waitFor();
    await waiting.getByText('in doubt').waitFor();
    const explaining = page.getByRole('region', { name: 'What may explain the rest in KES' });
    assert.deepEqual(
      await explaining.getByRole('link').allTextContents(),
      [7, 8].map((row) => `${samples.running}, Row ${row}`),
    );
    await page.getByText('No open line explains it.').waitFor();
    const wrong = page.getByRole('region', { name: 'Wrong' });
    await wrong.getByRole('button', { name: 'Add a note' }).click();
    await page.getByRole('dialog').getByLabel('Note').fill('case 17 of the service');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await wrong.getByText('case 17 of the service').waitFor();
    await wrong.getByRole('link', { name: 'Row 7' }).click();
    await page.getByRole('dialog', { name: 'Row 7' }).getByText('What happened to it').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.equal(new URL(page.url()).search, '');
    mkdirSync(session.config.jobs);
    const job = `name: 'bonus', description: 'pays', schedule: { cron: '0 9 25 * *', timeZone: 'Africa/Nairobi', catchUp: 'last' },
      source: { kind: 'folder', folder: 'bonus', pattern: '*.csv' }, runId: 'bonus-{slot:yyyy-MM}'`;
    const text = `import { defineJob } from 'airbatch';\nexport default defineJob({ ${job} });\n`;
    writeFileSync(join(session.config.jobs, 'bonus.ts'), text);
    await session.db.transact(async (tx) => {
      const slot = { job: 'bonus', due_at: 1, state: 'done', detail: 'paid' } as const;
      await insertSlot(tx, slot);
      const written = [{ code: 'SLOT_WRITING', values: { files: 'november.csv' } }];
      await insertSlot(tx, { ...slot, due_at: 2, state: 'failed', detail: 'no file has come', reasons: written });
      const file = { name: 'october.csv', working_path: '/october.csv' };
      await insertJobFile(tx, { job: slot.job, due_at: slot.due_at, batch_id: samples.done, ...file });
    });
    await page.goto(`${url}/jobs`);
    const past = page.getByRole('region', { name: 'Past runs' }).getByRole('row');
    assert.match(
      String(await past.nth(1).textContent()),
      /failed.*These files are still being written: november\.csv\./s,
    );
    assert.match(String(await past.nth(2).textContent()), /done.*october.csv.*paid/s);
    assert.equal(await past.nth(2).getByRole('link').textContent(), samples.done);
    await page.evaluate(() => localStorage.setItem('airbatch.language', 'fr'));
    await page.reload();
    const french = page.getByRole('region', { name: 'Exécutions passées' }).getByRole('row');
    await french.nth(1).getByText('Ces fichiers sont encore en cours d’écriture : november.csv.').waitFor();
    // An earlier version has stored the sentence only.
    await french.nth(2).getByText('paid').waitFor();
    await page.getByRole('button', { name: 'Exécuter maintenant' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Exécuter maintenant' }).click();
    await page.getByText('La tâche a été exécutée. Il n’y a pas de fichier.').waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });
});

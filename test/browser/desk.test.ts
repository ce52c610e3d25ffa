import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { listEvents } from '../../src/operations/audit/list-events.ts';
import { performIn } from '../../src/operations/base/operation.ts';
import { unzipped } from '../support/unzip.ts';
import { makeStage, openPage, type Stage, windowOf } from './browser.ts';
import { samples } from './samples.ts';

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
    await batch.getByRole('button', { name: 'Skip these 2 rows' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('paid in October');
    await page.getByRole('dialog').getByRole('button', { name: 'Skip' }).click();
    await page.getByText('2 rows are skipped.').waitFor();
    assert.deepEqual((await eventsOf(stage, 46)).slice(-1), ['row.skip by wanjiru']);
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
});

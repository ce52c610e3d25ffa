import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { performIn } from '../../src/operations/base/operation.ts';
import { listBatches } from '../../src/operations/batches/list-batches.ts';
import { root } from '../house/imports.ts';
import { makeStage, openPage, type Person, windowOf } from './browser.ts';
import { samples } from './samples.ts';

/** `npm run pictures`: takes the pictures of docs/console.md anew. */

const stage = await makeStage();
if (stage === null) throw new Error('no Chromium can run here: set CHROME_PATH');
const { session, url } = stage.installation;
const folder = join(root, 'docs/pictures');
mkdirSync(folder, { recursive: true });
const { batches } = await performIn(session, listBatches, { nameOf: (field) => field }, { limit: 1 });
const waiting = batches[0]?.batch_id ?? '';

const wide = { viewport: { width: 1180, height: 760 } };
const phone = { viewport: { width: 390, height: 760 } };
const dark = { ...wide, colorScheme: 'dark' as const };
const pictures: [string, string, Person['options'], string[]][] = [
  ['batches', '/', wide, []],
  ['batch', `/batches/${samples.running}`, wide, []],
  ['batch-dark', `/batches/${samples.running}`, dark, []],
  ['approval-phone', `/batches/${waiting}/approval`, phone, []],
  ['approval', `/batches/${waiting}/approval`, wide, []],
  ['doubts', '/doubts', wide, []],
  ['reports', `/reports/${samples.done}`, wide, ['Write them masked', 'Verify in this browser']],
  ['wallets', '/wallets', wide, []],
];

for (const [name, path, options, buttons] of pictures) {
  const context = await windowOf(stage, options === undefined ? {} : { options });
  const { page } = await openPage(context, `${url}${path}`);
  for (const button of buttons) await page.getByRole('button', { name: button }).click();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  if (buttons.length > 0) {
    await page.getByText('The reports are complete and unchanged').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
  }
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await context.close();
}
await stage.close();

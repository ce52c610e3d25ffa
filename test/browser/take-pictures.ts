import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { performIn } from '../../src/operations/base/operation.ts';
import { listBatches } from '../../src/operations/batches/list-batches.ts';
import { root } from '../house/imports.ts';
import { allPages, openState, settled } from './all-pages.ts';
import { makeStage, type Stage, windowOf } from './browser.ts';
import { addLongContent } from './sample-answers.ts';
import { samples } from './samples.ts';

/**
 * `npm run pictures`: takes the pictures of docs/console.md anew.
 * `npm run pictures -- FOLDER [REGEX]`: every page in every look, to look at them; or those whose names fit.
 */

const wide = { viewport: { width: 1180, height: 760 } };
const narrow = { viewport: { width: 390, height: 760 }, isMobile: true, hasTouch: true };
const dark = { colorScheme: 'dark' as const };
const looks: Record<string, BrowserContextOptions> = {
  wide,
  narrow,
  'wide-dark': { ...wide, ...dark },
  'narrow-dark': { ...narrow, ...dark },
  'narrow-fr': { ...narrow, locale: 'fr-CI' },
  'narrow-sw': { ...narrow, locale: 'sw-KE' },
  'narrow-pt': { ...narrow, locale: 'pt-MZ' },
  'wide-pt': { ...wide, locale: 'pt-MZ' },
};

async function takeDocs(stage: Stage, waiting: string): Promise<void> {
  const folder = join(root, 'docs/pictures');
  const { url } = stage.installation;
  const pictures: [string, string, BrowserContextOptions, string[]][] = [
    ['batches', '/', wide, []],
    ['batch', `/batches/${samples.running}`, wide, []],
    ['batch-dark', `/batches/${samples.running}`, { ...wide, ...dark }, []],
    ['approval-phone', `/batches/${waiting}/approval`, narrow, []],
    ['approval', `/batches/${waiting}/approval`, wide, []],
    ['doubts', '/doubts', wide, []],
    ['reports', `/reports/${samples.done}`, wide, ['Write them masked', 'Verify in this browser']],
    ['wallets', '/wallets', wide, []],
  ];
  for (const [name, path, options, buttons] of pictures) {
    const context = await windowOf(stage, { options });
    const page = await context.newPage();
    await openState(page, url, { name, path });
    for (const button of buttons) await page.getByRole('button', { name: button }).click();
    await settled(page);
    if (buttons.length > 0) {
      await page.getByText('The reports are complete and unchanged').waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
    }
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await context.close();
  }
}

/** What is longer than this is the same again. */
const heightMax = 2_400;

async function takePicture(page: Page, path: string): Promise<void> {
  const { width, height } = page.viewportSize() ?? wide.viewport;
  const whole = Number(await page.evaluate('document.documentElement.scrollHeight'));
  await page.screenshot({
    path,
    fullPage: true,
    clip: { x: 0, y: 0, width, height: Math.max(height, Math.min(whole, heightMax)) },
  });
}

async function takeAll(stage: Stage, waiting: string, folder: string, wanted: RegExp): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await addLongContent(stage.installation.session);
  for (const [look, options] of Object.entries(looks))
    for (const state of allPages(waiting)) {
      const name = `${look} ${state.name}`;
      if (!wanted.test(name)) continue;
      const context = await windowOf(stage, { options });
      const page = await context.newPage();
      try {
        await openState(page, stage.installation.url, state);
      } catch (error) {
        process.stderr.write(`${name}: ${String(error).split('\n')[0]}\n`);
      }
      await takePicture(page, join(folder, `${name}.png`));
      await context.close();
    }
}

const stage = await makeStage();
if (stage === null) throw new Error('no Chromium can run here: set CHROME_PATH');
const { batches } = await performIn(
  stage.installation.session,
  listBatches,
  { nameOf: (field) => field },
  { limit: 1 },
);
const waiting = batches[0]?.batch_id ?? '';
const [folder, wanted = ''] = process.argv.slice(2);
if (folder === undefined) await takeDocs(stage, waiting);
else await takeAll(stage, waiting, folder, new RegExp(wanted));
await stage.close();

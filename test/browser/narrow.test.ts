import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { performIn } from '../../src/operations/base/operation.ts';
import { listBatches } from '../../src/operations/batches/list-batches.ts';
import { allPages, openState } from './all-pages.ts';
import { axeFaults } from './axe.ts';
import { leavePage, makeStage, type Stage, windowOf } from './browser.ts';
import { addLongContent } from './sample-answers.ts';

const width = 390;
/** What a thumb hits (px). */
const thumb = 44;

/** What does not fit on a phone: wider than the screen, cut, scrolled sideways, or too small for a thumb. */
async function faultsOf(page: Page): Promise<string[]> {
  return page.evaluate(
    ([screen, least]) => {
      const named = (element: Element) =>
        `${element.tagName.toLowerCase()}.${[...element.classList].join('.')} "${(element.textContent ?? '').trim().slice(0, 40)}"`;
      const isShown = (element: Element) => element.checkVisibility() && !element.classList.contains('hidden-text');
      // The list of rows scrolls both ways by design, and so do tabs; but no number in the list is cut.
      const mayScroll = (element: Element) =>
        element.closest('.grid-frame, .tabs, .hidden-text, .body-text') !== null &&
        !element.matches('.grid-row > .end');
      const faults: string[] = [];
      if (document.documentElement.scrollWidth > screen)
        faults.push(`the page is ${document.documentElement.scrollWidth} px wide`);
      for (const element of document.querySelectorAll('body *')) {
        if (!isShown(element) || mayScroll(element)) continue;
        if (element.matches('.grid-row > .end')) {
          const text = document.createRange();
          text.selectNodeContents(element);
          if (text.getBoundingClientRect().width > element.clientWidth) faults.push(`cut: ${named(element)}`);
        }
        const { overflowX } = getComputedStyle(element);
        if (overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1 && element.tagName !== 'INPUT')
          faults.push(`cut or scrolled: ${named(element)}`);
      }
      for (const control of document.querySelectorAll(
        'button, .button, select, input, textarea, summary, .nav a, [role=tab]',
      )) {
        if (!isShown(control) || mayScroll(control)) continue;
        // A checkbox is hit by its label as well, and the name of a card by the whole card.
        const hit = control.closest('label, .stacks tr:has(th > .link)') ?? control;
        const { width: wide, height } = hit.getBoundingClientRect();
        if (height > 0 && Math.min(wide, height) < least)
          faults.push(`${Math.round(wide)} x ${Math.round(height)} px: ${named(control)}`);
      }
      return faults;
    },
    [width, thumb] as const,
  );
}

let stage: Stage | null = null;
before(async () => {
  stage = await makeStage();
});
after(() => stage?.close());

describe('on a phone', { timeout: 600_000 }, () => {
  // One tab for all pages.
  let context: BrowserContext | null = null;
  let page: Page | null = null;
  let waiting = '';
  before(async () => {
    if (stage === null) return;
    const phone = { viewport: { width, height: 760 }, isMobile: true, hasTouch: true, locale: 'fr-CI' };
    context = await windowOf(stage, { options: phone });
    page = await context.newPage();
    const { session } = stage.installation;
    const { batches } = await performIn(session, listBatches, { nameOf: (field) => field }, { limit: 1 });
    waiting = batches[0]?.batch_id ?? '';
    await addLongContent(session);
  });
  after(() => context?.close());

  // French labels are the longest. Lists without content have nothing that could be cut.
  const shown = allPages('').filter(({ name }) => !/-(loading|empty|error|offline)$/.test(name));
  for (const { name } of shown)
    test(`${name} fits, a thumb hits each of its controls, and nothing of it is out of reach`, async (t) => {
      if (stage === null || page === null) return t.skip('no Chromium can run here: set CHROME_PATH');
      const state = allPages(waiting).find((one) => one.name === name);
      assert.ok(state);
      await leavePage(page);
      await openState(page, stage.installation.url, state);
      assert.deepEqual(await faultsOf(page), []);
      // A page as it is opened is checked in console.test.ts, also in the dark.
      const isPlain = state.steps === undefined && state.answers === undefined;
      assert.deepEqual(isPlain ? [] : await axeFaults(page, ['light']), []);
      return undefined;
    });
});

test('the open lines of a reconciliation fit a window of 1,180 px, with sums of 12 digits on both sides', async (t) => {
  if (stage === null) return t.skip('no Chromium can run here: set CHROME_PATH');
  const state = allPages('').find(({ name }) => name === 'reconciliation-result');
  assert.ok(state);
  for (const locale of ['en-KE', 'fr-CI', 'sw-KE', 'pt-MZ']) {
    const context = await windowOf(stage, { options: { viewport: { width: 1180, height: 760 }, locale } });
    const page = await context.newPage();
    await openState(page, stage.installation.url, state);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll('.table-frame, .table-frame th, .table-frame td')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map((element) => `${element.tagName} "${(element.textContent ?? '').slice(0, 40)}"`),
    );
    assert.deepEqual(cut, [], locale);
    await context.close();
  }
  return undefined;
});

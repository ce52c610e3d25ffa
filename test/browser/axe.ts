import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

type Scheme = 'light' | 'dark';

/** What WCAG 2.2 AA forbids of a page, as far as a program sees it. */
export async function axeFaults(page: Page, schemes: readonly Scheme[] = ['light', 'dark']): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    // The console has no frames, which axe would otherwise judge together in a page of its own. It describes only what
    // it finds at fault.
    const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
    // All that the scheme can change is the contrast.
    const checks = colorScheme === 'light' ? axe.withTags(tags) : axe.withRules(['color-contrast']);
    const { violations } = await checks.analyze();
    for (const { id, nodes } of violations)
      if (!isHitByLabel(id, nodes)) faults.push(`${colorScheme} ${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  }
  return faults;
}

/** A box in a card that is a link: its label, which lies above the link, is what a thumb hits (narrow.test.ts). */
function isHitByLabel(rule: string, nodes: readonly { html: string }[]): boolean {
  return rule === 'target-size' && nodes.every(({ html }) => html.includes('class="pick"'));
}

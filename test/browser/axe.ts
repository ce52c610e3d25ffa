import axe from 'axe-core';
import type { Page } from 'playwright-core';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

type Scheme = 'light' | 'dark';

/** What WCAG 2.2 AA and good practice forbid of a page, as far as a program sees it. */
export async function axeFaults(page: Page, schemes: readonly Scheme[] = ['light', 'dark']): Promise<string[]> {
  // Compiling axe takes longer than a check: a page loads it once.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const faults: string[] = [];
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    const violations = await page.evaluate(
      async ([isFirst, tags]) => {
        const { run } = (window as unknown as { axe: typeof axe }).axe;
        const { violations } = await run(document, {
          // All that the second scheme can change is the contrast.
          runOnly: isFirst ? [...tags] : ['color-contrast'],
          // The console has no frames. Only what is at fault is described, by its HTML.
          ...{ resultTypes: ['violations'], selectors: false, iframes: false, preload: false },
        });
        return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
      },
      [colorScheme === schemes[0], tags] as const,
    );
    for (const { id, nodes } of violations)
      if (!isHitByLabel(id, nodes)) faults.push(`${colorScheme} ${id}: ${nodes.join(' | ')}`);
  }
  return faults;
}

/** A box in a card that is a link: its label, which lies above the link, is what a thumb hits (narrow.test.ts). */
function isHitByLabel(rule: string, nodes: readonly string[]): boolean {
  return rule === 'target-size' && nodes.every((html) => html.includes('class="pick"'));
}

import { makeStage, openPage, type Stage, windowOf } from './browser.ts';

/** How many times a page jumps to another place in its grid. */
const jumps = 24;
const waitMs = 300_000;

/**
 * `node test/browser/million-rows.ts`: the page of a batch in a real browser, with 1,000 and with 1,000,000 rows. The
 * processor time of the page's main thread for a jump in the grid, and the memory of its scripts.
 */
async function measure(stage: Stage, rows: number): Promise<void> {
  const id = await stage.installation.addLong(rows);
  const context = await windowOf(stage);
  const { page } = await openPage(context, `${stage.installation.url}/batches/${id}`);
  const grid = page.getByRole('grid');
  await grid.getByRole('gridcell', { name: '1', exact: true }).waitFor({ timeout: waitMs });
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const metric = async (wanted: string) => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  };
  const costs: number[] = [];
  for (let jump = 0; jump < jumps; jump++) {
    const before = await metric('TaskDuration');
    await page.evaluate(
      async (part) => {
        const frame = document.querySelector('.grid-frame') as HTMLElement;
        frame.scrollTop = frame.scrollHeight * part;
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      },
      ((jump * 7) % jumps) / jumps,
    );
    costs.push(((await metric('TaskDuration')) - before) * 1_000);
  }
  await grid.press('End');
  await grid.getByRole('gridcell', { name: rows.toLocaleString('en'), exact: true }).waitFor({ timeout: waitMs });
  const drawn = await grid.getByRole('row').count();
  await devtools.send('HeapProfiler.collectGarbage');
  const heap = (await metric('JSHeapUsedSize')) / 1024 ** 2;
  const median = costs.toSorted((a, b) => a - b)[jumps / 2] ?? Number.NaN;
  const figures = `${median.toFixed(1)} ms of processor time a jump, ${heap.toFixed(1)} MiB, ${drawn} rows drawn`;
  process.stdout.write(`${rows.toLocaleString('en')} rows: ${figures}\n`);
  await context.close();
}

const stage = await makeStage();
if (stage === null) throw new Error('no Chromium can run here: set CHROME_PATH');
for (const rows of [1_000, 1_000_000]) await measure(stage, rows);
await stage.close();

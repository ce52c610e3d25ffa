import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openLedger } from '../src/runtime/session/ledger.ts';
import { writePackage } from '../tools/bundle.ts';
import { type Bench, type Figure, median } from './figures.ts';
import { addHalfDoneBatch, batchId } from './ledger.ts';
import { startSwiftService } from './swift-service.ts';
import { furnish, inWorkplace, noLimits, type Workplace } from './workplace.ts';

const clone = resolve(import.meta.dirname, '../src/cli/airbatch.js');

/** Rows that were being sent when the run before was killed: as many as may be under way at once. */
const beingSent = 64;
const lookMs = 5;
const patienceMs = 60_000;

/**
 * A killed run of a large batch: how long `airbatch resume` takes from the start of its process to its first request. The
 * published package has the goal, because that is what its users run; the clone runs its sources. They start by turns.
 */
export const bench: Bench = async ({ quick, rows }) => {
  const count = rows ?? (quick ? 1_000 : 1_000_000);
  const times = quick ? 1 : 5;
  await using service = await startSwiftService();
  const taken = { published: [] as Start[], clone: [] as Start[] };
  await inWorkplace(async (folder) => {
    const published = await writePackage(join(folder, 'package'));
    const place = await furnish(folder, { baseUrl: service.url, limits: noLimits });
    const db = await openLedger(place.ledgerPath);
    await addHalfDoneBatch(db, count, { beingSent, service: service.url });
    await db.close();
    // The first run of each ends in order, and leaves its compiled code for the next.
    for (const launcher of quick ? [] : [published, clone]) await startAndEnd(launcher, place, service, 'SIGTERM');
    for (let time = 0; time < times; time++) {
      taken.published.push(await startAndEnd(published, place, service, 'SIGKILL'));
      taken.clone.push(await startAndEnd(clone, place, service, 'SIGKILL'));
    }
  });
  const figures = (starts: readonly Start[], where: string): Figure[] => [
    { name: `to the first request, ${where}`, value: median(starts.map(({ request }) => request)), unit: 'ms' },
    { name: `to the first row sent, ${where}`, value: median(starts.map(({ creation }) => creation)), unit: 'ms' },
  ];
  const goal = { atMost: 700 };
  return {
    figures: [
      ...figures(taken.published, 'published package').map((figure) => ({ ...figure, goal })),
      ...figures(taken.clone, 'in a clone'),
    ],
    notes: [
      `${count} rows, half of them completed and ${beingSent} being sent when the run was killed; ${times} start(s) of each, each killed again.`,
    ],
  };
};

/** After how many milliseconds the first request arrived, and the first that creates a payment. */
interface Start {
  request: number;
  creation: number;
}

async function startAndEnd(
  launcher: string,
  { folder, env }: Workplace,
  service: Awaited<ReturnType<typeof startSwiftService>>,
  signal: NodeJS.Signals,
): Promise<Start> {
  await service.forget();
  const startedAt = Date.now();
  const child = spawn(process.execPath, [launcher, 'resume', batchId, '--out', join(folder, 'out')], {
    cwd: folder,
    env: { ...process.env, ...env, XDG_CACHE_HOME: join(folder, 'cache') },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  while (child.exitCode === null && Date.now() < startedAt + patienceMs) {
    const { firstAt, firstCreationAt } = await service.seen();
    if (firstAt !== null && firstCreationAt !== null) {
      child.kill(signal);
      await ended;
      return { request: firstAt - startedAt, creation: firstCreationAt - startedAt };
    }
    await wait(lookMs);
  }
  child.kill('SIGKILL');
  throw new Error('airbatch resume sent nothing');
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openLedger } from '../src/runtime/session/ledger.ts';
import { type Bench, type Figure, median } from './figures.ts';
import { addHalfDoneBatch, batchId } from './ledger.ts';
import { startSwiftService } from './swift-service.ts';
import { furnish, inWorkplace, noLimits, type Workplace } from './workplace.ts';

const launcher = resolve(import.meta.dirname, '../src/cli/airbatch.js');

/** Rows that were being sent when the run before was killed: as many as may be under way at once. */
const beingSent = 64;
const lookMs = 5;
const patienceMs = 60_000;

/**
 * A killed run of a large batch: how long `airbatch resume` takes from the start of its process to its first request.
 */
export const bench: Bench = async ({ quick, rows }) => {
  const count = rows ?? (quick ? 1_000 : 1_000_000);
  const times = quick ? 1 : 5;
  await using service = await startSwiftService();
  const { url } = service;
  const starts = await inWorkplace(async (folder) => {
    const place = await furnish(folder, { baseUrl: url, limits: noLimits });
    const db = await openLedger(place.ledgerPath);
    await addHalfDoneBatch(db, count, { beingSent, service: url });
    await db.close();
    const taken: { request: number; creation: number }[] = [];
    for (let time = 0; time < times; time++) taken.push(await startAndKill(place, service));
    return taken;
  });
  const goal = { atMost: 700 };
  const figures: Figure[] = [
    { name: 'to the first request', value: median(starts.map(({ request }) => request)), unit: 'ms', goal },
    { name: 'to the first row sent', value: median(starts.map(({ creation }) => creation)), unit: 'ms', goal },
  ];
  const notes = [
    `${count} rows, half of them completed and ${beingSent} being sent when the run was killed; ${times} start(s), each killed again.`,
  ];
  return { figures, notes };
};

async function startAndKill(
  { folder, env }: Workplace,
  service: Awaited<ReturnType<typeof startSwiftService>>,
): Promise<{ request: number; creation: number }> {
  await service.forget();
  const startedAt = Date.now();
  const child = spawn(process.execPath, [launcher, 'resume', batchId, '--out', join(folder, 'out')], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  while (child.exitCode === null && Date.now() < startedAt + patienceMs) {
    const { firstAt, firstCreationAt } = await service.seen();
    if (firstAt !== null && firstCreationAt !== null) {
      child.kill('SIGKILL');
      await ended;
      return { request: firstAt - startedAt, creation: firstCreationAt - startedAt };
    }
    await wait(lookMs);
  }
  child.kill('SIGKILL');
  throw new Error('airbatch resume sent nothing');
}

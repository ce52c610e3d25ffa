import { openLedger } from '../src/runtime/session/ledger.ts';
import { runAirbatch } from './airbatch-child.ts';
import { type Bench, type Figure, median } from './figures.ts';
import { addApprovedBatch } from './ledger.ts';
import { type Rival, runRival } from './rivals.ts';
import { startPostgres, startRedis } from './servers.ts';
import { startSwiftService } from './swift-service.ts';
import { furnish, inWorkplace, noLimits } from './workplace.ts';

/** Who is compared, in the order of their turns. */
const rivals: readonly { name: Rival; title: string; goal?: Figure['goal'] }[] = [
  { name: 'bare', title: 'bare loop', goal: { atLeast: 0.7 } },
  { name: 'bullmq', title: 'BullMQ', goal: { atLeast: 1.3 } },
  { name: 'pgboss', title: 'pg-boss', goal: { atLeast: 6 } },
  { name: 'pgbossBatched', title: 'pg-boss, 64 jobs at a time' },
];

/**
 * Rows a second from approved to all terminal, where no limit holds anybody back. Everyone sends the same rows to a
 * service in another process that answers at once, and follows each to its end. They take turns, and each round gives
 * its own ratios.
 */
export const bench: Bench = async ({ quick, rows }) => {
  const count = rows ?? (quick ? 100 : 30_000);
  const rounds = quick ? 1 : 5;
  const own: number[] = [];
  const used: number[] = [];
  const others = rivals.map((rival) => ({ ...rival, speeds: [] as (number | null)[] }));
  for (let round = 0; round < rounds; round++) {
    const { speed, cpuSeconds } = await airbatch(count);
    own.push(speed);
    used.push((cpuSeconds * 1_000_000) / count);
    for (const { name, speeds } of others) speeds.push(await rival(name, count));
  }
  const measured = others.filter(({ speeds }) => speeds.some((speed) => speed !== null));
  const missing = others.filter((other) => !measured.includes(other));
  const figures: Figure[] = [
    { name: 'airbatch', value: median(own), unit: 'rows/s' },
    ...measured.map(({ title, speeds }): Figure => {
      return { name: title, value: median(speeds.filter((speed) => speed !== null)), unit: 'rows/s' };
    }),
    { name: 'airbatch: processor', value: median(used), unit: 'us/row' },
    ...measured.map(({ title, speeds, goal }): Figure => {
      const ratios = speeds.flatMap((speed, round) => (speed ? [(own[round] ?? Number.NaN) / speed] : []));
      return { name: `airbatch / ${title}`, value: median(ratios), unit: 'x', ...(goal && { goal }) };
    }),
  ];
  const notes = [
    `${count} rows, ${rounds} round(s), 64 connections for everybody. The service is the bench's own: the sandbox would take more time than the clients that are measured.`,
    'airbatch makes every step durable: the intent before the request, the answer, and the end, each with its event in the audit chain. It reads the list.',
    'The bare loop is p-limit and undici: it keeps nothing, and reads the list.',
    'BullMQ (Redis, appended to a file, synchronised every second) and pg-boss (PostgreSQL with its defaults, 64 connections) have one job a row, which sends it and reads it once: the job ends with its row, and is fetched and settled by itself, 64 at once. Their jobs are in the queue before the time begins. They keep neither an intent nor what the service answered.',
    'pg-boss, 64 jobs at a time: its fastest way, four workers that fetch 64 jobs with one statement and settle them with one when the last of them has ended. A crash leaves 256 rows of which nothing is known, instead of 64.',
    ...missing.map(({ title }) => `${title} was left out: its server is not installed.`),
  ];
  return { figures, notes };
};

async function airbatch(count: number): Promise<{ speed: number; cpuSeconds: number }> {
  await using service = await startSwiftService();
  const { url } = service;
  const { startedAt, endedAt, cpuSeconds } = await inWorkplace(async (folder) => {
    const place = await furnish(folder, { baseUrl: url, limits: noLimits });
    const db = await openLedger(place.ledgerPath);
    await addApprovedBatch(db, count, url);
    await db.close();
    return runAirbatch(place);
  });
  await checkCount(service, count);
  return { speed: (count * 1_000) / (endedAt - startedAt), cpuSeconds };
}

const servers = { bare: null, bullmq: startRedis, pgboss: startPostgres, pgbossBatched: startPostgres } as const;

/** Null: its server is not installed. */
async function rival(name: Rival, count: number): Promise<number | null> {
  return inWorkplace(async (folder) => {
    const start = servers[name];
    await using server = start && (await start(folder));
    if (start && !server) return null;
    await using service = await startSwiftService();
    const tookMs = await runRival(name, service.url, count, server?.url);
    await checkCount(service, count);
    return (count * 1_000) / tookMs;
  });
}

/** A figure counts only where everybody did the same: each row once. */
async function checkCount(service: Awaited<ReturnType<typeof startSwiftService>>, count: number): Promise<void> {
  const { topups } = await service.seen();
  if (topups !== count) throw new Error(`${topups} rows arrived instead of ${count}`);
}

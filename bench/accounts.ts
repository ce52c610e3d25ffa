import { setTimeout as wait } from 'node:timers/promises';
import { serviceName } from '../src/core/identity/service-name.ts';
import type { Database } from '../src/ledger/drivers/database.ts';
import { openLedger } from '../src/runtime/session/ledger.ts';
import { type AccountRequests, type AccountsService, startAccountsService } from './accounts-service.ts';
import { type Bench, type Figure, median } from './figures.ts';
import { addApprovedBatch } from './ledger.ts';
import { type ServeProcess, startServe } from './serve-child.ts';
import { defaultLimits, furnishAccounts, inWorkplace } from './workplace.ts';

/** How many accounts one process serves, and how many of them are paid from at ten times the service's rate. */
const sizes = [10, 100, 1_000];
const fastSizes = [10, 100];
const rate = 60;
const settleMs = 300;

/** Two whole windows, and then some rows: the last ones must not be a burst of all accounts at one instant. */
export const paced: Pace = { name: '60 a minute', windowMs: 60_000, rows: 125 };
/** A window of a tenth of a minute: ten times the rate. */
const fast: Pace = { name: '600 a minute', windowMs: 6_000, rows: 305 };
const quickPace: Pace = { name: '3,600 a minute', windowMs: 1_000, rows: 65 };
/** The part of a window that has passed when a run starts. */
const startShare = 0.1;
/** How long an idle program is watched, after the time that its start may still affect. */
const idleMs = 20_000;
const settledAfterMs = 8_000;

interface Pace {
  name: string;
  windowMs: number;
  rows: number;
}

/** `airbatch serve` with many accounts: what an account costs that does nothing, and what a row costs. */
export const bench: Bench = async ({ quick, rows }) => {
  const figures: Figure[] = [];
  if (quick) {
    figures.push(...(await idle(2, 500)), ...(await pay(2, { ...quickPace, rows: rows ?? quickPace.rows })));
    return { figures };
  }
  for (const size of sizes) figures.push(...(await idle(size, idleMs)));
  for (const size of sizes) figures.push(...(await pay(size, { ...paced, rows: rows ?? paced.rows })));
  for (const size of fastSizes) figures.push(...(await pay(size, { ...fast, rows: rows ?? fast.rows })));
  const notes = [
    `The service of all accounts is one other process, which answers from texts and has the limits of each account; a payment settles after ${settleMs} ms, and no webhooks are sent. At 60 a minute each account pays ${paced.rows} rows, at 600 a minute ${fast.rows}.`,
    'Processor time is that of the main thread, from the start of the program to the last end of a row; idle, that of the main thread in 20 s. Statements and commits are those of the whole program.',
    'The pace is the time from the start of the program to the last creation of the account, by the time of a client that sends whole windows at their first instant.',
  ];
  return { figures, notes };
};

async function idle(size: number, watchedMs: number): Promise<Figure[]> {
  return await withAccounts(size, { ...paced, rows: 0 }, async ({ serve, service, startMs }) => {
    if (watchedMs === idleMs) await wait(settledAfterMs);
    const before = await serve.usage();
    const begun = performance.now();
    await wait(watchedMs);
    const after = await serve.usage();
    const seconds = (performance.now() - begun) / 1_000;
    const asked = Object.values(await service.requests());
    const isLargest = size === sizes.at(-1);
    const name = `${size} accounts, idle`;
    return [
      {
        name: `${size} accounts: start`,
        value: startMs / 1_000,
        unit: 's',
        ...(isLargest ? { goal: { atMost: 3 } } : {}),
      },
      {
        name: `${name}: main thread`,
        value: ((after.mainSeconds - before.mainSeconds) / seconds) * 100,
        unit: '%',
        ...(isLargest ? { goal: { atMost: 3 } } : {}),
      },
      { name: `${name}: all threads`, value: ((after.cpuSeconds - before.cpuSeconds) / seconds) * 100, unit: '%' },
      {
        name: `${name}: memory`,
        value: after.residentMiB,
        unit: 'MiB',
        ...(isLargest ? { goal: { atMost: 400 } } : {}),
      },
      { name: `${name}: requests`, value: asked.reduce((sum, { reads }) => sum + reads, 0), unit: 'requests' },
    ];
  });
}

async function pay(size: number, pace: Pace): Promise<Figure[]> {
  return await withAccounts(size, pace, async ({ db, serve, service, startedAt }) => {
    await until(async () => (await batchesCompleted(db)) === size, 500);
    const usage = await serve.usage();
    const asked = Object.values(await service.requests());
    const rows = size * pace.rows;
    const reads = asked.reduce((sum, one) => sum + one.reads - one.balances, 0);
    const early = asked.reduce((sum, one) => sum + one.readsWhileSending, 0);
    const paces = asked.map((one) => paceOf(one, startedAt, pace)).sort((a, b) => a - b);
    const name = `${size} accounts, ${pace.name}`;
    const goalOf = (atMost: number) => (pace === paced || size > 2 ? { goal: { atMost } } : {});
    return [
      {
        name: `${name}: main thread`,
        value: (usage.mainSeconds * 1_000) / rows,
        unit: 'ms/row',
        // With few rows, most of it is the start.
        ...(size === sizes.at(-1) ? { goal: { atMost: 0.7 } } : {}),
      },
      { name: `${name}: all threads`, value: (usage.cpuSeconds * 1_000) / rows, unit: 'ms/row' },
      { name: `${name}: memory`, value: usage.residentMiB, unit: 'MiB' },
      { name: `${name}: statements`, value: usage.statements / rows, unit: 'statements/row' },
      { name: `${name}: commits`, value: usage.commits / rows, unit: 'commits/row' },
      { name: `${name}: reads while rows are sent`, value: early / rows, unit: 'reads/row', ...goalOf(0.1) },
      { name: `${name}: reads until the batches are completed`, value: reads / rows, unit: 'reads/row' },
      { name: `${name}: time / least time, median`, value: median(paces), unit: 'x', ...goalOf(1.03) },
      { name: `${name}: time / least time, worst`, value: paces.at(-1) ?? Number.NaN, unit: 'x', ...goalOf(1.03) },
      {
        name: `${name}: answers of 429`,
        value: asked.reduce((sum, { throttled }) => sum + throttled, 0),
        unit: 'requests',
        goal: { atMost: 0 },
      },
    ];
  });
}

export function paceOf(
  { acceptedAt, creations }: AccountRequests,
  startedAt: number,
  { windowMs, rows }: Pace,
): number {
  const lastAcceptedAt = acceptedAt.at(-1);
  if (creations < rows || lastAcceptedAt === undefined) throw new Error(`${creations} rows of ${rows} arrived`);
  const firstWindow = Math.floor(startedAt / windowMs);
  const leastMs = (firstWindow + Math.ceil(rows / rate) - 1) * windowMs - startedAt;
  return (lastAcceptedAt - startedAt) / leastMs;
}

interface Served {
  db: Database;
  serve: ServeProcess;
  service: AccountsService;
  /** When the program was started (epoch ms), and how long it took until it had the leases of all accounts. */
  startedAt: number;
  startMs: number;
}

/** Serves accounts; with `rows`, each has an approved batch of that many rows. */
async function withAccounts(
  size: number,
  { windowMs, rows }: { windowMs: number; rows: number },
  work: (served: Served) => Promise<Figure[]>,
): Promise<Figure[]> {
  await using service = await startAccountsService({ rate, windowMs, settleMs });
  return await inWorkplace(async (folder) => {
    const names = Array.from({ length: size }, (_, number) => `account-${number}`);
    const accounts = names.map(
      (name) => [name, { baseUrl: service.urlOf(name), limits: defaultLimits(windowMs) }] as const,
    );
    const place = await furnishAccounts(folder, new Map(accounts));
    const db = await openLedger(place.ledgerPath);
    for (const [index, account] of (rows > 0 ? names : []).entries()) {
      const at = serviceName(service.urlOf(account), 'v2');
      // Each account pays people of its own: a number that a thousand accounts pay is compared with a thousand rows.
      await addApprovedBatch(db, rows, at, { account, batch_id: `B-${account}`, rowsBefore: index * rows });
    }
    if (rows > 0) await wait(windowMs - ((Date.now() - startShare * windowMs) % windowMs));
    try {
      await using serve = await startServe(place);
      const { startedAt } = serve;
      await until(async () => (await leasesHeld(db)) === size, 20);
      return await work({ db, serve, service, startedAt, startMs: Date.now() - startedAt });
    } finally {
      await db.close();
    }
  });
}

export async function until(isSo: () => Promise<boolean>, everyMs: number): Promise<void> {
  while (!(await isSo())) await wait(everyMs);
}

async function leasesHeld(db: Database): Promise<number> {
  const [held] = await db.query<{ count: number }>('SELECT COUNT(*) AS count FROM leases WHERE expires_at > ?', [
    Date.now(),
  ]);
  return held?.count ?? 0;
}

export async function batchesCompleted(db: Database): Promise<number> {
  const [completed] = await db.query<{ count: number }>(
    `SELECT COUNT(*) AS count FROM batches WHERE status = 'completed'`,
  );
  return completed?.count ?? 0;
}

import { setTimeout as wait } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import { serviceName } from '../src/core/identity/service-name.ts';
import type { Database } from '../src/ledger/drivers/database.ts';
import { openPostgres } from '../src/ledger/drivers/postgres/postgres.ts';
import { migrate } from '../src/ledger/schema/schema.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { batchesCompleted, until } from './accounts.ts';
import { type AccountsService, startAccountsService } from './accounts-service.ts';
import { type Bench, type Figure, median } from './figures.ts';
import { addApprovedBatch } from './ledger.ts';
import { type ServeProcess, startServe } from './serve-child.ts';
import { furnishAccounts, inWorkplace, noLimits } from './workplace.ts';

const sizes = [1, 2, 4];
const accounts = Array.from({ length: 8 }, (_, number) => `account-${number}`);
const rowsEach = 250;
const takeOversMax = 10;
/** What no service refuses: see `noLimits`. */
const unlimited = 1_000_000_000;

/**
 * `airbatch serve` on one ledger in PostgreSQL: rows by workers, counted in statements and round trips, because the
 * machine may have fewer cores than workers; and how soon others hold the accounts of a worker that was killed.
 */
export const bench: Bench = async ({ quick, rows }) => {
  const each = rows ?? (quick ? 5 : rowsEach);
  const figures: Figure[] = [];
  for (const size of quick ? [1] : sizes) figures.push(...(await inFleet(size, (fleet) => pay(fleet, size, each))));
  if (!quick) figures.push(...(await inFleet(4, takeOver)));
  if (!quick) figures.push(await aJobForEachRow(each * accounts.length));
  const notes = [
    `${accounts.length} accounts without a limit pay ${each} rows each; each has a sandbox of its own, all of them in one other process. PostgreSQL runs on the same machine, and waits for no disk.`,
    'Statements, commits and round trips are those of the ledger, of all workers together.',
    'pg-boss alone: each row is a job, whose handler makes the request to create and no other; nothing is written before the request, and nobody follows the payment.',
  ];
  return { figures, notes };
};

interface Fleet {
  db: Database;
  service: AccountsService;
  workers: ServeProcess[];
  join(): Promise<void>;
}

async function inFleet(size: number, work: (fleet: Fleet) => Promise<Figure[]>): Promise<Figure[]> {
  const postgres = await startPostgres();
  const db = openPostgres(postgres.url);
  const workers: ServeProcess[] = [];
  try {
    await migrate(db);
    await using service = await startAccountsService({ rate: unlimited, settleMs: 300 });
    return await inWorkplace(async (folder) => {
      const urls = accounts.map((name) => [name, { baseUrl: service.urlOf(name), limits: noLimits }] as const);
      const place = await furnishAccounts(folder, new Map(urls), postgres.url);
      const join = async () => void workers.push(await startServe(place));
      try {
        while (workers.length < size) await join();
        await until(async () => (await spread(db)).length === size, 100);
        return await work({ db, service, workers, join });
      } finally {
        for (const worker of workers) await worker[Symbol.asyncDispose]();
      }
    });
  } finally {
    await db.close();
    await postgres.stop();
  }
}

/** The process ids of the workers that hold accounts, once every account has a holder; none before. */
async function spread(db: Database): Promise<number[]> {
  const held = await db.query<{ holder: string }>('SELECT holder FROM leases WHERE expires_at > ledger_now(?)', [0]);
  return held.length < accounts.length ? [] : [...new Set(held.map(({ holder }) => Number(holder.split('/')[1])))];
}

async function usageOf(workers: readonly ServeProcess[]) {
  const sum = { statements: 0, commits: 0, roundTrips: 0, cpuSeconds: 0 };
  for (const worker of workers) {
    const usage = await worker.usage();
    for (const name of ['statements', 'commits', 'roundTrips', 'cpuSeconds'] as const) sum[name] += usage[name];
  }
  return sum;
}

async function pay({ db, service, workers }: Fleet, size: number, each: number): Promise<Figure[]> {
  const before = await usageOf(workers);
  for (const account of accounts) {
    const at = serviceName(service.urlOf(account), 'v2');
    await addApprovedBatch(db, each, at, { account, batch_id: `B-${account}` });
  }
  const begun = performance.now();
  await until(async () => (await batchesCompleted(db)) === accounts.length, 100);
  const seconds = (performance.now() - begun) / 1_000;
  const after = await usageOf(workers);
  const rows = each * accounts.length;
  const name = `${size} ${size === 1 ? 'worker' : 'workers'}`;
  return [
    { name: `${name}: rows`, value: rows / seconds, unit: 'rows/s' },
    { name: `${name}: statements`, value: (after.statements - before.statements) / rows, unit: 'statements/row' },
    { name: `${name}: commits`, value: (after.commits - before.commits) / rows, unit: 'commits/row' },
    { name: `${name}: round trips`, value: (after.roundTrips - before.roundTrips) / rows, unit: 'round trips/row' },
    { name: `${name}: all threads`, value: ((after.cpuSeconds - before.cpuSeconds) * 1_000) / rows, unit: 'ms/row' },
  ];
}

/** Kills a worker, and measures until others hold all accounts. A new one takes its place. */
async function takeOver({ db, workers, join }: Fleet): Promise<Figure[]> {
  const seconds: number[] = [];
  while (seconds.length < takeOversMax) {
    const [worker] = workers.splice(0, 1);
    if (!worker) throw new Error('a fleet has workers');
    const { pid } = await worker.usage();
    const begun = performance.now();
    process.kill(pid, 'SIGKILL');
    await until(async () => {
      const holders = await spread(db);
      return holders.length > 0 && !holders.includes(pid);
    }, 50);
    seconds.push((performance.now() - begun) / 1_000);
    await join();
    await until(async () => (await spread(db)).length === workers.length, 100);
  }
  return [
    { name: 'accounts of a killed worker held by others, median', value: median(seconds), unit: 's' },
    {
      name: 'accounts of a killed worker held by others, worst',
      value: Math.max(...seconds),
      unit: 's',
      goal: { atMost: 15 },
    },
  ];
}

/** pg-boss with a job for each row, and one worker. */
async function aJobForEachRow(rows: number): Promise<Figure> {
  const postgres = await startPostgres();
  await using service = await startAccountsService({ rate: unlimited, settleMs: 300 });
  const boss = new PgBoss({ connectionString: postgres.url, schedule: false });
  try {
    await boss.start();
    await boss.createQueue('rows');
    const numbers = Array.from({ length: rows }, (_, number) => number);
    await boss.insert(
      'rows',
      numbers.map((number) => ({ data: { number } })),
    );
    let done = 0;
    const begun = performance.now();
    await boss.work<{ number: number }>('rows', { batchSize: 50, pollingIntervalSeconds: 0.5 }, async (jobs) => {
      await Promise.all(jobs.map(({ data: { number } }) => create(service.urlOf('account-0'), number)));
      done += jobs.length;
    });
    await until(async () => done === rows, 20);
    return {
      name: 'pg-boss alone, a job for each row',
      value: rows / ((performance.now() - begun) / 1_000),
      unit: 'rows/s',
    };
  } finally {
    await boss.stop({ graceful: false }).catch(() => undefined);
    await wait(0);
    await postgres.stop();
  }
}

async function create(url: string, number: number): Promise<void> {
  const answer = await fetch(`${url}/v2/topups`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer sandbox-key',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify({
      phone_number: `+25471${String(number).padStart(5, '0')}55`,
      network_id: 1,
      amount: { value: 10, currency: 'KES' },
      reference: `row-${number}`,
    }),
  });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
}

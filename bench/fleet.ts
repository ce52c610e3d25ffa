import { setTimeout as wait } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import { startPostgres } from '../test/support/postgres.ts';
import { batchesCompleted, until } from './accounts.ts';
import { startAccountsService } from './accounts-service.ts';
import type { Bench, Figure } from './figures.ts';
import { type Fleet, inFleet, postgresSettings, servers, usedBetween } from './fleet-base.ts';
import { approveBatch } from './ledger.ts';
import { noLimits } from './workplace.ts';

const sizes = [1, 2, 4];
const accounts = Array.from({ length: 8 }, (_, number) => `account-${number}`);
const rowsEach = 250;
/** How long a round trip takes to a database that is in another place, and how many rows each account pays then. */
const distances = [2, 10];
const rowsEachFar = 40;
/** Of linear speed, 0.9 is to be reached: a row may cost so many times as much with more workers. */
const costMax = 1 / 0.9;
/** What no service refuses: see `noLimits`. */
const unlimited = 1_000_000_000;

/**
 * `airbatch serve` on one ledger in PostgreSQL: rows by workers, and what a row costs, because the machine may have
 * fewer cores than workers. Beside it, pg-boss alone does the same work.
 */
export const bench: Bench = async ({ quick, rows, distanceMs }) => {
  const each = rows ?? (quick ? 5 : rowsEach);
  if (distanceMs !== null) return { figures: await payFrom(distanceMs, rows ?? rowsEachFar) };
  const figures: Figure[] = [];
  const costs: Cost[] = [];
  for (const size of quick ? [1] : sizes) {
    const options = { size, accounts, limits: noLimits, service: { rate: unlimited, settleMs: 300 } };
    const cost = await inFleet(options, (fleet) => pay(fleet, each));
    costs.push(cost);
    figures.push(...figuresOf(size, cost, costs[0] ?? cost));
  }
  for (const distance of quick ? [] : distances)
    figures.push(...(await payFrom(distance, Math.min(each, rowsEachFar))));
  if (!quick) figures.push(await aJobForEachRow(each * accounts.length));
  const notes = [
    `${accounts.length} accounts without a limit pay ${each} rows each. ${servers}`,
    'Statements, commits and round trips are those of the ledger, of all workers together. Where the machine has fewer cores than programs, rows a second cannot be linear: then the costs of a row show whether they could.',
    `"Database 2 ms away": each round trip takes so much longer; each account pays ${rowsEachFar} rows.`,
    'pg-boss alone: each row is a job, whose handler makes the request to create and no other; nothing is written before the request, and nobody follows the payment.',
  ];
  return { figures, notes };
};

/** Two workers that are so far from the database. */
async function payFrom(distanceMs: number, each: number): Promise<Figure[]> {
  const options = { size: 2, accounts, limits: noLimits, service: { rate: unlimited, settleMs: 300 }, distanceMs };
  const { rowsPerSecond, roundTrips } = await inFleet(options, (fleet) => pay(fleet, each));
  const name = `2 workers, database ${distanceMs} ms away`;
  return [
    { name: `${name}: rows`, value: rowsPerSecond, unit: 'rows/s' },
    { name: `${name}: round trips`, value: roundTrips, unit: 'round trips/row' },
  ];
}

interface Cost {
  rowsPerSecond: number;
  /** Of a row. */
  statements: number;
  commits: number;
  roundTrips: number;
  workersMs: number;
  databaseMs: number;
}

async function pay(fleet: Fleet, each: number): Promise<Cost> {
  const batches: string[] = [];
  for (const account of accounts) batches.push(await fleet.addBatch(account, each));
  const before = await fleet.usage();
  const begun = performance.now();
  for (const batch of batches) await approveBatch(fleet.db, batch);
  await until(async () => (await batchesCompleted(fleet.db)) === accounts.length, 100);
  const seconds = (performance.now() - begun) / 1_000;
  const rows = each * accounts.length;
  const used = usedBetween(before, await fleet.usage());
  return {
    rowsPerSecond: rows / seconds,
    statements: used.statements / rows,
    commits: used.commits / rows,
    roundTrips: used.roundTrips / rows,
    workersMs: (used.cpuSeconds * 1_000) / rows,
    databaseMs: (used.databaseSeconds * 1_000) / rows,
  };
}

function figuresOf(size: number, cost: Cost, ofOne: Cost): Figure[] {
  const name = `${size} ${size === 1 ? 'worker' : 'workers'}`;
  const figures: Figure[] = [
    { name: `${name}: rows`, value: cost.rowsPerSecond, unit: 'rows/s' },
    { name: `${name}: statements`, value: cost.statements, unit: 'statements/row' },
    { name: `${name}: commits`, value: cost.commits, unit: 'commits/row' },
    { name: `${name}: round trips`, value: cost.roundTrips, unit: 'round trips/row' },
    { name: `${name}: all threads of the workers`, value: cost.workersMs, unit: 'ms/row' },
    { name: `${name}: processor time of PostgreSQL`, value: cost.databaseMs, unit: 'ms/row' },
  ];
  if (cost === ofOne) return figures;
  const goal = { atMost: costMax };
  return [
    ...figures,
    { name: `${name} / 1 worker: statements a row`, value: cost.statements / ofOne.statements, unit: 'x', goal },
    { name: `${name} / 1 worker: round trips a row`, value: cost.roundTrips / ofOne.roundTrips, unit: 'x', goal },
  ];
}

/** pg-boss with a job for each row, and one worker. */
async function aJobForEachRow(rows: number): Promise<Figure> {
  const postgres = await startPostgres(postgresSettings);
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

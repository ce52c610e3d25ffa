import { fork } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { PgBoss } from 'pg-boss';
import { atOnce, makeRivalClient, type RivalClient, type RivalRow, rivalRows } from './rival-client.ts';

/** How else one would send the rows; each in a process of its own. */
const rivals = { bare, bullmq, pgboss, pgbossBatched } as const;
export type Rival = keyof typeof rivals;

/** Milliseconds from the first row's start to the last row's end. Whatever comes before is not counted. */
export function runRival(rival: Rival, serviceUrl: string, count: number, serverUrl = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, [rival, serviceUrl, String(count), serverUrl], { stdio: 'inherit' });
    let took: number | null = null;
    child.once('message', (message) => {
      took = message as number;
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      if (took === null) reject(new Error(`${rival} ended with code ${code}`));
      else resolve(took);
    });
  });
}

/** The floor: p-limit and undici, and nothing is kept anywhere. */
async function bare(serviceUrl: string, count: number): Promise<number> {
  const client = makeRivalClient(serviceUrl);
  const rows = rivalRows(count);
  const limit = pLimit(atOnce);
  const begun = performance.now();
  await Promise.all([client.followAll(count), ...rows.map((row) => limit(() => client.send(row)))]);
  const took = performance.now() - begun;
  await client.close();
  return took;
}

const jobsAddedAtOnce = 1_000;

function* portions(rows: readonly RivalRow[]): Generator<RivalRow[]> {
  for (let at = 0; at < rows.length; at += jobsAddedAtOnce) yield rows.slice(at, at + jobsAddedAtOnce);
}

/** A job of a queue ends when its row has: it is all that the queue knows of the row. */
async function sendAndFollow(client: RivalClient, row: RivalRow): Promise<void> {
  await client.follow(await client.send(row));
}

/** One job a row on Redis. The jobs are in the queue before the time begins, as a batch's rows are in the ledger. */
async function bullmq(serviceUrl: string, count: number, redisUrl: string): Promise<number> {
  const { Queue, Worker } = await import('bullmq');
  const { hostname: host, port } = new URL(redisUrl);
  const connection = { host, port: Number(port) };
  const queue = new Queue<RivalRow>('payouts', { connection });
  for (const portion of portions(rivalRows(count))) {
    await queue.addBulk(
      portion.map((data) => ({
        name: 'send',
        data,
        opts: { jobId: data.reference.replaceAll(':', '-'), attempts: 3, removeOnComplete: true },
      })),
    );
  }
  const client = makeRivalClient(serviceUrl);
  const begun = performance.now();
  const worker = new Worker<RivalRow>('payouts', ({ data }) => sendAndFollow(client, data), {
    connection,
    concurrency: atOnce,
  });
  await new Promise<void>((resolve, reject) => {
    let ended = 0;
    worker.on('completed', () => {
      ended += 1;
      if (ended === count) resolve();
    });
    worker.on('failed', (_job, error) => reject(error));
  });
  const took = performance.now() - begun;
  await worker.close();
  await queue.close();
  await client.close();
  return took;
}

/** How often pg-boss is asked whether all jobs are settled: it tells nobody when a batch of jobs is. */
const settledPollMs = 50;

async function untilSettled(boss: PgBoss): Promise<void> {
  for (;;) {
    const { rows } = (await boss
      .getDb()
      .executeSql(`SELECT 1 FROM pgboss.job WHERE name = 'payouts' AND state < 'completed' LIMIT 1`)) as {
      rows: unknown[];
    };
    if (rows.length === 0) return;
    await wait(settledPollMs);
  }
}

/**
 * How long `settle` takes to send and follow all rows, which are in pg-boss's queue before the time begins, one job
 * each.
 */
async function timePgBoss(
  serviceUrl: string,
  count: number,
  postgresUrl: string,
  settle: (boss: PgBoss, client: RivalClient) => Promise<void>,
): Promise<number> {
  const { PgBoss } = await import('pg-boss');
  const boss = new PgBoss({ connectionString: postgresUrl, max: atOnce, schedule: false, supervise: false });
  boss.on('error', (error) => {
    throw error;
  });
  await boss.start();
  await boss.createQueue('payouts');
  for (const portion of portions(rivalRows(count))) {
    await boss.insert(
      'payouts',
      portion.map((data) => ({ data, retryLimit: 3 })),
    );
  }
  const client = makeRivalClient(serviceUrl);
  const begun = performance.now();
  await settle(boss, client);
  const took = performance.now() - begun;
  await boss.stop({ graceful: false });
  await client.close();
  return took;
}

/**
 * One job a row on PostgreSQL, each fetched and settled by itself, as BullMQ does it. pg-boss's own workers would wait
 * for half a second after each job, so that 64 of them settle 128 a second: these ask at once.
 */
function pgboss(serviceUrl: string, count: number, postgresUrl: string): Promise<number> {
  return timePgBoss(serviceUrl, count, postgresUrl, async (boss, client) => {
    const work = async () => {
      for (;;) {
        const [job] = await boss.fetch<RivalRow>('payouts');
        if (!job) return;
        await sendAndFollow(client, job.data);
        await boss.complete('payouts', job.id);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  });
}

const batchWorkers = 4;

/**
 * The same at pg-boss's fastest: 64 jobs are fetched with one statement, and settled with another when all of them
 * have ended.
 */
function pgbossBatched(serviceUrl: string, count: number, postgresUrl: string): Promise<number> {
  return timePgBoss(serviceUrl, count, postgresUrl, async (boss, client) => {
    await boss.work<RivalRow>(
      'payouts',
      {
        batchSize: atOnce,
        localConcurrency: batchWorkers,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: 0.5,
        perJobResults: true,
      },
      async (jobs) =>
        Promise.all(
          jobs.map(async ({ id, data }) => {
            await sendAndFollow(client, data);
            return { id, status: 'completed' as const };
          }),
        ),
    );
    await untilSettled(boss);
  });
}

if (process.send && process.argv[1] === import.meta.filename) {
  const [, , rival = '', serviceUrl = '', count = '', serverUrl = ''] = process.argv;
  process.send(await rivals[rival as Rival](serviceUrl, Number(count), serverUrl));
  process.disconnect();
}

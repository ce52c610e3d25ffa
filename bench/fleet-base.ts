import { readdirSync, readFileSync } from 'node:fs';
import { serviceName } from '../src/core/identity/service-name.ts';
import type { Database } from '../src/ledger/drivers/database.ts';
import { openPostgres } from '../src/ledger/drivers/postgres/postgres.ts';
import { migrate } from '../src/ledger/schema/schema.ts';
import { openCutConnection } from '../test/support/cut-connection.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { until } from './accounts.ts';
import { type AccountsOptions, type AccountsService, startAccountsService } from './accounts-service.ts';
import { addBatch } from './ledger.ts';
import { type ServeProcess, startServe } from './serve-child.ts';
import { furnishAccounts, inWorkplace, type noLimits, type Workplace } from './workplace.ts';

/** Several `airbatch serve` over one ledger in PostgreSQL, each as if on a machine of its own. */
export interface Fleet {
  db: Database;
  service: AccountsService;
  workers: ServeProcess[];
  join(): Promise<void>;
  /** Adds a batch of an account, which waits for its approval. Returns its id. */
  addBatch(account: string, rows: number): Promise<string>;
  /** The worker that holds each account, by its process id. */
  holders(): Promise<Map<string, number>>;
  /** Waits until each worker holds at least so many accounts, and all accounts are held. */
  spread(accountsMin: number): Promise<void>;
  usage(): Promise<FleetUsage>;
}

/** What all workers, and the database, have used so far. */
export interface FleetUsage {
  statements: number;
  commits: number;
  roundTrips: number;
  /** The processor time of the workers' main threads, of all their threads, and of PostgreSQL. */
  mainSeconds: number;
  cpuSeconds: number;
  databaseSeconds: number;
  /** Now: how many connections to the database are open, and the memory of the largest worker. */
  connections: number;
  residentMiB: number;
}

export interface FleetOptions {
  size: number;
  accounts: readonly string[];
  limits: typeof noLimits;
  service: AccountsOptions;
  /** A round trip between the workers and the database takes so much longer (ms). */
  distanceMs?: number;
}

/** PostgreSQL as people run it: it waits for the disk. */
export const postgresSettings: readonly string[] = ['fsync=on', 'full_page_writes=on', 'autovacuum=on'];

export async function inFleet<Result>(
  { size, accounts, limits, service: options, distanceMs = 0 }: FleetOptions,
  work: (fleet: Fleet) => Promise<Result>,
): Promise<Result> {
  const postgres = await startPostgres(postgresSettings);
  const db = openPostgres(postgres.url);
  const way = await openCutConnection(postgres.url);
  way.slow(distanceMs / 2);
  try {
    await migrate(db);
    await using service = await startAccountsService(options);
    return await inWorkplace(async (folder) => {
      const files = accounts.map((name) => [name, { baseUrl: service.urlOf(name), limits }] as const);
      const place = await furnishAccounts(folder, new Map(files), distanceMs > 0 ? way.url : postgres.url);
      const fleet = makeFleet({
        db,
        service,
        place,
        accountsMax: accounts.length,
        postgresId: postgres.child.pid ?? 0,
      });
      try {
        await Promise.all(Array.from({ length: size }, () => fleet.join()));
        await fleet.spread(1);
        return await work(fleet);
      } finally {
        await Promise.all(fleet.workers.map((worker) => worker[Symbol.asyncDispose]()));
      }
    });
  } finally {
    await way.close();
    await db.close();
    await postgres.stop();
  }
}

function makeFleet({
  db,
  service,
  place,
  accountsMax,
  postgresId,
}: {
  db: Database;
  service: AccountsService;
  place: Workplace;
  accountsMax: number;
  postgresId: number;
}): Fleet {
  const workers: ServeProcess[] = [];
  const holders = async () => {
    const held = await db.query<{ account: string; holder: string }>(
      'SELECT account, holder FROM leases WHERE expires_at > ledger_now(?)',
      [0],
    );
    return new Map(held.map(({ account, holder }) => [account, Number(holder.split('/')[1])]));
  };
  let joined = 0;
  // Each account pays people of its own.
  let rowsBefore = 0;
  return {
    db,
    service,
    workers,
    holders,
    async join() {
      joined += 1;
      workers.push(await startServe(place, { machine: `machine-${joined}` }));
    },
    async addBatch(account, rows) {
      const batch_id = `B-${account}`;
      await addBatch(db, rows, serviceName(service.urlOf(account), 'v2'), { account, batch_id, rowsBefore });
      rowsBefore += rows;
      return batch_id;
    },
    async spread(accountsMin) {
      const isSpread = async () => {
        const held = await holders();
        const byWorker = Map.groupBy(held.values(), (pid) => pid);
        const isEven = [...byWorker.values()].every(({ length }) => length >= accountsMin);
        return held.size === accountsMax && byWorker.size === workers.length && isEven;
      };
      await until(isSpread, 100);
    },
    async usage() {
      const sum = { statements: 0, commits: 0, roundTrips: 0, mainSeconds: 0, cpuSeconds: 0 };
      const usages = await Promise.all(workers.map((worker) => worker.usage()));
      const residentMiB = Math.max(...usages.map((usage) => usage.residentMiB));
      for (const usage of usages) for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += usage[name];
      const [open] = await db.query<{ count: number }>(
        'SELECT COUNT(*) AS count FROM pg_stat_activity WHERE datname = current_database()',
      );
      const databaseSeconds = processorSeconds(postgresId);
      return { ...sum, databaseSeconds, connections: open?.count ?? 0, residentMiB };
    },
  };
}

/** The sentence about it in the notes of each bench. */
export const servers =
  'PostgreSQL runs on the same machine and writes each commit to the disk; the service, which answers from texts, runs there as well.';

export function usedBetween(before: FleetUsage, after: FleetUsage): FleetUsage {
  const used = { ...after };
  for (const name of Object.keys(used) as (keyof FleetUsage)[]) used[name] -= before[name];
  return used;
}

/** The unit of the times in `/proc`: a hundredth of a second. */
const ticksPerSecond = 100;

/** The processor time of a process, of those that it has started, and of those of them that have ended. */
function processorSeconds(pid: number): number {
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    const found = /^[0-9]+$/.test(name) ? timesOf(name) : null;
    if (found === null) continue;
    if (Number(name) === pid) ticks += found.own + found.ended;
    else if (found.parent === pid) ticks += found.own;
  }
  return ticks / ticksPerSecond;
}

function timesOf(pid: string): { parent: number; own: number; ended: number } | null {
  try {
    // The name of the program, in parentheses, may contain spaces.
    const [, rest = ''] = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const fields = rest.split(' ').map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, own: user + system, ended: endedUser + endedSystem };
  } catch {
    // It has ended meanwhile.
    return null;
  }
}

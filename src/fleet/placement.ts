import { type Job, PgBoss } from 'pg-boss';
import { assert } from '../core/basics/assert.ts';

/** An account that pg-boss has placed on this worker: the job, and the attempt of it that this worker has fetched. */
export interface Claim {
  account: string;
  id: string;
  retryCount: number;
}

/** Proposes which worker runs which account. Only the ledger's lease decides who may send. */
export interface Placement {
  /** Adds the accounts that are placed nowhere and wait for no worker. */
  propose(accounts: readonly string[]): Promise<void>;
  /** Takes accounts that wait for a worker, at most so many. */
  take(accountsMax: number): Promise<Claim[]>;
  /** Says that this worker lives. Returns the ids of those claims that are still its own. */
  renew(claims: readonly Claim[]): Promise<ReadonlySet<string>>;
  /** Gives an account back, for any worker to take. */
  release(claim: Claim): Promise<void>;
  /** Ends the placing of an account that this worker does not know. A worker that knows it proposes it again. */
  refuse(claim: Claim): Promise<void>;
  /** The names of the workers that live. */
  workers(): Promise<string[]>;
  close(): Promise<void>;
}

const queue = 'accounts';
/** The schema of pg-boss's tables. Nothing but the placing depends on them. */
export const placementSchema = 'airbatch_placement';
/** The least that pg-boss allows. A worker that has been silent for so long loses its accounts. */
const heartbeatSeconds = 10;
/** How often pg-boss looks for workers that have become silent. One of the workers does it. */
const superviseSeconds = 1;
/** A worker that has been silent for three of these is not counted any more. */
const instanceHeartbeatSeconds = 2;
/** The most that pg-boss allows. An account that has run for a day on one worker is then placed anew. */
const expireInSeconds = 24 * 3_600;
const yearSeconds = 365 * 24 * 3_600;
/** An account is placed again and again, for ever. */
const retryLimit = 2 ** 31 - 1;
const connectionsMax = 2;
/** Statements that the server has not answered by then have met a lost connection. */
const statementMsMax = 5_000;

/**
 * Connects to pg-boss in the PostgreSQL database at `url`, and creates its tables if they are missing. `worker`: the
 * name under which this worker is counted; null: it is not.
 */
export async function openPlacement(
  url: string,
  worker: string | null,
  onError: (error: unknown) => void,
): Promise<Placement> {
  const options = {
    connectionString: url,
    schema: placementSchema,
    max: connectionsMax,
    // pg-boss gives it to the connections of `pg`.
    query_timeout: statementMsMax,
    connectionTimeoutMillis: statementMsMax,
    schedule: false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    ...(worker === null ? {} : { instanceName: worker }),
    instanceHeartbeatSeconds,
    openTelemetry: { enabled: false },
  };
  const boss = new PgBoss(options);
  boss.on('error', onError);
  const close = () => boss.stop({ graceful: false, timeout: 1_000 });
  try {
    await boss.start();
    const queueOptions = { heartbeatSeconds, expireInSeconds, retryLimit, retentionSeconds: yearSeconds };
    // "exclusive": an account has one job at most, which waits or is active.
    await boss.createQueue(queue, { policy: 'exclusive', deleteAfterSeconds: 60, ...queueOptions });
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  return {
    async propose(accounts) {
      const jobs = accounts.map((account) => ({ data: { account }, singletonKey: account }));
      await boss.insert(queue, jobs);
    },
    async take(accountsMax) {
      const jobs: Job<{ account: string }>[] = await boss.fetch(queue, { batchSize: accountsMax });
      return jobs.map(({ id, retryCount, data }) => ({ account: data.account, id, retryCount }));
    },
    async renew(claims) {
      if (claims.length === 0) return new Set();
      // The answer names the jobs whose attempts are still active. pg-boss declares its type as empty.
      const answer = await boss.touch(queue, [...claims]);
      const { settled } = answer as { settled?: string[] };
      assert(Array.isArray(settled), 'pg-boss names the jobs that it has touched');
      return new Set(settled);
    },
    async release(claim) {
      // A failed attempt is retried at once, by whichever worker fetches it first.
      await boss.fail(queue, claim);
    },
    async refuse(claim) {
      await boss.complete(queue, claim);
    },
    async workers() {
      const instances = await boss.getInstances();
      return [...new Set(instances.flatMap(({ live, name }) => (live && name !== null ? [name] : [])))];
    },
    close,
  };
}

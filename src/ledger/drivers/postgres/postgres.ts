import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { systemRandom } from '../../../core/basics/random.ts';
import { type Clock, systemClock } from '../../../core/time/clock.ts';
import type { Database, Integrity, Queryable } from '../database.ts';
import { type GroupTransaction, makeGroupCommit, usualGroupsApartMs } from '../group-commit.ts';
import { readValue } from '../read.ts';
import { type Begun, commit } from './commit.ts';
import { answerMarginMs, type Connections, type MakePool, makeConnections } from './connections.ts';
import { asLedgerError } from './errors.ts';
import { shownLedgerUrl } from './ledger-url.ts';
import { listenForNotices } from './notices.ts';
import { identitySql, makeSameLedger } from './same-ledger.ts';
import { limitTransaction, statementsOn, unlimitedMs } from './statements.ts';

/** The advisory lock of all writers. A transaction takes it alone, or shares it with those of other processes. */
const writerLock = 5_227_110_201;

/** How a transaction takes its turn, and how long it may then take altogether. */
interface Turns {
  locks: string;
  msMax: number;
}

/** What is written alone may be much. */
const alone: Turns = { locks: `pg_advisory_xact_lock(${writerLock})`, msMax: 600_000 };

/**
 * The locks of a concurrent transaction. A process begins the next one while the last one is being committed, so the
 * next one waits for a lock that only this process uses. It takes the shared lock after that: while it waits, a
 * transaction of another process can still get the lock alone.
 */
function withOthers(): Turns {
  const own = Number.parseInt(systemRandom.hex(6), 16);
  return { locks: `pg_advisory_xact_lock(${own}), pg_advisory_xact_lock_shared(${writerLock})`, msMax: 10_000 };
}

/** A machine that is gone, or reads no answer, keeps its locks no longer than this; by default two hours. */
const endsDeadConnections = [
  'SET LOCAL tcp_keepalives_idle = 5',
  'SET LOCAL tcp_keepalives_interval = 1',
  'SET LOCAL tcp_user_timeout = 10000',
].join('; ');

export interface PostgresOptions {
  /**
   * A writer that is frozen or cut off must not keep the others waiting: the server ends its transaction after so long
   * without a statement. 0: never.
   */
  idleInTransactionMsMax?: number;
  /** How long a transaction may take once it has its locks; 0: as long as it needs. Default: that of its `Turns`. */
  transactionMsMax?: number;
  /** How long a writer waits for the one before it, until it fails with `LEDGER_BUSY`. */
  lockWaitMsMax?: number;
  /** The simulation has a clock and a server of its own. */
  clock?: Pick<Clock, 'sleep'>;
  makePool?: MakePool;
  /**
   * How long a statement may take, so that one that hangs does not hang its program for ever. A statement that changes
   * tables, and those after it in its transaction, may take longer.
   */
  statementMsMax?: number;
  /** How long transactions that meet others wait for more of them (ms); 0 where the clock is not the machine's. */
  groupsApartMs?: number;
}

const usualStatementMsMax = 60_000;
const usualLockWaitMsMax = 15_000;

/** What is committed is on the disk, even if the database or the role is set not to wait for that. */
const onDisk = `CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END`;

/**
 * One round trip: begin, take the locks, and learn which ledger this is and the number by which the transaction
 * can be looked up. The isolation level is named, because the database or the role may be set to another one, under
 * which a transaction does not see what was committed while it waited for its locks.
 */
function beginWritingWith(
  {
    idleInTransactionMsMax = 5_000,
    lockWaitMsMax = usualLockWaitMsMax,
    statementMsMax,
    transactionMsMax,
  }: PostgresOptions,
  { locks, msMax }: Turns,
): string {
  return `BEGIN ISOLATION LEVEL READ COMMITTED;
    SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionMsMax};
    SET LOCAL lock_timeout = ${lockWaitMsMax};
    SET LOCAL statement_timeout = ${statementMsMax};
    ${endsDeadConnections};
    SELECT ${locks}, ${limitTransaction(transactionMsMax ?? msMax)}, ${onDisk}, pg_current_xact_id()::text AS xid, ${identitySql} AS identity`;
}

/** The planner's statistics are samples of the tables, of phone numbers as well: they are taken anew before. */
async function rewrite(run: (text: string) => Promise<unknown>): Promise<void> {
  await run('ANALYZE');
  await run('VACUUM (FULL)');
}

async function checkChecksums(db: Queryable): Promise<Integrity> {
  const sql = `SELECT CASE WHEN current_setting('data_checksums') = 'on' THEN COALESCE(checksum_failures, 0) END
     FROM pg_stat_database WHERE datname = current_database()`;
  const failures = await readValue<number>(db, sql);
  if (failures === null) return { looked_at: 'nothing', faults: [] };
  return { looked_at: 'checksums', faults: failures === 0 ? [] : [`pages with a wrong checksum: ${failures}`] };
}

type Run = (client: PoolClient, text: string, query_timeout?: number) => Promise<Record<string, unknown>>;

/** Runs statements of the driver's own. Returns the first record of the last one. */
function makeRun(ledger: string): Run {
  return async (client, text, query_timeout) => {
    try {
      // One text with several statements has several results.
      const results: unknown = await client.query({ text, query_timeout } as QueryConfig);
      const last = (Array.isArray(results) ? results.at(-1) : results) as QueryResult;
      return last.rows[0] ?? {};
    } catch (error) {
      throw asLedgerError(ledger, error);
    }
  };
}

function groupOn(
  client: PoolClient,
  { tx, run, inside }: { tx: Queryable; run: Run } & Pick<Connections, 'inside'>,
): GroupTransaction {
  let savepointSql = 'SAVEPOINT member';
  let begun: Promise<unknown> = Promise.resolve();
  return {
    run: (work) => inside(() => work(tx)),
    // It shares a round trip with what follows. If it fails, so does all of that, and `COMMIT` ends without a commit.
    async savepoint() {
      begun = run(client, savepointSql);
      begun.catch(() => undefined);
      savepointSql = 'RELEASE member; SAVEPOINT member';
    },
    async undo() {
      // Without its savepoint, the one of a member before it would be undone.
      await begun;
      await run(client, 'ROLLBACK TO member');
    },
    isEnded: () => false,
  };
}

/** Opens the ledger in the PostgreSQL database at `url`. It connects when the first statement runs. */
export function openPostgres(url: string, options: PostgresOptions = {}): Database {
  const { clock = systemClock, makePool, statementMsMax = usualStatementMsMax } = options;
  const { groupsApartMs = usualGroupsApartMs } = options;
  const ledger = shownLedgerUrl(url);
  const run = makeRun(ledger);
  const assertSame = makeSameLedger(ledger);
  // A connection that is silent here holds up all writers of the process.
  const beginMsMax = (options.lockWaitMsMax ?? usualLockWaitMsMax) + answerMarginMs;
  const beginReading = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = ${statementMsMax}`;
  const { readers, withReader, withWriter, requireOutside, inside, end } = makeConnections(ledger, url, {
    statementMsMax,
    makePool,
  });

  const transactWith = (turns: Turns) => {
    const beginWriting = beginWritingWith({ ...options, statementMsMax }, turns);
    const begin = async (client: PoolClient) => (await run(client, beginWriting, beginMsMax)) as unknown as Begun;
    return makeGroupCommit({
      requireOutside,
      groupsApartMs,
      transaction: (work) =>
        new Promise((resolve, reject) => {
          withWriter(async (client) => {
            const begun = await begin(client);
            try {
              assertSame(begun.identity);
              await work(groupOn(client, { tx: statementsOn(ledger, client), run, inside }));
            } catch (error) {
              await client.query('ROLLBACK').catch(() => undefined);
              throw error;
            }
            const durable = commit({ ledger, pool: readers, clock }, client, begun);
            // The next one asks for the locks on another connection meanwhile, and gets them when this one has ended.
            resolve({ durable });
            await durable;
          }).catch(reject);
        }),
    });
  };
  const transactAlone = transactWith(alone);
  const transactWithOthers = transactWith(withOthers());
  const transact: Database['transact'] = (work, how = {}) =>
    how.concurrent ? transactWithOthers(work, how) : transactAlone(work, how);
  return {
    query: (sql, params) => withReader((client) => statementsOn(ledger, client).query(sql, params)),
    values: (sql, params) => withReader((client) => statementsOn(ledger, client).values(sql, params)),
    execute: (sql, params) => transact((tx) => tx.execute(sql, params)),
    transact,
    snapshot: (work) =>
      withReader(async (client) => {
        await run(client, beginReading);
        const result = await work(statementsOn(ledger, client));
        await run(client, 'COMMIT');
        return result;
      }),
    compact: () => withReader((client) => rewrite((text) => run(client, text, unlimitedMs))),
    emptyLog: () => withReader(async (client) => void (await run(client, 'VACUUM (ANALYZE)', unlimitedMs))),
    async isEmpty() {
      const [found] = await withReader((client) =>
        statementsOn(ledger, client).values("SELECT to_regclass('migrations')"),
      );
      return found?.[0] === null;
    },
    checkIntegrity: () => withReader((client) => checkChecksums(statementsOn(ledger, client))),
    listen: (onNotice) => listenForNotices(url, onNotice),
    close: end,
  };
}

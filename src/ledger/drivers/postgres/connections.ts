import { AsyncLocalStorage } from 'node:async_hooks';
import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { assert } from '../../../core/basics/assert.ts';
import { asLedgerError } from './errors.ts';
import { connectionUrl } from './ledger-url.ts';
import { ledgerTypes } from './types.ts';

/** Reads that take long, such as reports, must not keep what is written waiting. */
const readersMax = 6;
/** A transaction that runs alone, one beside others, and for each of them the next one, which waits for its locks. */
const writersMax = 4;
export const connectMsMax = 5_000;
/** How long an answer is waited for beyond the time after which the server ends a statement. */
export const answerMarginMs = 5_000;

type WithClient = <Result>(work: (client: PoolClient) => Promise<Result>) => Promise<Result>;

export interface Connections {
  readers: Pool;
  /** Runs `work` on a connection of its own. It is closed after an error, since nobody knows in what state it is. */
  withReader: WithClient;
  /** The same for a transaction that writes. */
  withWriter: WithClient;
  /** Fails within the work of a transaction: what waits there for a connection may wait for its own end. */
  requireOutside(): void;
  /** Runs the work of a transaction, in which no other connection may be waited for. */
  inside<Result>(work: () => Promise<Result>): Promise<Result>;
  end(): Promise<void>;
}

export type MakePool = (config: PoolConfig) => Pool;

interface ConnectionOptions {
  /** How long a statement may take. A connection on which nothing is answered for longer is taken for lost. */
  statementMsMax: number;
  makePool?: MakePool | undefined;
}

/**
 * Sends what is written at the same time with one system call. A call for each statement took a third of the main
 * thread's time, and woke the server each time.
 */
function gatherWrites({ connection: { stream } }: PoolClient): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  let isGathering = false;
  const flush = () => {
    isGathering = false;
    stream.uncork();
  };
  stream.write = (...args: unknown[]) => {
    if (!isGathering) {
      isGathering = true;
      stream.cork();
      process.nextTick(flush);
    }
    return write(...args);
  };
}

/** Connections to the database at `url`. Each is made when it is needed. */
export function makeConnections(
  ledger: string,
  url: string,
  { statementMsMax, makePool = (config) => new Pool(config) }: ConnectionOptions,
): Connections {
  const poolOf = (max: number): Pool => {
    const pool = makePool({
      connectionString: connectionUrl(url),
      max,
      connectionTimeoutMillis: connectMsMax,
      keepAlive: true,
      // Statements that do not wait for each other's answers share a round trip.
      pipeline: true,
      query_timeout: statementMsMax + answerMarginMs,
      application_name: 'airbatch',
      types: ledgerTypes,
    });
    // An idle connection was lost: the next statement takes a new one.
    pool.on('error', () => undefined);
    pool.on('connect', gatherWrites);
    return pool;
  };
  const [readers, writers] = [poolOf(readersMax), poolOf(writersMax)];
  const inside = new AsyncLocalStorage<true>();
  const requireOutside = () => assert(!inside.getStore(), 'within a transaction, statements run on the transaction');

  const connect = async (pool: Pool): Promise<PoolClient> => {
    requireOutside();
    try {
      return await pool.connect();
    } catch (error) {
      throw asLedgerError(ledger, error, true);
    }
  };
  const withClientOf =
    (pool: Pool): WithClient =>
    async (work) => {
      const client = await connect(pool);
      // The statement that is under way rejects with the same error.
      const ignore = () => undefined;
      client.on('error', ignore);
      try {
        const result = await work(client);
        client.off('error', ignore);
        client.release();
        return result;
      } catch (error) {
        client.release(true);
        throw error;
      }
    };

  return {
    readers,
    requireOutside,
    inside: (work) => inside.run(true, work),
    withReader: withClientOf(readers),
    withWriter: withClientOf(writers),
    end: async () => void (await Promise.all([readers.end(), writers.end()])),
  };
}

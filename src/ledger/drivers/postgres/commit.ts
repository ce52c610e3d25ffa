import type { ClientBase, Pool } from 'pg';
import { AirbatchError } from '../../../core/basics/errors.ts';
import type { Clock } from '../../../core/time/clock.ts';
import { asLedgerError, isConnectionLost } from './errors.ts';
import { identitySql } from './same-ledger.ts';

/** How often, and for how long, a transaction is looked up whose end is unknown. */
const lookUpEveryMs = 250;
const lookUpsMax = 60;

/** A transaction: its number at the server, and the identity of the ledger (`identitySql`). */
export interface Begun {
  xid: string;
  identity: string | null;
}

/** The ledger, for people, and where a transaction is looked up. */
interface CommitPlace {
  ledger: string;
  pool: Pool;
  clock: Pick<Clock, 'sleep'>;
}

/**
 * Commits the transaction. If it fails, or if the connection is lost meanwhile, the database is asked what became of
 * it: that is never assumed. Fails with `LEDGER_SYNC` if nobody can say.
 */
export async function commit(at: CommitPlace, client: ClientBase, begun: Begun): Promise<void> {
  const { ledger } = at;
  try {
    const { command } = await client.query('COMMIT');
    if (command === 'COMMIT') return;
  } catch (error) {
    // A server that meets a fault of its disk after the commit answers with an error, too.
    if (await lookUp(at, begun)) return;
    throw asLedgerError(ledger, error);
  }
  throw new AirbatchError('LEDGER_IO', `the ledger ${ledger}: a statement of the transaction had failed`);
}

/** Whether the transaction was committed. */
async function lookUp({ ledger, pool, clock }: CommitPlace, { xid, identity }: Begun): Promise<boolean> {
  for (let looks = 0; looks < lookUpsMax; looks++) {
    try {
      const found = await pool.query<{ status: string | null; identity: string | null }>(
        `SELECT pg_xact_status($1::xid8) AS status, ${identitySql} AS identity`,
        [xid],
      );
      const [answer] = found.rows;
      // A replica that has become the primary may have given the number to another transaction.
      if (answer === undefined || answer.identity !== identity) break;
      const { status } = answer;
      if (status === 'committed') return true;
      if (status === 'aborted') return false;
      // Null: too old to be known. That cannot be, unless this is another server.
      if (status === null) break;
    } catch (error) {
      // A server that was restored or that is another one does not know the number.
      if (!isConnectionLost(error)) break;
    }
    await clock.sleep(lookUpEveryMs);
  }
  throw new AirbatchError('LEDGER_SYNC', `the ledger ${ledger}: it is unknown whether a transaction was committed`);
}

import { AirbatchError } from '../../../core/basics/errors.ts';

/**
 * An SQL expression for the identity of the ledger, as device and inode are a file's: the server's data, the database,
 * the ledger's table in it, and the timeline. A replica that becomes the primary begins a new timeline. Null before
 * there is such a table.
 */
export const identitySql = `(SELECT concat_ws('/', system_identifier, oid, ledger)
    || '@' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
  FROM pg_control_system(), pg_database, CAST(to_regclass('ledger_state') AS oid) AS ledger
  WHERE datname = current_database() AND ledger IS NOT NULL)`;

/**
 * Makes the check that a program goes on with the ledger with which it began. The name of a server can lead to another
 * one, and a database can be restored from a backup in place. Such a ledger may lack what this program has sent. Throws
 * `LEDGER_REPLACED`; or `LEDGER_RESTORED` if a replica has become the primary, which may lack it, too.
 */
export function makeSameLedger(ledger: string): (identity: string | null) => void {
  let known: string | null = null;
  return (identity) => {
    if (known === null || identity === known) {
      known = identity;
      return;
    }
    const [place, timeline] = identity?.split('@') ?? [];
    if (timeline !== undefined && place === known.split('@')[0])
      throw new AirbatchError(
        'LEDGER_RESTORED',
        `the ledger ${ledger} has failed over to a replica while this program was using it`,
      );
    const what = identity === null ? 'was removed' : 'was replaced by another one';
    throw new AirbatchError('LEDGER_REPLACED', `the ledger ${ledger} ${what} while this program was using it`);
  };
}

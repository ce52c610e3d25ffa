import { AirbatchError } from '../../../core/basics/errors.ts';

/**
 * An SQL expression for the identity of the ledger, as device and inode are a file's: the server's data, the database,
 * and the ledger's table in it. Null before there is such a table.
 */
export const readIdentity = `(SELECT concat_ws('/', system_identifier, oid, ledger)
  FROM pg_control_system(), pg_database, CAST(to_regclass('ledger_state') AS oid) AS ledger
  WHERE datname = current_database() AND ledger IS NOT NULL)`;

/**
 * Makes the check that a program goes on with the ledger with which it began. The name of a server can lead to another
 * one, and a database can be restored from a backup in place. Such a ledger may lack what this program has sent. Throws
 * `LEDGER_REPLACED`.
 */
export function makeSameLedger(ledger: string): (identity: string | null) => void {
  let known: string | null = null;
  return (identity) => {
    if (known !== null && identity !== known) {
      const what = identity === null ? 'was removed' : 'was replaced by another one';
      throw new AirbatchError('LEDGER_REPLACED', `the ledger ${ledger} ${what} while this program was using it`);
    }
    known = identity;
  };
}

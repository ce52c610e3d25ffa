import { noteLedgerRestored } from '../../engine/runner/ledger-mark.ts';
import type { Session } from '../../runtime/session/session.ts';

/**
 * Whether a person says that the ledger came from a backup. It is noted of the ledger as a whole: an account that this
 * command does not work on begins as after a restore as well.
 */
export async function saysRestored({ db, clock }: Session, restored: unknown): Promise<boolean> {
  if (restored !== true) return false;
  await db.transact((tx) => noteLedgerRestored(tx, clock.now()));
  return true;
}

import { z } from 'zod';
import { noteLedgerRestored } from '../../engine/runner/ledger-mark.ts';
import type { LedgerNow } from './account-now.ts';

/** A person says, once, that the ledger came from a backup: every row is looked up before it is sent. */
export const restored = z.boolean().default(false);

/**
 * Whether a person says that the ledger came from a backup. It is noted of the ledger as a whole: an account that is
 * not worked on now begins as after a restore as well.
 */
export async function saysRestored({ db, clock }: LedgerNow, restored: boolean): Promise<boolean> {
  if (restored) await db.transact((tx) => noteLedgerRestored(tx, clock.now()));
  return restored;
}

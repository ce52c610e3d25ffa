import { z } from 'zod';
import { noteLedgerRestored } from '../../engine/runner/ledger-mark.ts';
import type { LedgerNow } from './account-now.ts';

/** A person says, once, that the ledger comes from a backup: then every row is looked up before it is sent. */
export const restored = z.boolean().default(false);

/**
 * Records that a person says that the ledger comes from a backup, and returns whether they do. The record covers the
 * whole ledger: an account that no program works on now also starts as after a restore.
 */
export async function recordRestore({ db, clock }: LedgerNow, restored: boolean): Promise<boolean> {
  if (restored) await db.transact((tx) => noteLedgerRestored(tx, clock.now()));
  return restored;
}

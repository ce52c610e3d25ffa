import { dayMs } from '../../core/time/clock.ts';
import { highestClockOf } from '../../ledger/accounts/highest-clock.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { dropLost, lastAcceptedAt } from '../../ledger/rows/lost-payments.ts';
import { findLease, type LeaseRecord, raiseFence, releaseAll } from '../../ledger/schema/lease-table.ts';
import { readLedgerState, saveLedgerRestored } from '../../ledger/schema/ledger-state.ts';
import { accountState } from '../../ledger/schema/state-columns.ts';

/**
 * A copy of the last program's lease on an account, stored outside the ledger. A ledger whose lease is older was
 * restored from a backup, and lacks what was sent since the backup.
 */
export interface LedgerMark {
  read(account: string): Promise<MarkedHold | null>;
  /** Call it after the ledger has the lease, so that the mark is never newer than a ledger that has lost nothing. */
  write(account: string, hold: MarkedHold): Promise<void>;
}

export interface MarkedHold {
  fence: number;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** Whether the ledger is older than the mark. `lease`: the ledger's lease before it is taken again. */
export function isOlderThan(mark: MarkedHold, lease: Pick<LeaseRecord, 'fence' | 'expires_at'> | null): boolean {
  if (lease === null || lease.fence < mark.fence) return true;
  // A released lease has no end time: nothing was sent under it afterwards.
  return lease.fence === mark.fence && lease.expires_at !== 0 && lease.expires_at < mark.expiresAt;
}

/**
 * For how long after a restore every row is looked up before its first sending: until all files of a month, including
 * those that only the lost part of the ledger knew, have arrived again.
 */
const cautionMs = 35 * dayMs;

/** The service's own time orders its payments, but its machines may not agree to the second. */
const marginMs = 3_600_000;

/**
 * Records a restore, and from when on the service's list must be read for lost payments. Lost payments are younger than
 * the last one that the ledger knows as accepted. If it knows none, the list is read for the whole time for which a
 * restore requires lookups.
 */
export async function noteRestored(tx: Queryable, account: string, at: number): Promise<void> {
  await accountState.restoredAt.write(tx, account, at);
  const known = await lastAcceptedAt(tx, account);
  const from = known === null ? at - cautionMs : known - marginMs;
  // If an earlier reading of the list was interrupted, it continues from its position.
  await accountState.lostFrom.write(
    tx,
    account,
    Math.min(from, (await accountState.lostFrom.read(tx, account)) ?? from),
  );
}

/**
 * Records that a person restored the ledger from a backup: all of its accounts, known or not, start as after a restore.
 */
export async function noteLedgerRestored(tx: Queryable, now: number): Promise<void> {
  await saveLedgerRestored(tx, Math.max(now, await highestClockOf(tx, null)));
}

/**
 * Makes a ledger from a backup newer than every mark, and ends its leases: its programs worked before the backup.
 */
export async function raiseFences(tx: Queryable, marks: ReadonlyMap<string, MarkedHold>): Promise<void> {
  for (const [account, { fence }] of marks)
    await raiseFence(tx, account, Math.max(fence, (await findLease(tx, account))?.fence ?? 0) + 1);
  await releaseAll(tx);
}

/**
 * Called when an account is taken. If a person has recorded a restore since the account was last taken, the restore now
 * applies to it. Otherwise, lost payments are dropped when they are no longer needed, because they contain phone
 * numbers.
 */
export async function acknowledgeRestore(tx: Queryable, account: string, now: number): Promise<void> {
  const said = (await readLedgerState(tx)).restored_at ?? 0;
  const heeded = (await accountState.restoredAt.read(tx, account)) ?? 0;
  if (said > heeded && now - said < cautionMs) await noteRestored(tx, account, said);
  else if ((await restoredAt(tx, account, now)) === null) await dropLost(tx, account);
}

/** When the ledger was restored (epoch ms), while that still requires lookups; else null. */
export async function restoredAt(db: Queryable, account: string, now: number): Promise<number | null> {
  const at = await accountState.restoredAt.read(db, account);
  return at !== null && now - at < cautionMs ? at : null;
}

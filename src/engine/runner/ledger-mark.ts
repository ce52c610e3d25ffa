import { dayMs } from '../../core/time/clock.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { dropLost, lastAcceptedAt, lostFrom, noteLostFrom } from '../../ledger/rows/lost-payments.ts';
import { highestClock, readFact, writeFact } from '../../ledger/schema/facts.ts';
import type { LeaseRecord } from '../../ledger/schema/leases.ts';

/**
 * What the last program noted of its hold on an account, in a place of its own beside the ledger: a ledger that knows
 * of less was restored from a backup, and what was sent since the backup stands nowhere in it.
 */
export interface LedgerMark {
  read(account: string): Promise<MarkedHold | null>;
  /** Written after the ledger has it, so that a mark is never ahead of a ledger that lost nothing. */
  write(account: string, hold: MarkedHold): Promise<void>;
}

export interface MarkedHold {
  fence: number;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** Whether the ledger is older than the mark. `lease` is as it stands before it is taken anew. */
export function isOlderThan(mark: MarkedHold, lease: Pick<LeaseRecord, 'fence' | 'expires_at'> | null): boolean {
  if (lease === null || lease.fence < mark.fence) return true;
  // A hold that was given back has no end: then nothing was sent under it after that.
  return lease.fence === mark.fence && lease.expires_at !== 0 && lease.expires_at < mark.expiresAt;
}

/**
 * How long after a restore every row is looked up before it is sent for the first time: until the files of a whole
 * month, and those that only the lost part of the ledger knew, have come again.
 */
const cautionMs = 35 * dayMs;

const factName = (account: string) => `restored_at:${account}`;

/** The service's own time orders its payments, but several machines of it may not agree to the second. */
const marginMs = 3_600_000;

/**
 * What was lost is younger than all that the ledger knows to be accepted; where it knows of nothing, it is looked for
 * over all the time that calls for caution.
 */
export async function noteRestored(tx: Queryable, account: string, at: number): Promise<void> {
  await writeFact(tx, factName(account), String(at));
  const known = await lastAcceptedAt(tx, account);
  const from = known === null ? at - cautionMs : known - marginMs;
  // A list that was not read to its end is read from where it was.
  await noteLostFrom(tx, account, Math.min(from, (await lostFrom(tx, account)) ?? from));
}

const ledgerFactName = 'ledger_restored_at';

/**
 * A person says that the ledger came from a backup: each of its accounts, whichever it knows of, begins as after a
 * restore.
 */
export async function noteLedgerRestored(tx: Queryable, now: number): Promise<void> {
  await writeFact(tx, ledgerFactName, String(Math.max(now, await highestClock(tx))));
}

/**
 * An account was taken: where a person has said since it was last taken that the ledger was restored, that is so for
 * it. Else what was lost is known no longer than it calls for caution: its numbers are somebody's.
 */
export async function acknowledgeRestore(tx: Queryable, account: string, now: number): Promise<void> {
  const said = Number((await readFact(tx, ledgerFactName)) ?? 0);
  const heeded = Number((await readFact(tx, factName(account))) ?? 0);
  if (said > heeded && now - said < cautionMs) await noteRestored(tx, account, said);
  else if ((await restoredAt(tx, account, now)) === null) await dropLost(tx, account);
}

/** When the ledger was restored (epoch ms), while that still calls for caution; else null. */
export async function restoredAt(db: Queryable, account: string, now: number): Promise<number | null> {
  const at = await readFact(db, factName(account));
  return at !== null && now - Number(at) < cautionMs ? Number(at) : null;
}

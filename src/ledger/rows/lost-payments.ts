import { isExplainedBy } from '../../core/duplicates/comparison.ts';
import type { LostPayment } from '../../core/duplicates/earlier-payments.ts';
import type { Queryable } from '../drivers/database.ts';
import { filledLists, places } from '../drivers/filled-lists.ts';
import { makeInsert } from '../drivers/insert.ts';
import type { RowRecord } from './rows.ts';

/** A payment that the service lists, and whose row a restored ledger has lost. */
export interface LostRecord extends Omit<LostPayment, 'isToAnyone'> {
  account: string;
  generation: number;
  /** E.164; empty if the service's list does not contain it. */
  phone_number: string;
}

export type LostToNumber = LostPayment & Pick<LostRecord, 'phone_number'>;

/** Stores lost payments. One that is already stored stays as it is. */
export const insertLost = makeInsert<LostRecord>(
  'lost_payments',
  ['account', 'topup_id', 'run_id', 'row_ref', 'generation', 'phone_number', 'amount', 'currency', 'first_sent_at'],
  { ending: 'ON CONFLICT (account, topup_id) DO NOTHING' },
);

/** Whether the account has any lost payments. If not, no row needs to be compared with them. */
export async function anyLost(db: Queryable, account: string): Promise<boolean> {
  const found = await db.query('SELECT topup_id FROM lost_payments WHERE account = ? LIMIT 1', [account]);
  return found.length > 0;
}

/** Numbers in one statement. It always includes payments without a number. */
const numbersPerQuery = 50;
const lostToSql = `SELECT topup_id, run_id, row_ref, phone_number, amount, currency, first_sent_at FROM lost_payments
  WHERE phone_number IN ('', ${places(numbersPerQuery)}) AND account = ?
  ORDER BY first_sent_at DESC, topup_id`;

/**
 * The lost payments to these numbers (E.164), the latest first within each 50 numbers. All times are included: a row of
 * the same run counts however old it is, and a restored ledger may not know when the run began. A payment without a
 * number appears once for each number.
 */
export async function lostTo(db: Queryable, account: string, numbers: readonly string[]): Promise<LostToNumber[]> {
  const found: LostToNumber[] = [];
  for (const some of filledLists(numbers, numbersPerQuery)) {
    const asked = some.filter((number) => number !== null);
    for (const lost of await db.query<LostToNumber>(lostToSql, [...some, account])) {
      if (lost.phone_number !== '') found.push(lost);
      else found.push(...asked.map((phone_number) => ({ ...lost, phone_number, isToAnyone: true as const })));
    }
  }
  return found;
}

/** The lost payments of a row, the latest generation first. */
export function lostOf(
  db: Queryable,
  { account, run_id }: { account: string; run_id: string },
  { row_ref }: { row_ref: string | null },
): Promise<LostRecord[]> {
  return db.query<LostRecord>(
    'SELECT * FROM lost_payments WHERE account = ? AND run_id = ? AND row_ref = ? ORDER BY generation DESC',
    [account, run_id, row_ref],
  );
}

/**
 * Deletes the lost payments that match the row: the ledger knows them again by the row, and other runs see the row. A
 * payment that does not match it is kept.
 */
export async function dropLostExplainedBy(
  tx: Queryable,
  batch: { account: string; run_id: string },
  row: Pick<RowRecord, 'row_ref' | 'phone_number' | 'amount' | 'currency'>,
): Promise<void> {
  for (const payment of await lostOf(tx, batch, row)) {
    if (!isExplainedBy(row, payment)) continue;
    const name = [batch.account, payment.topup_id];
    await tx.execute('DELETE FROM lost_payments WHERE account = ? AND topup_id = ?', name);
  }
}

/** Deletes the lost payments of a row, because its personal data is erased. */
export async function dropLostOf(
  tx: Queryable,
  { account, run_id }: { account: string; run_id: string },
  { row_ref }: { row_ref: string | null },
): Promise<void> {
  const row = [account, run_id, row_ref];
  await tx.execute('DELETE FROM lost_payments WHERE account = ? AND run_id = ? AND row_ref = ?', row);
}

/** Deletes all lost payments of the account. */
export async function dropLost(tx: Queryable, account: string): Promise<void> {
  await tx.execute('DELETE FROM lost_payments WHERE account = ?', [account]);
}

/** Deletes the lost payments of all accounts that were sent before a time (epoch ms). */
export async function dropLostBefore(tx: Queryable, before: number): Promise<void> {
  await tx.execute('DELETE FROM lost_payments WHERE first_sent_at < ?', [before]);
}

/**
 * When the service accepted the last payment that the ledger knows (epoch ms), or null. By the service's own time, but
 * not later than our last sending: after a wrong time in the future, no payment would be listed. Reads every row.
 */
export async function lastAcceptedAt(db: Queryable, account: string): Promise<number | null> {
  const [last] = await db.query<{ accepted: number | null; sent: number | null }>(
    `SELECT MAX(rows.accepted_at) AS accepted, MAX(rows.first_sent_at) AS sent
     FROM batches JOIN rows ON rows.batch_id = batches.batch_id WHERE batches.account = ?`,
    [account],
  );
  const accepted = last?.accepted ?? null;
  return accepted === null ? null : Math.min(accepted, last?.sent ?? accepted);
}

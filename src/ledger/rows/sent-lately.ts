import type { OtherPayment } from '../../core/repeats/known-payments.ts';
import { bearingStates } from '../../core/state/earlier-payment.ts';
import { type RowState, sentStates } from '../../core/state/row-state.ts';
import type { Queryable } from '../drivers/database.ts';
import { filledLists, places } from '../drivers/filled-lists.ts';
import { type LostToNumber, lostTo } from './lost-payments.ts';

/**
 * A row of another batch whose payment was sent, and has arrived or may still arrive; or an earlier one, which the row
 * bears.
 */
export interface SentRow extends OtherPayment {
  phone_number: string;
}

/** A payment of another batch, by its row; or one whose row a restored ledger has lost. */
export type Sent = SentRow | LostToNumber;

export interface SentLatelyQuery {
  account: string;
  /** The batch that asks: its own rows do not count. */
  batchId: string;
  /** Epoch milliseconds: rows that were first sent earlier do not count. */
  since: number;
  /** Whether the ledger was restored, so that it may have lost rows of which the service has told. */
  withLost: boolean;
}

/** Numbers that one statement asks for, where it asks for more than one. */
const numbersPerQuery = 50;

function listOf(states: readonly RowState[]): string {
  return states.map((state) => `'${state}'`).join(', ');
}

/** Rows that bear an earlier payment (`bearsEarlierPayment`). */
const bearing = `rows.status IN (${listOf(bearingStates)}) AND rows.service_status IS NOT NULL`;

const sentColumns = `rows.batch_id, batches.run_id, rows.row_ref, rows.row_no, rows.status, rows.service_status, rows.failure_code,
     rows.phone_number, rows.amount, rows.currency, rows.product_id, rows.first_sent_at, rows.told_until,
     rows.contradicted, rows.contradicted_at`;

/**
 * A cross join, whose order SQLite keeps: it would else walk through all rows of every batch, for it takes 50 numbers
 * for many rows.
 */
const sentSql = (count: number): string =>
  `SELECT ${sentColumns}
   FROM rows CROSS JOIN batches
   WHERE batches.batch_id = rows.batch_id AND rows.phone_number IN (${places(count)}) AND rows.first_sent_at >= ?
     AND rows.first_sent_at IS NOT NULL AND batches.account = ? AND rows.batch_id <> ?
     AND (rows.status IN (${listOf(sentStates)}) OR rows.contradicted IS NOT NULL
       OR (${bearing}))
   ORDER BY rows.first_sent_at DESC, rows.batch_id, rows.row_no`;
const sentToManySql = sentSql(numbersPerQuery);
const sentToOneSql = sentSql(1);

/**
 * What other batches of the account sent to these numbers (E.164), the latest first within each 50 numbers, then all
 * that was lost.
 */
export async function sentLately(
  tx: Queryable,
  { account, batchId, since, withLost }: SentLatelyQuery,
  numbers: readonly string[],
): Promise<Sent[]> {
  const found: Sent[] = [];
  const [sql, length] = numbers.length === 1 ? [sentToOneSql, 1] : [sentToManySql, numbersPerQuery];
  for (const some of filledLists(numbers, length))
    found.push(...(await tx.query<SentRow>(sql, [...some, since, account, batchId])));
  return withLost ? [...found, ...(await lostTo(tx, account, numbers))] : found;
}

const contradictedSql = `SELECT ${sentColumns}
   FROM rows CROSS JOIN batches
   WHERE batches.batch_id = rows.batch_id AND rows.phone_number IN (${places(numbersPerQuery)})
     AND rows.contradicted IS NOT NULL AND batches.account = ? AND batches.run_id = ? AND rows.batch_id <> ?
   ORDER BY rows.first_sent_at DESC, rows.batch_id, rows.row_no`;

/**
 * What the run of a batch has sent to these numbers in other batches, however long ago, and counted as failed until
 * the service said otherwise: a file of corrections pays the same people again within their run, whatever the policy
 * says of other runs.
 */
export async function contradictedOfRun(
  tx: Queryable,
  { account, run_id, batch_id }: { account: string; run_id: string; batch_id: string },
  numbers: readonly string[],
): Promise<SentRow[]> {
  const found: SentRow[] = [];
  for (const some of filledLists(numbers, numbersPerQuery))
    found.push(...(await tx.query<SentRow>(contradictedSql, [...some, account, run_id, batch_id])));
  return found;
}

/** Whether another batch of the account may have sent anything since then: where not, no row needs to be looked up. */
export async function anySentSince(tx: Queryable, { account, batchId, since }: SentLatelyQuery): Promise<boolean> {
  const [batch] = await tx.query<{ batch_id: string }>(
    `SELECT batch_id FROM batches WHERE account = ? AND batch_id <> ? AND started_at IS NOT NULL
       AND (completed_at IS NULL OR completed_at >= ?) LIMIT 1`,
    [account, batchId, since],
  );
  return batch !== undefined;
}

/** The payments that were ever sent to this number (E.164) for the account, by what their keys are made of. */
export function sentTo(
  db: Queryable,
  account: string,
  phoneNumber: string,
): Promise<{ run_id: string; row_ref: string; generation: number }[]> {
  return db.query(
    `SELECT batches.run_id, rows.row_ref, rows.generation FROM rows JOIN batches ON batches.batch_id = rows.batch_id
     WHERE rows.phone_number = ? AND rows.first_sent_at IS NOT NULL AND batches.account = ?`,
    [phoneNumber, account],
  );
}

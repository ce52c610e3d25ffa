import { assert } from '../../core/basics/assert.ts';
import type { EarlierPayment, SentPayment } from '../../core/duplicates/earlier-payments.ts';
import type { KeyOwner } from '../../core/duplicates/question.ts';
import { bearingStates } from '../../core/state/earlier-payment.ts';
import { type RowState, sentStates } from '../../core/state/row-state.ts';
import type { Queryable } from '../drivers/database.ts';
import { filledLists, places } from '../drivers/filled-lists.ts';
import { readValue } from '../drivers/read.ts';
import { lostTo } from './lost-payments.ts';
import type { PaymentRecord } from './payments.ts';
import { findRow } from './rows.ts';

export interface EarlierPaymentsQuery {
  account: string;
  /** Epoch ms: rows that were first sent earlier are left out. */
  since: number;
  /** The payments of this run id count whenever they were sent, so those since its first batch are not left out. */
  runId: string | null;
  /** Whether the ledger was restored, so that the service may have payments whose rows it has lost. */
  withLost: boolean;
}

/** Numbers in one statement, if the caller has more than one. */
const numbersPerQuery = 50;

function listOf(states: readonly RowState[]): string {
  return states.map((state) => `'${state}'`).join(', ');
}

/** Rows that carry an earlier payment (`bearsEarlierPayment`). */
const bearing = `rows.status IN (${listOf(bearingStates)}) AND rows.service_status IS NOT NULL`;

/**
 * A cross join, because SQLite keeps its order. Otherwise SQLite would walk through all rows of every batch, because it
 * expects many rows for 50 numbers.
 */
const sentSql = (count: number): string =>
  `SELECT rows.batch_id, batches.run_id, rows.row_ref, rows.row_no, rows.line, rows.status, rows.service_status,
     rows.failure_code, rows.phone_number, rows.amount, rows.currency, rows.product_id, rows.first_sent_at, rows.known_until,
     rows.contradicted, rows.contradicted_at, rows.second_topup_id
   FROM rows CROSS JOIN batches ON batches.batch_id = rows.batch_id
   WHERE rows.phone_number IN (${places(count)}) AND rows.first_sent_at >= (SELECT MIN(since) FROM (
       SELECT CAST(? AS BIGINT) AS since
       UNION ALL SELECT MIN(created_at) FROM batches WHERE account = ? AND run_id = ?) AS times)
     AND rows.first_sent_at IS NOT NULL AND batches.account = ?
     AND (rows.status IN (${listOf(sentStates)}) OR rows.contradicted IS NOT NULL
       OR (${bearing}))
   ORDER BY rows.first_sent_at DESC, rows.batch_id, rows.row_no`;
const sentToManySql = sentSql(numbersPerQuery);
const sentToOneSql = sentSql(1);

/**
 * What the account has sent to these numbers (E.164), by number: the latest first, then the lost payments of a restored
 * ledger.
 */
export async function earlierPaymentsTo(
  tx: Queryable,
  { account, since, runId, withLost }: EarlierPaymentsQuery,
  numbers: readonly string[],
): Promise<Map<string, EarlierPayment[]>> {
  const found: (EarlierPayment & { phone_number: string })[] = [];
  const [sql, length] = numbers.length === 1 ? [sentToOneSql, 1] : [sentToManySql, numbersPerQuery];
  for (const some of filledLists(numbers, length)) {
    const params = [...some, since, account, runId, account];
    found.push(...(await tx.query<SentPayment & { phone_number: string }>(sql, params)));
  }
  if (withLost) found.push(...(await lostTo(tx, account, numbers)));
  return Map.groupBy(found, ({ phone_number }) => phone_number);
}

/**
 * Whether another batch of the account may have sent rows since a time (epoch ms). If not, no row needs to be compared.
 */
export async function anySentSince(
  tx: Queryable,
  { account, batch_id }: { account: string; batch_id: string },
  since: number,
): Promise<boolean> {
  const sql = `SELECT batch_id FROM batches WHERE account = ? AND batch_id <> ? AND started_at IS NOT NULL
       AND (completed_at IS NULL OR completed_at >= ?) LIMIT 1`;
  return (await readValue<string>(tx, sql, [account, batch_id, since])) !== null;
}

/** The row that has bound the key of this payment. */
export async function keyOwnerOf(db: Queryable, payment: PaymentRecord): Promise<KeyOwner> {
  const owner = await findRow(db, payment.batch_id, payment.row_no);
  assert(owner, 'a bound key has its row');
  return { ...owner, generation: payment.generation };
}

/** The fields from which the keys of all payments to this number (E.164) for the account are derived. */
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

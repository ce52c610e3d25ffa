import type { BatchRecord } from '../batches/batches.ts';
import type { Queryable } from '../drivers/database.ts';
import { filledLists, places } from '../drivers/filled-lists.ts';
import { isPaidSql } from './counts-as-paid.ts';

/**
 * Another batch of the same run with some of the rows that this batch would send. Each of them is paid by one of the
 * two.
 */
export interface SharedRows {
  batch_id: string;
  status: BatchRecord['status'];
  created_at: number;
  /** How many rows that are ready here the other batch has paid, or may still pay. */
  rows: number;
  /** How many of these it has paid. */
  paid: number;
}

/** `row_ref` has no index: a list of refs takes one pass over each batch, a join would take one for each row. */
const refsOf = (states: string) => `(SELECT row_ref FROM rows WHERE batch_id = ? AND status IN (${states}))`;

/**
 * The batches of the same run that may pay rows that are ready here, or have paid them since this batch was imported
 * (rows that were paid before are skipped at intake). The latest comes first. Two files of one run may share any number
 * of rows, for example a corrected file and the first one.
 */
export function sharedRows(
  db: Queryable,
  { batch_id, account, run_id, created_at }: BatchRecord,
): Promise<SharedRows[]> {
  return db.query<SharedRows & Record<string, never>>(
    `SELECT batches.batch_id, batches.status, batches.created_at, COUNT(*) AS rows,
       SUM(CASE WHEN ${isPaidSql('other')} THEN 1 ELSE 0 END) AS paid
     FROM batches CROSS JOIN rows AS other ON other.batch_id = batches.batch_id
     WHERE batches.account = ? AND batches.run_id = ? AND batches.batch_id <> ?
       AND batches.status IN ('awaiting_approval', 'approved', 'running', 'paused', 'completed')
       AND (batches.completed_at IS NULL OR batches.completed_at >= ?)
       AND (other.status NOT IN ('invalid', 'skipped', 'failed', 'cancelled') OR ${isPaidSql('other')})
       AND other.row_ref IN ${refsOf(`'ready'`)}
     GROUP BY batches.batch_id, batches.status, batches.created_at
     ORDER BY batches.created_at DESC, batches.batch_id DESC`,
    [account, run_id, batch_id, created_at, batch_id],
  );
}

/**
 * Later batches of the same run that have paid rows that failed or were invalid here, such as those of a corrected
 * failed.csv: how many each, the first batch first.
 */
export function paidSince(
  db: Queryable,
  { batch_id, account, run_id, created_at }: BatchRecord,
): Promise<{ batch_id: string; rows: number }[]> {
  return db.query(
    `SELECT batches.batch_id, COUNT(*) AS rows
     FROM batches CROSS JOIN rows AS other ON other.batch_id = batches.batch_id
     WHERE batches.account = ? AND batches.run_id = ? AND batches.batch_id <> ? AND batches.created_at >= ?
       AND ${isPaidSql('other')} AND other.row_ref IN ${refsOf(`'failed', 'invalid'`)}
     GROUP BY batches.batch_id, batches.created_at ORDER BY batches.created_at, batches.batch_id`,
    [account, run_id, batch_id, created_at, batch_id],
  );
}

/** Whether another batch has the same run. */
export async function sharesRun(db: Queryable, { batch_id, account, run_id }: BatchRecord): Promise<boolean> {
  const others = await db.query('SELECT 1 FROM batches WHERE account = ? AND run_id = ? AND batch_id <> ? LIMIT 1', [
    account,
    run_id,
    batch_id,
  ]);
  return others.length > 0;
}

/** Keys in one statement. */
const keysPerQuery = 50;

const payersSql = `SELECT payments.idempotency_key, payments.batch_id
  FROM payments CROSS JOIN rows ON rows.batch_id = payments.batch_id AND rows.row_no = payments.row_no
  WHERE payments.idempotency_key IN (${places(keysPerQuery)})
    AND ${isPaidSql('rows')}`;

/** The batches whose rows have bound these keys and are paid, by key. */
export async function payersOf(db: Queryable, keys: readonly string[]): Promise<Map<string, string>> {
  const payers = new Map<string, string>();
  for (const some of filledLists(keys, keysPerQuery)) {
    const found = await db.query<{ idempotency_key: string; batch_id: string }>(payersSql, some);
    for (const { idempotency_key, batch_id } of found) payers.set(idempotency_key, batch_id);
  }
  return payers;
}

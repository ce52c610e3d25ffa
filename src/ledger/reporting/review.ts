import { overdueCode } from '../../core/state/overdue.ts';
import { dayMs } from '../../core/time/clock.ts';
import type { BatchRecord } from '../batches/batches.ts';
import type { Queryable } from '../drivers/database.ts';
import { readValue } from '../drivers/read.ts';
import { inFlight } from '../rows/in-flight-rows.ts';
import type { RowRecord } from '../rows/rows.ts';
import { isPaidSql } from './counts-as-paid.ts';

/** The batch of the same job that ended last before this one was imported, or null. */
export async function lastBatchOfJob(db: Queryable, { account, job, batch_id }: BatchRecord): Promise<string | null> {
  if (job === null) return null;
  const sql = `SELECT batch_id FROM batches WHERE account = ? AND job = ? AND batch_id <> ? AND status = 'completed'
     ORDER BY completed_at DESC LIMIT 1`;
  return readValue(db, sql, [account, job, batch_id]);
}

/** How far back, and among how many batches, one of last month is looked for. */
const alikeWithinMs = 62 * dayMs;
const alikeAmongMax = 20;

/**
 * The batch that people compare with one that no job brought: of the batches of the account that ended in the two
 * months before it, the one that has most of its numbers. Null if none has any.
 */
export function mostAlikeBatch(db: Queryable, { account, batch_id, created_at }: BatchRecord): Promise<string | null> {
  const sql = `SELECT last.batch_id FROM rows AS last JOIN rows AS now ON now.phone_number = last.phone_number
     WHERE now.batch_id = ? AND ${isPaidSql('last')} AND last.batch_id IN
       (SELECT batch_id FROM batches WHERE account = ? AND job IS NULL AND batch_id <> ? AND status = 'completed'
          AND completed_at >= ? AND completed_at <= ? ORDER BY completed_at DESC LIMIT ?)
     GROUP BY last.batch_id ORDER BY COUNT(DISTINCT last.phone_number) DESC, last.batch_id DESC LIMIT 1`;
  return readValue(db, sql, [batch_id, account, batch_id, created_at - alikeWithinMs, created_at, alikeAmongMax]);
}

/** How many numbers some rows have, and the first rows with such a number. */
interface CountedNumbers {
  count: number;
  examples: RequestedRow[];
}

interface RequestedRow {
  row: number;
  phone_number: string;
  currency: string;
  amount: string;
}

/** The rows that the other batch has paid and whose number has no row in this one. */
export function missingNumbers(
  db: Queryable,
  batchId: string,
  lastBatchId: string,
  examples: number,
): Promise<CountedNumbers> {
  return numbersOnlyIn(db, isPaidSql('rows'), [lastBatchId, batchId], examples);
}

/** The rows of a batch that are to be paid, or wait for a person, and whose number is not in the other batch. */
export function newNumbers(
  db: Queryable,
  batchId: string,
  lastBatchId: string,
  examples: number,
): Promise<CountedNumbers> {
  return numbersOnlyIn(db, "status IN ('ready', 'held')", [batchId, lastBatchId], examples);
}

async function numbersOnlyIn(
  db: Queryable,
  condition: string,
  batchIds: [only: string, other: string],
  examplesMax: number,
): Promise<CountedNumbers> {
  const ofRows = `FROM rows WHERE batch_id = ? AND ${condition}
       AND phone_number NOT IN (SELECT phone_number FROM rows WHERE batch_id = ? AND phone_number IS NOT NULL)`;
  const count = await readValue<number>(db, `SELECT COUNT(DISTINCT phone_number) ${ofRows}`, batchIds);
  const examples = await db.query<RequestedRow>(
    `SELECT row_no AS "row", phone_number, COALESCE(currency, '') AS currency, COALESCE(amount, '') AS amount
     ${ofRows} ORDER BY row_no LIMIT ?`,
    [...batchIds, examplesMax],
  );
  return { count: count ?? 0, examples };
}

/** A page of the rows of a batch that are to be paid, or wait for a person, after row `afterRowNo`. */
export function pageRequested(
  db: Queryable,
  batchId: string,
  afterRowNo: number,
  limit: number,
): Promise<Pick<RowRecord, 'row_no' | 'status' | 'phone_number' | 'amount' | 'currency' | 'problems'>[]> {
  return db.query(
    `SELECT row_no, status, phone_number, amount, currency, problems FROM rows
     WHERE batch_id = ? AND row_no > ? AND status IN ('ready', 'held') ORDER BY row_no LIMIT ?`,
    [batchId, afterRowNo, limit],
  );
}

/**
 * A page of a batch's rows, after row `afterRowNo`, whose number was paid a different amount in the same currency in
 * the other batch, and never the same amount.
 */
export function amountsChanged(
  db: Queryable,
  batchId: string,
  lastBatchId: string,
  afterRowNo: number,
  limit: number,
): Promise<(RequestedRow & { before: string })[]> {
  return db.query(
    `SELECT now.row_no AS "row", now.phone_number, now.currency, now.amount, MIN(last.amount) AS before
     FROM rows AS now JOIN rows AS last ON last.phone_number = now.phone_number AND last.currency = now.currency
     WHERE now.batch_id = ? AND last.batch_id = ? AND ${isPaidSql('last')} AND now.row_no > ?
       AND now.status IN ('ready', 'held') AND now.amount IS NOT NULL AND last.amount IS NOT NULL
     GROUP BY now.row_no, now.phone_number, now.currency, now.amount
     HAVING SUM(CASE WHEN last.amount = now.amount THEN 1 ELSE 0 END) = 0
     ORDER BY now.row_no LIMIT ?`,
    [batchId, lastBatchId, afterRowNo, limit],
  );
}

/**
 * When the last row was accepted (epoch ms) that is still within the service's promised time; null if there is none.
 */
export function lastPromisedAt(db: Queryable, batchId: string): Promise<number | null> {
  const sql = `SELECT MAX(accepted_at) FROM rows WHERE batch_id = ? AND rows.status = 'accepted' AND ${inFlight}
       AND (rows.failure_code IS NULL OR rows.failure_code <> '${overdueCode}')`;
  return readValue(db, sql, [batchId]);
}

import type { Database, Queryable } from '../drivers/database.ts';
import { accountLists, accountPlaces } from '../drivers/filled-lists.ts';
import { readColumn, readOne, readValue } from '../drivers/read.ts';
import { insertRecord } from '../drivers/write.ts';
import type { PaymentRecord } from '../rows/payments.ts';
import type { RowRecord } from '../rows/rows.ts';

/** One comparison of the ledger with the service's list and the wallets. Times are epoch milliseconds. */
export interface ReconciliationRecord {
  reconciliation_id: string;
  account: string;
  from_ms: number;
  to_ms: number;
  finished_at: number;
  /** JSON: the number of items in each bucket. */
  counts: string;
  /** JSON: the result for the wallets. */
  wallets: string;
  /** If only one batch was compared; null also in ledgers of earlier versions. */
  batch_id: string | null;
  /** JSON: sums by currency; null in ledgers of earlier versions. */
  charged_by_ledger: string | null;
  charged_by_service: string | null;
}

/** An item of a reconciliation that does not match: somebody must act on it. */
export interface OpenItemRecord {
  reconciliation_id: string;
  item_no: number;
  bucket: string;
  /** JSON of the item. */
  item: string;
}

export async function insertReconciliation(tx: Queryable, run: ReconciliationRecord): Promise<void> {
  await insertRecord(tx, 'reconciliations', run);
}

const latestSql = `SELECT * FROM reconciliations WHERE (finished_at, reconciliation_id) < (?, ?)
  AND (? = 1 OR account IN (${accountPlaces})) ORDER BY finished_at DESC, reconciliation_id DESC LIMIT ?`;

/** A page of the reconciliations of these accounts (null: of all), the newest first. `before`: only older ones. */
export async function latestReconciliations(
  db: Queryable,
  {
    accounts,
    before,
    limit,
  }: {
    accounts: readonly string[] | null;
    before: Pick<ReconciliationRecord, 'finished_at' | 'reconciliation_id'> | null;
    limit: number;
  },
): Promise<ReconciliationRecord[]> {
  const { finished_at, reconciliation_id } = before ?? { finished_at: Number.MAX_SAFE_INTEGER, reconciliation_id: '' };
  const found: ReconciliationRecord[] = [];
  for (const list of accountLists(accounts))
    found.push(...(await db.query<ReconciliationRecord>(latestSql, [finished_at, reconciliation_id, ...list, limit])));
  return found.toSorted(newestFirst).slice(0, limit);
}

function newestFirst(a: ReconciliationRecord, b: ReconciliationRecord): number {
  return b.finished_at - a.finished_at || (a.reconciliation_id < b.reconciliation_id ? 1 : -1);
}

export async function insertOpenItem(tx: Queryable, item: OpenItemRecord): Promise<void> {
  await insertRecord(tx, 'reconciliation_items', item);
}

/**
 * A page of a reconciliation's open items, in the order in which they were found, after `afterItemNo` (0 for the first
 * page).
 */
export function pageOpenItems(
  db: Queryable,
  reconciliationId: string,
  afterItemNo: number,
  limit: number,
): Promise<OpenItemRecord[]> {
  return db.query(
    'SELECT * FROM reconciliation_items WHERE reconciliation_id = ? AND item_no > ? ORDER BY item_no LIMIT ?',
    [reconciliationId, afterItemNo, limit],
  );
}

/** A payment and its row, with the fields that a comparison needs. */
export type BoundPayment = Pick<
  PaymentRecord,
  'idempotency_key' | 'batch_id' | 'row_no' | 'generation' | 'reference' | 'first_intent_at' | 'open_attempts'
> &
  Pick<
    RowRecord,
    | 'status'
    | 'phone_number'
    | 'amount'
    | 'currency'
    | 'product_id'
    | 'topup_id'
    | 'service_status'
    | 'cost'
    | 'cost_currency'
    | 'next_action_at'
  > & { row_generation: number };

const boundColumns = `p.idempotency_key, p.batch_id, p.row_no, p.generation, p.reference, p.first_intent_at,
  p.open_attempts, r.status,
  r.phone_number, r.amount, r.currency, r.product_id, r.topup_id, r.service_status, r.cost, r.cost_currency,
  r.next_action_at, r.generation AS row_generation`;

/** The payment with this key, and its row; null if this ledger has none. */
export function findBoundPayment(db: Queryable, idempotencyKey: string): Promise<BoundPayment | null> {
  const sql = `SELECT ${boundColumns} FROM payments p JOIN rows r ON r.batch_id = p.batch_id AND r.row_no = p.row_no
     WHERE p.idempotency_key = ?`;
  return readOne(db, sql, [idempotencyKey]);
}

/** The fields from which the key of a row's payment is derived, without the account. */
export interface PaidRow {
  run_id: string;
  row_ref: string;
  generation: number;
}

/** The account's row with this payment at the service, as its own or as a known second one; null if there is none. */
export function findPaidRow(db: Queryable, account: string, topupId: string): Promise<PaidRow | null> {
  const columns = 'b.run_id, r.row_ref, r.generation FROM rows r JOIN batches b ON b.batch_id = r.batch_id';
  const sql = `SELECT ${columns} WHERE r.topup_id = ? AND b.account = ?
     UNION ALL SELECT ${columns} WHERE r.second_topup_id = ? AND b.account = ? LIMIT 1`;
  return readOne(db, sql, [topupId, account, topupId, account]);
}

/** A page of an account's payments with a first intent in the given time, ordered by key. */
export function pageBoundPayments(
  db: Queryable,
  of: { account: string; batchId: string | null; fromMs: number; toMs: number },
  afterKey: string,
  limit: number,
): Promise<BoundPayment[]> {
  return db.query(
    `SELECT ${boundColumns} FROM payments p JOIN rows r ON r.batch_id = p.batch_id AND r.row_no = p.row_no
     WHERE p.idempotency_key > ? AND p.account = ? AND p.first_intent_at BETWEEN ? AND ?
       AND (p.batch_id = ? OR ? = '') ORDER BY p.idempotency_key LIMIT ?`,
    [afterKey, of.account, of.fromMs, of.toMs, of.batchId ?? '', of.batchId ?? '', limit],
  );
}

/** The balances that batches of an account read in the given time, as JSON `Balance`. */
export async function balancesBetween(db: Queryable, account: string, fromMs: number, toMs: number): Promise<string[]> {
  const found = await db.query<{ balance_before: string | null; balance_after: string | null }>(
    'SELECT balance_before, balance_after FROM batches WHERE account = ? AND created_at BETWEEN ? AND ?',
    [account, fromMs, toMs],
  );
  return found.flatMap(({ balance_before, balance_after }) =>
    [balance_before, balance_after].filter((balance) => balance !== null),
  );
}

/** Prepares a temporary database for the payments of the service's list, for the time of one comparison. */
export async function prepareSeen(scratch: Database): Promise<void> {
  await scratch.execute('CREATE TABLE seen_payments (topup_id TEXT PRIMARY KEY)');
  await scratch.execute('CREATE TABLE seen_keys (idempotency_key TEXT PRIMARY KEY, live BIGINT NOT NULL)');
}

/**
 * Stores a payment of the service. Returns how many payments of its key have not failed so far, and whether this
 * payment was listed before (`again`).
 */
export async function notePayment(
  tx: Queryable,
  payment: { topupId: string; key: string; live: boolean },
): Promise<number | 'again'> {
  const inserted = await tx.execute(
    'INSERT INTO seen_payments (topup_id) VALUES (?) ON CONFLICT (topup_id) DO NOTHING',
    [payment.topupId],
  );
  if (inserted === 0) return 'again';
  if (payment.key === '') return 0;
  const sql = `INSERT INTO seen_keys (idempotency_key, live) VALUES (?, ?)
     ON CONFLICT (idempotency_key) DO UPDATE SET live = seen_keys.live + excluded.live RETURNING live`;
  return (await readValue<number>(tx, sql, [payment.key, payment.live ? 1 : 0])) ?? 0;
}

/** A page of the keys in the service's list, in order, to be merged with the ledger's. */
export function pageSeenKeys(scratch: Queryable, afterKey: string, limit: number): Promise<string[]> {
  const sql = 'SELECT idempotency_key FROM seen_keys WHERE idempotency_key > ? ORDER BY idempotency_key LIMIT ?';
  return readColumn(scratch, sql, [afterKey, limit]);
}

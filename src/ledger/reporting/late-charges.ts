import { compareAmounts, type Money, sameAmount, subtractAmounts } from '../../core/money/money.ts';
import type { Queryable } from '../drivers/database.ts';
import { readOne, readValue } from '../drivers/read.ts';
import { insertRecord } from '../drivers/write.ts';
import { type Refund, writeRefund } from '../rows/refunds.ts';
import type { RowRecord } from '../rows/rows.ts';
import type { Unit } from '../unit-of-work.ts';

/**
 * A charge that is not in its row's cost: of a payment that had failed, and that the service completed later; of a
 * second payment of the row; or the new cost of a paid row whose cost the service has changed.
 */
export interface LateCharge {
  batch_id: string;
  row_no: number;
  topup_id: string;
  cost: string;
  cost_currency: string;
  /** When the service completed the payment, or, if it does not say, when airbatch saw the charge (epoch ms). */
  charged_at: number;
  /** If the service does not say when it charged it: the earliest time at which it can have done so. Otherwise null. */
  charged_from: number | null;
  refunded_at: number | null;
  /** In the currency of the charge. */
  refund_amount: string | null;
}

/** What the service reports of such a payment. */
export interface LatePayment {
  topupId: string | null;
  cost: Money | null;
  /** Epoch ms. */
  completedAt: number | null;
}

/** Records what the service charged for such a payment. Returns false if it does not say that, or if it is known. */
export async function noteLateCharge(
  { tx, at, append }: Unit,
  row: RowRecord,
  { topupId, cost, completedAt }: LatePayment,
): Promise<boolean> {
  if (topupId === null || cost === null || compareAmounts(cost.value, '0') === 0) return false;
  const { batch_id, row_no } = row;
  const charged_from = completedAt === null ? await earliestCharge(tx, row, topupId) : null;
  const charge = { cost: cost.value, cost_currency: cost.currency, charged_at: completedAt ?? at };
  const written = await insertRecord(
    tx,
    'late_charges',
    { batch_id, row_no, topup_id: topupId, ...charge, charged_from },
    `ON CONFLICT (batch_id, row_no, topup_id) DO UPDATE
       SET cost = excluded.cost, cost_currency = excluded.cost_currency, charged_at = excluded.charged_at,
         charged_from = excluded.charged_from
       WHERE late_charges.cost <> excluded.cost OR late_charges.cost_currency <> excluded.cost_currency
         OR (late_charges.charged_from IS NOT NULL AND excluded.charged_from IS NULL)`,
  );
  const data = { topup_id: topupId, ...charge, ...(charged_from === null ? {} : { charged_from }) };
  if (written === 0) return false;
  await append(batch_id, 'row.late_charge', data, row_no);
  return true;
}

/** A charge that came after the row's end cannot be earlier than that end. Any other is after the first intent. */
async function earliestCharge(
  tx: Queryable,
  { batch_id, row_no, topup_id, completed_at }: RowRecord,
  topupId: string,
): Promise<number | null> {
  if (topup_id === topupId && completed_at !== null) return completed_at;
  const sql = 'SELECT MIN(first_intent_at) FROM payments WHERE batch_id = ? AND row_no = ?';
  return readValue(tx, sql, [batch_id, row_no]);
}

/**
 * A charge of another payment of the row than its present one, which the service has not given back; null if none is
 * known. It is of an earlier generation that had failed and was completed after all.
 */
export async function otherCharge(
  db: Queryable,
  { batch_id, row_no, topup_id }: RowRecord,
): Promise<Pick<LateCharge, 'topup_id' | 'cost' | 'cost_currency'> | null> {
  return readOne<LateCharge>(
    db,
    `SELECT topup_id, cost, cost_currency FROM late_charges
     WHERE batch_id = ? AND row_no = ? AND topup_id <> ? AND refunded_at IS NULL LIMIT 1`,
    [batch_id, row_no, topup_id ?? ''],
  );
}

/** The late charges of a batch, in the order of its rows. */
export function lateChargesOf(db: Queryable, batchId: string): Promise<LateCharge[]> {
  return db.query('SELECT * FROM late_charges WHERE batch_id = ? ORDER BY row_no, topup_id', [batchId]);
}

/** Whether the service shows a payment as completed and free: it has given the money back. */
export function isRefunded({ state, cost }: { state: string; cost: Money | null }): boolean {
  return state === 'completed' && cost !== null && compareAmounts(cost.value, '0') === 0;
}

/** Records the refund of a row that the service shows like this. Returns false if one is recorded already. */
export async function noteRefund({ tx, at }: Unit, row: RowRecord): Promise<boolean> {
  if (row.refunded_at !== null) return false;
  await writeRefund(tx, row, { refunded_at: at, refund_amount: row.cost, refund_currency: row.cost_currency });
  return true;
}

/**
 * Records a cost of a paid row that differs from the row's own, which stays as it is. The service does not say when it
 * changed the cost. If the row has no cost at all, the payment was charged when it was completed. Returns whether the
 * cost of the row has changed, and that is news.
 */
export async function noteChangedCost(unit: Unit, row: RowRecord, payment: LatePayment): Promise<boolean> {
  const { status, topup_id, cost: own, cost_currency } = row;
  const { cost } = payment;
  if (status !== 'completed' || topup_id !== payment.topupId || cost === null) return false;
  if (own !== null && cost.currency === cost_currency && sameAmount(cost.value, own)) return false;
  const isNew = await noteLateCharge(unit, row, own === null ? payment : { ...payment, completedAt: null });
  return isNew && own !== null;
}

/** Stores the refund of such a charge, if the payment has one. The first refund counts. */
export async function refundLateCharge(
  tx: Queryable,
  { batch_id, row_no }: RowRecord,
  topupId: string | null,
  { refunded_at, refund_amount, refund_currency }: Refund,
): Promise<void> {
  await tx.execute(
    `UPDATE late_charges SET refunded_at = ?, refund_amount = ?
     WHERE batch_id = ? AND row_no = ? AND topup_id = ? AND cost_currency = ? AND refunded_at IS NULL`,
    [refunded_at, refund_amount, batch_id, row_no, topupId, refund_currency],
  );
}

/** What such a charge took from the wallets between two times, less its refund in that time. */
export interface LateCost {
  batch_id: string;
  row_no: number;
  topup_id: string;
  cost_currency: string;
  /** Negative if the refund was more, or if the service reduced the cost of the row. */
  cost: string;
  /** False if the service does not say when it charged it, so that it may have been before or after. */
  isDated: boolean;
}

/** The late charges of all batches of an account between `fromMs` and `toMs` (epoch ms), less refunds in that time. */
export async function lateCosts(
  db: Queryable,
  { account, fromMs, toMs }: { account: string; fromMs: number; toMs: number },
): Promise<LateCost[]> {
  const charges = await db.query<LateCharge & { row_cost: string | null }>(
    `SELECT late_charges.*, rows.cost AS row_cost FROM late_charges
     CROSS JOIN batches ON batches.batch_id = late_charges.batch_id
     LEFT JOIN rows ON rows.batch_id = late_charges.batch_id AND rows.row_no = late_charges.row_no
       AND rows.topup_id = late_charges.topup_id AND rows.cost_currency = late_charges.cost_currency
     WHERE account = ? AND (charged_at BETWEEN ? AND ? OR late_charges.refunded_at BETWEEN ? AND ?
       OR (charged_at >= ? AND charged_from <= ?))`,
    [account, fromMs, toMs, fromMs, toMs, fromMs, toMs],
  );
  const isThen = (at: number | null) => at !== null && at >= fromMs && at <= toMs;
  return charges.flatMap(({ refund_amount, refunded_at, charged_at, charged_from, row_cost, ...charge }) => {
    const { batch_id, row_no, topup_id, cost_currency } = charge;
    const of = { batch_id, row_no, topup_id, cost_currency };
    // A row may count the payment by now, or have counted a part of the charge when it failed.
    const rest = subtractAmounts(charge.cost, row_cost ?? '0');
    const late = charged_from !== null || compareAmounts(rest, '0') > 0 ? rest : '0';
    const most = compareAmounts(late, '0') > 0 ? late : '0';
    const back = refund_amount !== null && compareAmounts(refund_amount, most) < 0 ? refund_amount : most;
    const isDated = isThen(charged_at) && (charged_from === null || isThen(charged_from));
    const refunded = isThen(refunded_at) ? back : '0';
    const dated = { ...of, cost: subtractAmounts(isDated ? late : '0', refunded), isDated: true };
    const isPossible = !isDated && charged_from !== null && charged_at >= fromMs && charged_from <= toMs;
    return [dated, { ...of, cost: isPossible ? late : '0', isDated: false }].filter(({ cost }) => cost !== '0');
  });
}

/** A payment that the service has for a row that failed, or a second one, whose cost is not known. */
export interface UnpricedPayment {
  batch_id: string;
  row_no: number;
  topup_id: string | null;
}

/**
 * Payments that may have been charged between two times, and whose cost the service has not said. Programs of earlier
 * versions did not store what such a payment was charged. Their few rows have indexes of their own.
 */
export function unpricedPayments(
  db: Queryable,
  { account, fromMs, toMs }: { account: string; fromMs: number; toMs: number },
): Promise<UnpricedPayment[]> {
  return db.query(
    `SELECT rows.batch_id, rows.row_no, COALESCE(second_topup_id, contradicted_by, rows.topup_id) AS topup_id
     FROM (SELECT batch_id, row_no FROM rows WHERE second_topup_id IS NOT NULL
       UNION ALL
       SELECT batch_id, row_no FROM rows WHERE contradicted IS NOT NULL AND second_topup_id IS NULL) AS found
     CROSS JOIN rows ON rows.batch_id = found.batch_id AND rows.row_no = found.row_no
     CROSS JOIN batches ON batches.batch_id = rows.batch_id
     WHERE account = ? AND first_sent_at <= ?
       AND (second_topup_id IS NOT NULL OR (contradicted IS NOT NULL AND contradicted_at >= ?))
       AND EXISTS (SELECT 1 FROM payments WHERE payments.batch_id = rows.batch_id AND payments.row_no = rows.row_no)
       AND NOT EXISTS (SELECT 1 FROM late_charges WHERE late_charges.batch_id = rows.batch_id
         AND late_charges.row_no = rows.row_no AND late_charges.topup_id
           = COALESCE(second_topup_id, contradicted_by, rows.topup_id, late_charges.topup_id))
     ORDER BY first_sent_at, rows.batch_id, rows.row_no`,
    [account, toMs, fromMs],
  );
}

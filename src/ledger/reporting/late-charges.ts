import { compareAmounts, type Money, subtractAmounts } from '../../core/money/money.ts';
import type { Queryable } from '../drivers/database.ts';
import type { Refund } from '../rows/refunds.ts';
import type { RowRecord } from '../rows/rows.ts';
import type { Unit } from '../unit-of-work.ts';

/**
 * A charge that is not in its row's cost: of a payment that had failed, and that the service completed later, or of a
 * second payment of the row.
 */
interface LateCharge {
  batch_id: string;
  row_no: number;
  topup_id: string;
  cost: string;
  cost_currency: string;
  /** When the service completed the payment, or, if it does not say, when airbatch saw it (epoch ms). */
  charged_at: number;
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

/** Records what the service charged for such a payment, if it says so, and if that is not recorded already. */
export async function noteLateCharge(
  { tx, at, append }: Unit,
  { batch_id, row_no }: RowRecord,
  { topupId, cost, completedAt }: LatePayment,
): Promise<void> {
  if (topupId === null || cost === null || compareAmounts(cost.value, '0') === 0) return;
  const charge = { cost: cost.value, cost_currency: cost.currency, charged_at: completedAt ?? at };
  const written = await tx.execute(
    `INSERT INTO late_charges (batch_id, row_no, topup_id, cost, cost_currency, charged_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (batch_id, row_no, topup_id) DO UPDATE
       SET cost = excluded.cost, cost_currency = excluded.cost_currency, charged_at = excluded.charged_at
       WHERE late_charges.cost <> excluded.cost OR late_charges.cost_currency <> excluded.cost_currency`,
    [batch_id, row_no, topupId, charge.cost, charge.cost_currency, charge.charged_at],
  );
  if (written > 0) await append(batch_id, 'row.late_charge', { topup_id: topupId, ...charge }, row_no);
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

/** How much of such charges left the wallets between two times, and which batch they are of. */
export interface LateCost {
  batch_id: string;
  cost_currency: string;
  /** Negative if refunds were more. */
  cost: string;
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
     WHERE account = ? AND (charged_at BETWEEN ? AND ? OR late_charges.refunded_at BETWEEN ? AND ?)`,
    [account, fromMs, toMs, fromMs, toMs],
  );
  const isThen = (at: number | null) => at !== null && at >= fromMs && at <= toMs;
  return charges.map(({ batch_id, cost, cost_currency, charged_at, refunded_at, refund_amount, row_cost }) => {
    // A row may count the payment by now, or have counted a part of the charge when it failed.
    const rest = subtractAmounts(cost, row_cost ?? '0');
    const late = compareAmounts(rest, '0') > 0 ? rest : '0';
    const back = refund_amount !== null && compareAmounts(refund_amount, late) < 0 ? refund_amount : late;
    const [charged, refunded] = [isThen(charged_at) ? late : '0', isThen(refunded_at) ? back : '0'];
    return { batch_id, cost_currency, cost: subtractAmounts(charged, refunded) };
  });
}

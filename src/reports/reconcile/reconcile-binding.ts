import { idempotencyKey, parseReference, paymentReference } from '../../core/identity/ids.ts';
import type { ServicePayment } from '../../gateway/contract/gateway.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { type BoundPayment, findBoundPayment, findPaidRow } from '../../ledger/reporting/reconciliations.ts';
import { paymentNow, type ReconcileDeps } from './reconcile-source.ts';

/** The fields of a list entry that show whose payment it is. */
export type Named = Pick<ServicePayment, 'topupId' | 'reference'>;

/** The ledger's payment with the entry's reference, or, if the entry has none, with its id. */
export async function boundTo(
  db: Queryable,
  account: string,
  { topupId, reference }: Named,
): Promise<BoundPayment | null> {
  const named = reference === null ? await rowWith(db, account, topupId) : parseReference(reference);
  return named && findBoundPayment(db, idempotencyKey({ account, ...named }));
}

async function rowWith(db: Queryable, account: string, topupId: string) {
  const row = await findPaidRow(db, account, topupId);
  return row && { runId: row.run_id, rowRef: row.row_ref, generation: row.generation };
}

/**
 * Names an entry without a reference: by the row that has its id, else by a read of the full payment, which shows the
 * reference (spec section 2.2). It may be the payment of a row in doubt, or of an earlier generation. One
 * reconciliation makes at most `readsMax` reads: another program may have paid any number.
 */
export function makeNamer(db: Queryable, deps: ReconcileDeps, account: string, readsMax: number) {
  let reads = 0;
  return async (payment: ServicePayment): Promise<ServicePayment> => {
    if (payment.reference !== null) return payment;
    const row = await rowWith(db, account, payment.topupId);
    if (row !== null) return { ...payment, reference: paymentReference(row) };
    if (reads >= readsMax) return payment;
    reads += 1;
    const now = await paymentNow(deps, { topupId: payment.topupId, reference: '' });
    return now?.topupId === payment.topupId ? { ...payment, reference: now.reference } : payment;
  };
}

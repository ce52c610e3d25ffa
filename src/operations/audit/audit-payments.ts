import { idempotencyKey, paymentReference, sha256 } from '../../core/identity/ids.ts';
import { sameAmount } from '../../core/money/money.ts';
import { sentOrder } from '../../gateway/transport/sent-order.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import type { ReportedRow } from '../../ledger/reporting/reported-rows.ts';
import { findPayments, type PaymentRecord } from '../../ledger/rows/payments.ts';
import type { ChainFacts } from '../../verify/chain/chain-facts.ts';
import type { Findings } from '../../verify/input/findings.ts';

const file = 'payments';

/**
 * Compares rows with the payments that were sent for them. Each payment must have the body whose digest the ledger
 * stores, that body must ask for what the row asks for, and each sent row must have its payment. An erased payment no
 * longer has a body.
 */
export async function checkPayments(
  view: Queryable,
  batch: BatchRecord,
  { rows, chain }: { rows: readonly ReportedRow[]; chain: ChainFacts },
  findings: Findings,
): Promise<void> {
  const named = rows.flatMap((row) => namesOf(batch, row).map((names) => ({ row, ...names })));
  const payments = await findPayments(
    view,
    named.map(({ key }) => key),
  );
  for (const { row, key, reference, generation } of named) {
    const payment = payments.get(key);
    if (payment?.batch_id === batch.batch_id) {
      const difference = differenceOf(row, payment, { reference, generation });
      if (difference !== null) findings.add(file, `row ${row.row_no} ${difference}.`);
    } else if (generation === row.generation && chain.sentOf(row.row_no) !== 0)
      findings.add(file, `row ${row.row_no} was sent, but the ledger lacks its payment.`);
  }
}

/** The keys and references of a row's payments, in each of its generations. */
function namesOf({ account, run_id: runId }: BatchRecord, { row_ref: rowRef, generation: last }: ReportedRow) {
  if (rowRef === null) return [];
  return Array.from({ length: last }, (_, index) => {
    const identity = { account, runId, rowRef, generation: index + 1 };
    return { key: idempotencyKey(identity), reference: paymentReference(identity), generation: identity.generation };
  });
}

function differenceOf(
  row: ReportedRow,
  payment: PaymentRecord,
  { reference, generation }: { reference: string; generation: number },
): string | null {
  const { body, body_digest } = payment;
  if (payment.row_no !== row.row_no || payment.generation !== generation) return 'has a payment of another row';
  if (payment.reference !== reference) return 'has a payment under another reference';
  if (body === '' && body_digest === '') return null;
  if (sha256(body) !== body_digest) return 'has a payment whose body does not match its digest';
  const sent = sentOrder(body);
  if (sent === null) return 'has a payment whose body cannot be read';
  const { network_id, amount } = row;
  const isSameAmount =
    amount === null || sent.amount === null ? amount === sent.amount : sameAmount(amount, sent.amount);
  const pairs: [what: string, same: boolean][] = [
    ['phone number', row.phone_number === null || row.phone_number === sent.phoneNumber],
    ['network', agrees(sent.networkId, network_id === null ? null : String(network_id))],
    ['amount', isSameAmount],
    ['currency', agrees(sent.currency, row.amount === null ? null : row.currency)],
    ['product', sent.productId === row.product_id],
    ['text message', agrees(sent.message, row.sms_message || null)],
    ['reference', sent.reference === reference],
  ];
  const other = pairs.filter(([, same]) => !same).map(([what]) => what);
  return other.length === 0 ? null : `was sent with another ${other.join(', ')} than the row has now`;
}

/** A field that the interface does not have is not compared. */
function agrees(sent: string | null | undefined, own: string | null): boolean {
  return sent === undefined || sent === own;
}

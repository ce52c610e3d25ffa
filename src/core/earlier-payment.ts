import { sameAmount } from './money.ts';
import type { RowState } from './row-state.ts';

/** What a row asks for. */
export interface PaymentTerms {
  phone_number: string | null;
  network_id: number | null;
  amount: string | null;
  currency: string | null;
  product_id: string | null;
}

/** The row that has bound an idempotency key, and the only one that may send it. */
export interface KeyOwner extends PaymentTerms {
  batch_id: string;
  row_no: number;
  status: RowState;
}

/** What becomes of a row whose key belongs to a row of an earlier batch, and why. */
export interface EarlierVerdict {
  event: 'skip' | 'hold';
  problem: { code: 'ALREADY_PAID' | 'FAILED_BEFORE' | 'REFERENCE_REUSED'; message: string; suggestion: string };
}

/** Whether two rows ask for the same payment: the same person, network, and amount or product. */
export function samePayment(a: PaymentTerms, b: PaymentTerms): boolean {
  return (
    a.phone_number === b.phone_number &&
    a.network_id === b.network_id &&
    a.product_id === b.product_id &&
    a.currency === b.currency &&
    (a.amount === b.amount || (a.amount !== null && b.amount !== null && sameAmount(a.amount, b.amount)))
  );
}

/** The same run id and row ref were bound before, by `owner` of another batch: the row is never sent, and says who has it. */
export function earlierVerdict(row: PaymentTerms, owner: KeyOwner): EarlierVerdict {
  const place = `batch ${owner.batch_id}, row ${owner.row_no}`;
  if (!samePayment(row, owner)) {
    return {
      event: 'hold',
      problem: {
        code: 'REFERENCE_REUSED',
        message: `The same reference stands for another payment in ${place}: another number, network, amount or product.`,
        suggestion:
          'Skip it here if it is a correction of what was paid; give it a new reference if it is a payment of its own.',
      },
    };
  }
  if (owner.status === 'failed') {
    return {
      event: 'hold',
      problem: {
        code: 'FAILED_BEFORE',
        message: `This row was tried in ${place}, and failed there.`,
        suggestion: `Retry it there ("airbatch retry ${owner.batch_id}"), and skip it here.`,
      },
    };
  }
  return {
    event: 'skip',
    problem: {
      code: 'ALREADY_PAID',
      message: `This row belongs to ${place} (${owner.status}): it is not paid again.`,
      suggestion: 'Nothing to do. A further payment needs a reference, or a run id, of its own.',
    },
  };
}

import { sameAmount } from '../money/money.ts';
import type { RowState } from './row-state.ts';
import { rowStateTexts } from './state-words.ts';

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
  service_status: string | null;
  contradicted: string | null;
}

/** The most generations that one row may have, whichever files name it. */
export const generationsMax = 3;

/** What becomes of a row whose key belongs to a row of an earlier batch, and why. */
export interface EarlierVerdict {
  event: 'skip' | 'hold';
  problem: {
    code: 'ALREADY_PAID' | 'ALREADY_SENT' | 'FAILED_BEFORE' | 'MAY_BE_PAID' | 'REFERENCE_REUSED';
    message: string;
    suggestion: string;
  };
}

const hold = (problem: EarlierVerdict['problem']): EarlierVerdict => ({ event: 'hold', problem });

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

/**
 * Whether a row goes on, under the next generation, where the one that has its run id and row ref has failed for sure:
 * what a file that a person feeds in again is for. A job's file is nobody's decision (its job says what is retried).
 * Where that one was put aside before anything was paid, nothing is to be decided: the others of its file, which were
 * not even tried, go just so.
 */
export function goesOn(owner: KeyOwner, { generation, job }: { generation: number; job: string | null }): boolean {
  if (generation >= generationsMax) return false;
  return wasPutAside(owner) || (owner.status === 'failed' && !mayHaveArrived(owner) && job === null);
}

/**
 * Its request was turned away for good (a limit, no money, nobody there), and a person has said since that it is not
 * to be sent.
 */
function wasPutAside(owner: KeyOwner): boolean {
  return owner.status === 'skipped' && owner.contradicted === null && !bearsEarlierPayment(owner);
}

/**
 * `owner`, of another batch, has bound the row's run id and row ref in this generation: the row is not sent, and says
 * who has it.
 */
export function earlierVerdict(row: PaymentTerms, owner: KeyOwner, generation: number): EarlierVerdict {
  const place = `batch ${owner.batch_id}, row ${owner.row_no}`;
  if (owner.contradicted !== null) {
    return hold({
      code: 'MAY_BE_PAID',
      message: `This row was not paid in ${place}, as it seemed, and the service now says ${owner.contradicted} of that payment.`,
      suggestion: 'Skip it here if the recipient has it. If not, ask the service to confirm, and use a new reference.',
    });
  }
  if (owner.status === 'failed' && mayHaveArrived(owner)) {
    const serviceStatus = owner.service_status ?? '';
    return hold({
      code: 'FAILED_BEFORE',
      message: `This row was tried in ${place}, and the service says ${serviceStatus} of it: it may have arrived.`,
      suggestion: `Ask the recipient. Where nothing came, retry it there ("airbatch retry ${owner.batch_id} --code ${serviceStatus}"); skip it here.`,
    });
  }
  if ((owner.status === 'failed' || wasPutAside(owner)) && generation >= generationsMax) {
    return hold({
      code: 'FAILED_BEFORE',
      message: `This row was tried ${generation} times, the most that is allowed, and failed each time, at last in ${place}.`,
      suggestion: 'Skip it here. To pay it all the same, give it another reference, in a file of its own.',
    });
  }
  if (wasPutAside(owner)) {
    return hold({
      code: 'FAILED_BEFORE',
      message: `This row was tried in ${place}, where nothing was paid, and was put aside there.`,
      suggestion: 'Skip it here, and run the file again under its run id: then it goes on.',
    });
  }
  if (!samePayment(row, owner)) {
    return hold({
      code: 'REFERENCE_REUSED',
      message: `The same reference stands for another payment in ${place}: another number, network, amount or product.`,
      suggestion:
        'Skip it here if it is a correction of what was paid; give it a new reference if it is a payment of its own.',
    });
  }
  if (owner.status === 'failed') {
    return hold({
      code: 'FAILED_BEFORE',
      message: `This row was tried in ${place}, and failed there.`,
      suggestion: `Retry it there ("airbatch retry ${owner.batch_id}"), and skip it here.`,
    });
  }
  const isPaid = owner.status === 'completed';
  return {
    event: 'skip',
    problem: {
      code: isPaid ? 'ALREADY_PAID' : 'ALREADY_SENT',
      message: isPaid
        ? `This row was paid in ${place}: it is not paid again.`
        : `This row is under way in ${place} (${rowStateTexts[owner.status].label}): it is not sent here.`,
      suggestion: 'Nothing to do. A further payment needs a reference, or a run id, of its own.',
    },
  };
}

/**
 * The service's own last words (V1 states, spec section 2.5) after which a payment counts as failed, and may all the
 * same have arrived, in whole or in part: nothing but a person, who asked the recipient, pays such a row again.
 */
const doubtfulEnds: readonly string[] = ['TIMEOUT', 'UNDERLIVERED', 'CANCELED'];

/** Whether what failed with this last word of the service may all the same have arrived. */
export function isDoubtfulEnd(serviceStatus: string | null): boolean {
  return doubtfulEnds.includes(serviceStatus ?? '');
}

/** Whether a payment may have arrived: all that has not failed for sure, by the service's last status of it. */
export function mayHaveArrived(row: {
  status: RowState;
  service_status: string | null;
  contradicted: string | null;
}): boolean {
  return row.status !== 'failed' || row.contradicted !== null || isDoubtfulEnd(row.service_status);
}

/** A row that waits for a person, was put aside by one, or was let go to be looked up again. */
export const bearingStates: readonly RowState[] = ['held', 'skipped', 'ready'];

/**
 * Whether a row in one of those states bears what the service says of an earlier payment of it, which may have
 * arrived, and when that was first sent: nothing of its own generation was.
 */
export function bearsEarlierPayment(row: { status: RowState; service_status: string | null }): boolean {
  return row.service_status !== null && bearingStates.includes(row.status);
}

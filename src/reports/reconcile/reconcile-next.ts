import type { BoundPayment } from '../../ledger/reporting/reconciliations.ts';
import type { Bucket } from './reconcile-buckets.ts';

const asks = 'ask the service with the top-up id';

/** What to do next about an item, from its bucket and the state of its row. Empty if nothing is to be done. */
export function nextOf(bucket: Bucket, bound: BoundPayment | null): string {
  switch (bucket) {
    case 'matched':
    case 'no_payment':
      return '';
    case 'status_differs':
      return bound === null ? `Compare it by hand, and ${asks}.` : nextOfStatus(bound);
    case 'amount_differs':
      return `Stop paying from this account, and ${asks}.`;
    case 'cost_differs':
      return 'Ask the service which is right: a charge may have been corrected afterwards.';
    case 'refunded_later':
      return 'The recipient may not have the airtime. If so, pay it again under a new reference.';
    case 'duplicated':
      return 'The row may be paid twice: stop paying from this account, and ask the service to reverse one.';
    case 'ledger_only':
      return bound !== null && isOpen(bound) ? nextOfOpen(bound) : 'Ask the service with the reference.';
    case 'service_only_other_program':
      return 'Find out who else uses this account.';
    case 'service_only_unknown':
      return 'Look for another ledger of yours (a second installation, a restored backup) that pays from this account.';
    case 'unreadable':
      return 'Ask the service what it is, with the top-up id.';
  }
}

function nextOfStatus(bound: BoundPayment): string {
  if (bound.generation < bound.row_generation)
    return 'An earlier payment of this row counted as failed, and the row was sent again: it may be paid twice. Ask the service to reverse one.';
  if (isOpen(bound)) return nextOfOpen(bound);
  if (bound.status === 'completed') return `The service no longer says that it was paid: ${asks}.`;
  return `The service may have paid it: do not pay it again, and ${asks}.`;
}

/** Whether the row is looked up or followed. Only then does resuming its batch ask the service about it. */
function isOpen({ status, generation, row_generation }: BoundPayment): boolean {
  return generation === row_generation && ['sending', 'accepted', 'in_doubt'].includes(status);
}

/** A row that is left to a person is not looked up any more, even if its batch is resumed. */
function nextOfOpen({ batch_id, row_no, status, next_action_at }: BoundPayment): string {
  return status === 'in_doubt' && next_action_at === null
    ? `A person decides: airbatch resolve ${batch_id} ${row_no}`
    : `To look it up again: airbatch resume ${batch_id}`;
}

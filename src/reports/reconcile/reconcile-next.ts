import { z } from 'zod';
import { reasonOf } from '../../core/basics/errors.ts';
import type { BoundPayment } from '../../ledger/reporting/reconciliations.ts';
import type { Bucket } from './reconcile-buckets.ts';

const asks = 'ask the service with the top-up id';

/** What a person does about an item, by stable code. The console has a text for each in the reader's language. */
const steps = {
  NEXT_COMPARE: `Compare it by hand, and ${asks}.`,
  NEXT_AMOUNT: `Stop paying from this account, and ${asks}.`,
  NEXT_COST: 'Ask the service which is right: a charge may have been corrected afterwards.',
  NEXT_REFUNDED: 'The recipient may not have the airtime. If so, pay it again under a new reference.',
  NEXT_DUPLICATED: 'The row may be paid twice: stop paying from this account, and ask the service to reverse one.',
  NEXT_REFERENCE: 'Ask the service with the reference.',
  NEXT_OTHER_PROGRAM: 'Find out who else uses this account.',
  NEXT_OTHER_LEDGER:
    'Look for another ledger of yours (a second installation, a restored backup) that pays from this account.',
  NEXT_UNREADABLE: 'Ask the service what it is, with the top-up id.',
  NEXT_EARLIER:
    'An earlier payment of this row counted as failed, and the row was sent again: it may be paid twice. Ask the service to reverse one.',
  NEXT_UNPAID: `The service no longer says that it was paid: ${asks}.`,
  NEXT_MAYBE_PAID: `The service may have paid it: do not pay it again, and ${asks}.`,
  NEXT_RESOLVE: 'A person decides: airbatch resolve {batch} {row}',
  NEXT_LOOK_UP: 'To look it up again: airbatch resume {batch}',
} as const;

export const nextSteps = Object.keys(steps) as (keyof typeof steps)[];

/** What a person can do about an item: a sentence, and the same as a code. Empty and null if there is nothing to do. */
export const nextShape = {
  next: z.string(),
  next_reason: z.strictObject({ code: z.string(), values: z.record(z.string(), z.string()) }).nullable(),
};
type Next = z.output<z.ZodObject<typeof nextShape>>;

/** What to do next about an item, from its bucket and the state of its row. */
export function nextOf(bucket: Bucket, bound: BoundPayment | null): Next {
  switch (bucket) {
    case 'matched':
    case 'no_payment':
      return { next: '', next_reason: null };
    case 'status_differs':
      return bound === null ? step('NEXT_COMPARE') : nextOfStatus(bound);
    case 'amount_differs':
      return step('NEXT_AMOUNT');
    case 'cost_differs':
      return step('NEXT_COST');
    case 'refunded_later':
      return step('NEXT_REFUNDED');
    case 'duplicated':
      return step('NEXT_DUPLICATED');
    case 'ledger_only':
      return bound !== null && isOpen(bound) ? nextOfOpen(bound) : step('NEXT_REFERENCE');
    case 'service_only_other_program':
      return step('NEXT_OTHER_PROGRAM');
    case 'service_only_unknown':
      return step('NEXT_OTHER_LEDGER');
    case 'unreadable':
      return step('NEXT_UNREADABLE');
  }
}

function step(code: keyof typeof steps, values: Record<string, string | number> = {}): Next {
  const next = steps[code].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
  return { next, next_reason: reasonOf(code, values) };
}

function nextOfStatus(bound: BoundPayment): Next {
  if (bound.generation < bound.row_generation) return step('NEXT_EARLIER');
  if (isOpen(bound)) return nextOfOpen(bound);
  return step(bound.status === 'completed' ? 'NEXT_UNPAID' : 'NEXT_MAYBE_PAID');
}

/** Whether the row is looked up or followed. Only then does resuming its batch ask the service about it. */
function isOpen({ status, generation, row_generation }: BoundPayment): boolean {
  return generation === row_generation && ['sending', 'accepted', 'in_doubt'].includes(status);
}

/** A row that is left to a person is not looked up any more, even if its batch is resumed. */
function nextOfOpen({ batch_id: batch, row_no: row, status, next_action_at }: BoundPayment): Next {
  return step(status === 'in_doubt' && next_action_at === null ? 'NEXT_RESOLVE' : 'NEXT_LOOK_UP', { batch, row });
}

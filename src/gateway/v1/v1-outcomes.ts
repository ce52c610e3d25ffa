import type { Verdict } from '../transport/outcome-class.ts';

/** What a code of Version 1 means for `POST /adp`: a verdict, or that the service has the payment. */
export type V1Meaning = Verdict | { kind: 'taken'; why: string };

const noRoute = 'lookup codes only; on a creation nobody promised what they mean';

/**
 * The meaning of every code of spec section 7.2 in an answer to `POST /adp`. A code about the request itself is a
 * refusal. A code about the delivery leaves the row in doubt, until a lookup by `extRefId` shows the payment's state.
 */
export const v1Codes: Readonly<Record<number, V1Meaning>> = {
  1: { kind: 'taken', why: 'success; the state of the payment is in its data' },
  5: {
    kind: 'in_doubt',
    isInOrder: true,
    why: 'declined on its way: "check the transaction", since there may be one in any state',
  },
  10: { kind: 'taken', why: 'in flight: poll by extRefId' },
  20: {
    kind: 'account_blocked',
    reason: 'insufficient_balance',
    why: 'the balance is shared by the rows of the network: the others would be refused as well',
  },
  30: { kind: 'refused', why: 'about this recipient; the same number will not be taken' },
  50: {
    kind: 'number_blocked',
    why: 'the provider blocks the number for a minute, perhaps because of our own delivery',
  },
  90: { kind: 'exists', why: 'the extRefId was used: look up what it paid, and adopt it' },
  150: { kind: 'refused', why: 'the amount does not fit the product; the same bytes will not be taken' },
  160: { kind: 'in_doubt', why: noRoute },
  170: { kind: 'in_doubt', why: noRoute },
  190: {
    kind: 'account_blocked',
    reason: 'credentials_rejected',
    why: 'the customer account is not located: no row of the account would be taken',
  },
  200: { kind: 'refused', why: 'this destination is not enabled for the customer; rows to others can be paid' },
  210: { kind: 'refused', why: 'the product is gone; the same product will not be taken' },
  218: { kind: 'refused', why: 'the product is of another network than the number' },
  221: {
    kind: 'in_doubt',
    isInOrder: true,
    why: 'the bundle failed on its way: "check state", since there may be a payment in any state',
  },
  222: { kind: 'refused', why: 'the number could not be verified, before anything was sent to it' },
  227: { kind: 'refused', why: 'below the minimum; the same amount will not be taken' },
  228: { kind: 'refused', why: 'above the maximum; the same amount will not be taken' },
  231: { kind: 'refused', why: 'below the minimum of the source amount; the same amount will not be taken' },
  232: { kind: 'taken', why: 'queued (ASYNC): poll by extRefId' },
  234: {
    kind: 'in_doubt',
    isInOrder: true,
    why: 'the route is down: look up, and send the same extRefId again after some minutes',
  },
  235: { kind: 'in_doubt', why: noRoute },
};

/** Whether this code of `POST /adp` says that the service has the payment. */
export function isTakenCode(code: number | null): boolean {
  return code !== null && v1Codes[code]?.kind === 'taken';
}

/** What an answer of Version 1 shows: its status, and its envelope if that is intact (spec section 2.4). */
export interface V1Answer {
  status: number;
  envelope: { code: number | null; hasPayment: boolean } | null;
}

/**
 * What an answer to `POST /adp` means when no payment can be read from it. An unknown code is in doubt.
 *
 * A code counts on HTTP 500 too: the spec's own examples of business failures carry `statusCode` 500 (section 7.2), and
 * a service that names what is wrong with a request has not broken down. On 502 to 504 no code proves anything, since a
 * proxy sends those; a code that leaves the row in doubt anyway still names the reason.
 */
export function v1Verdict({ status, envelope }: V1Answer): Verdict {
  if (status === 429) return { kind: 'throttled', why: 'turned away at the door, before anything was created' };
  if (status === 401) {
    const why = 'credentials are checked before anything else (spec section 5.2)';
    return { kind: 'account_blocked', reason: 'credentials_rejected', why };
  }
  const meaning = v1Codes[envelope?.code ?? Number.NaN];
  if (status > 500 && meaning?.kind === 'in_doubt') return meaning;
  if (status > 500 || envelope === null) return { kind: 'in_doubt', why: 'not the service itself, or it broke down' };
  if (envelope.code === null) {
    return status === 400
      ? { kind: 'refused', why: 'parameters are missing or invalid: the same bytes will never be taken' }
      : { kind: 'in_doubt', why: 'no code says what happened' };
  }
  if (!meaning) return { kind: 'in_doubt', why: 'an unknown code proves nothing' };
  if (meaning.kind === 'taken') return { kind: 'in_doubt', why: 'taken, but not said as what: the look-up shows it' };
  if (envelope.hasPayment && meaning.kind !== 'in_doubt') {
    return { kind: 'in_doubt', why: 'a refusal that shows a payment contradicts itself' };
  }
  return meaning;
}

/**
 * What a state of a transaction means (spec section 3.2). A state that the spec does not name is open, never success.
 */
export function v1State(state: string): { state: 'open' | 'completed' | 'failed'; unknownStatus: boolean } {
  switch (state) {
    case 'PENDING':
    case 'PROCESSING':
      return { state: 'open', unknownStatus: false };
    case 'SUCCESS':
      return { state: 'completed', unknownStatus: false };
    case 'FAILED':
    case 'TIMEOUT':
    case 'UNDERLIVERED':
    case 'CANCELED':
      return { state: 'failed', unknownStatus: false };
    default:
      return { state: 'open', unknownStatus: true };
  }
}

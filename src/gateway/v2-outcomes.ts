import type { Verdict } from './verdict.ts';

/**
 * What a code of Version 2 means for a request to create (spec section 7.1; the complete list is not shown). These count
 * only in an intact error envelope on a 4xx: on any other status the answer contradicts itself, and is in doubt.
 */
export const v2Codes: Readonly<Record<string, Verdict>> = {
  RATE_LIMITED: { kind: 'throttled', why: 'turned away at the door, before anything was created' },
  INSUFFICIENT_BALANCE: {
    kind: 'account_blocked',
    reason: 'insufficient_balance',
    why: 'the wallet is shared by all rows: the others would be refused as well',
  },
  WALLET_TYPE_UNAVAILABLE: {
    kind: 'refused',
    why: 'no local wallet for this destination; rows to other countries can still be paid',
  },
  INVALID_PHONE_NUMBER: { kind: 'refused', why: 'about this recipient; the same number will never be taken' },
  NETWORK_NOT_FOUND: { kind: 'refused', why: 'about this destination; the same network will never be taken' },
};

/** What a status of Version 2 means where the code is missing or unknown. A status that is not here is in doubt. */
export const v2Statuses: Readonly<Record<number, Verdict & { needsEnvelope: boolean }>> = {
  400: {
    kind: 'refused',
    why: 'the service itself says that it could not take the request; the same bytes will never be taken',
    needsEnvelope: true,
  },
  401: {
    kind: 'account_blocked',
    reason: 'credentials_rejected',
    why: 'credentials are checked before anything else; the shape of this error is not shown, so none is asked for',
    needsEnvelope: false,
  },
  402: {
    kind: 'account_blocked',
    reason: 'insufficient_balance',
    why: 'the service asks for money, whatever it calls that; pausing burns no row',
    needsEnvelope: true,
  },
  403: {
    kind: 'account_blocked',
    reason: 'credentials_rejected',
    why: 'the key lacks the permission (5.1), for every row alike; pausing burns no row',
    needsEnvelope: false,
  },
  422: {
    kind: 'refused',
    why: 'the service itself says that it understood the request and cannot act on it',
    needsEnvelope: true,
  },
  429: { kind: 'throttled', why: 'turned away at the door, before anything was created', needsEnvelope: false },
};

/**
 * Words in an unknown code that may speak of a payment which is already there. Refusing such a row would let somebody pay
 * it again, so these are in doubt even where the status says "refused".
 */
const mayExist = /DUPLICAT|EXIST|IDEMPOT|CONFLICT|PENDING|PROGRESS|PROCESS|ALREADY/i;

/**
 * What an answer of Version 2 to a request to create means, when it is no success: `code` is the error code of an intact
 * envelope, or null where there is no envelope. Unknown is in doubt: nothing is ever taken for a success or a refusal
 * because it could not be read.
 */
export function v2Verdict(status: number, code: string | null): Verdict {
  if (status >= 500)
    return { kind: 'in_doubt', why: 'the service broke at an unknown point, perhaps after the charge' };
  if (status < 400) return { kind: 'in_doubt', why: 'a success that cannot be read may have been charged' };
  const known = code !== null && Object.hasOwn(v2Codes, code) ? v2Codes[code] : undefined;
  if (known) return known;
  const byStatus = v2Statuses[status];
  if (!byStatus || (byStatus.needsEnvelope && code === null)) {
    return { kind: 'in_doubt', why: 'nobody promised what this answer means' };
  }
  if (byStatus.kind === 'refused' && mayExist.test(code ?? '')) {
    return { kind: 'in_doubt', why: 'the code may speak of a payment that exists' };
  }
  const { needsEnvelope: _needsEnvelope, ...verdict } = byStatus;
  return verdict;
}

/** What a status of a top-up means (spec section 3.1); one that the spec does not name is open, never success. */
export function v2State(status: string): { state: 'open' | 'completed' | 'failed'; unknownStatus: boolean } {
  switch (status) {
    case 'pending':
    case 'processing':
      return { state: 'open', unknownStatus: false };
    case 'completed':
      return { state: 'completed', unknownStatus: false };
    case 'failed':
      return { state: 'failed', unknownStatus: false };
    default:
      return { state: 'open', unknownStatus: true };
  }
}

import type { Verdict } from '../transport/outcome-class.ts';

/**
 * What an error code of Version 2 means for a creation (spec section 7.1). A code counts only in an intact error
 * envelope. The spec does not show the HTTP status of most codes, so below 501 the status does not matter.
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

/**
 * Names of the fields that describe the requested payment. References and keys are not among them: a payment may
 * already have used those.
 */
const asked =
  '(AMOUNT|CURRENCY|PRODUCT|BUNDLE|NETWORK|OPERATOR|COUNTRY|DESTINATION|RECIPIENT|PHONE|MSISDN|SMS|MESSAGE)';
const part = '(_ID|_NUMBER|_VALUE|_CODE)?';
const wrong =
  '(TOO_SMALL|TOO_LARGE|TOO_LOW|TOO_HIGH|TOO_SHORT|TOO_LONG|BELOW_MIN(IMUM)?|ABOVE_MAX(IMUM)?|OUT_OF_RANGE|INVALID|UNSUPPORTED|NOT_SUPPORTED|NOT_ALLOWED|NOT_FOUND|MISMATCH|REQUIRED|MISSING)';
/**
 * Codes that refuse a request for its own content, though the spec does not list them ("AMOUNT_TOO_SMALL",
 * "INVALID_PRODUCT_ID").
 */
const refusedForItself = new RegExp(
  `^(${asked}${part}_${wrong}|(INVALID|UNSUPPORTED|UNKNOWN|MISSING)_${asked}${part}|VALIDATION_(ERROR|FAILED))$`,
);
const refusedForContent: Verdict = {
  kind: 'refused',
  why: 'about what this row asks for, before anything was created; the same request will never be taken',
};

/** What an HTTP status means whatever the code: the spec does not show the shape of these errors (section 5.1). */
export const v2Statuses: Readonly<Record<number, Verdict>> = {
  401: {
    kind: 'account_blocked',
    reason: 'credentials_rejected',
    why: 'the key is checked before anything else, for every row alike',
  },
  403: {
    kind: 'account_blocked',
    reason: 'credentials_rejected',
    why: 'the key lacks the permission, for every row alike',
  },
  429: { kind: 'throttled', why: 'turned away at the door, before anything was created' },
};

/**
 * What an answer of Version 2 to a creation means when no payment can be read from it. `code` is the code of an intact
 * error envelope, or null. `hasPayment`: the answer also shows a payment.
 *
 * The spec does not list all codes. A code on a 4xx that says what is wrong with the amount, number, network or product
 * refuses the row. Any other code outside the table is in doubt, even on a 400: it may mean "duplicate", and if the row
 * were refused, somebody could pay it again. A row in doubt is looked up, sent again with the same key, and shown to a
 * person with the service's own message.
 */
export function v2Verdict(status: number, code: string | null, hasPayment = false): Verdict {
  if (status > 500)
    return { kind: 'in_doubt', why: 'not the service itself, or it broke down, perhaps after the charge' };
  if (hasPayment) return { kind: 'in_doubt', why: 'a refusal that shows a payment contradicts itself' };
  const byCode = code !== null && Object.hasOwn(v2Codes, code) ? v2Codes[code] : undefined;
  const isAsked = status >= 400 && status < 500 && status !== 409 && refusedForItself.test(code ?? '');
  const verdict = byCode ?? (isAsked ? refusedForContent : v2Statuses[status]);
  if (verdict) return verdict;
  if (status >= 200 && status < 300) return { kind: 'in_doubt', why: 'a success that cannot be read may be a charge' };
  return { kind: 'in_doubt', why: 'nobody promised what this answer means' };
}

/** What a status of a top-up means (spec section 3.1). A status that the spec does not name is open, never success. */
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

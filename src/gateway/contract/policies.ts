import type { ServicePolicy } from './gateway.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The deadline of a whole request, unless the account sets another. */
export const requestDeadlineMsDefault = 60 * second;

/** The service knows a key for 24 h (spec section 8.2). */
const keyKnownMs = 24 * hour;
/**
 * A key is not sent again from this long before that time, and counts as forgotten only this long after it, in case the
 * clocks differ.
 */
const keyMarginMs = hour;

/** Version 2 in doubt (reliability rules, section 3): the key makes a repeated request harmless for 24 hours. */
export function v2Policy(deadlineMs: number): ServicePolicy {
  return {
    resendAgeMsMax: keyKnownMs - keyMarginMs,
    forgottenAgeMsMin: keyKnownMs + keyMarginMs,
    // The service may work on the request until its deadline, and its list may lag a little.
    lookupDelaysMs: [deadlineMs + 30 * second],
    resendDelaysMs: [2 * minute, 5 * minute, 15 * minute, 60 * minute],
    resendsMax: 4,
    agedLookupDelaysMs: [0, hour, 6 * hour, 24 * hour],
    sameErrorsMax: 3,
    sameNumberSpacingMs: 0,
    settleAlertMs: 30 * minute,
  };
}

/**
 * Version 1 in doubt: `extRefId` keeps a repeated request from paying twice. A payment ends about 12 minutes after its
 * request (spec section 8.2), so the service does not have a payment that is not found after 15.
 */
export function v1Policy(): ServicePolicy {
  return {
    // The spec does not say how long the service remembers an `extRefId`; airbatch assumes no longer than a key of
    // Version 2.
    resendAgeMsMax: keyKnownMs - keyMarginMs,
    forgottenAgeMsMin: keyKnownMs + keyMarginMs,
    lookupDelaysMs: [15 * second, minute, 5 * minute, 12 * minute, 15 * minute],
    resendDelaysMs: [15 * minute],
    resendsMax: 3,
    // "Retry after a few minutes" (spec section 7.2).
    routeDown: { code: '234', resendDelaysMs: [2 * minute, 5 * minute, 15 * minute, 30 * minute, hour] },
    agedLookupDelaysMs: [0, hour, 6 * hour, 24 * hour],
    sameErrorsMax: 3,
    // After a recharge the provider blocks the number, typically for a minute (code 50).
    sameNumberSpacingMs: 65 * second,
    settleAlertMs: 15 * minute,
  };
}

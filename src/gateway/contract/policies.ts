import type { ServicePolicy } from './gateway.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** One deadline for a whole request, where an account sets no other. */
export const requestDeadlineMsDefault = 60 * second;

/** The service knows a key for 24 h (spec section 8.2). */
const keyKnownMs = 24 * hour;
/**
 * This much earlier the key is not sent again, and this much later it is taken for forgotten, whatever the clocks say.
 */
const keyMarginMs = hour;

/** Version 2 in doubt (reliability rules, section 3): the key makes a repeated request harmless for 24 hours. */
export function v2Policy(deadlineMs: number): ServicePolicy {
  return {
    resendAgeMsMax: keyKnownMs - keyMarginMs,
    forgottenAgeMsMin: keyKnownMs + keyMarginMs,
    // The request may be under way until its deadline, and the service's list may lag a little behind.
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
 * Version 1 in doubt: `extRefId` is what keeps a repeated request from paying twice, and a payment is terminal about 12
 * minutes after its request (spec section 8.2), so what is not found after 15 was not taken.
 */
export function v1Policy(): ServicePolicy {
  return {
    // How long the service remembers an `extRefId` is not shown; it is held to be no longer than a key of Version 2.
    resendAgeMsMax: keyKnownMs - keyMarginMs,
    forgottenAgeMsMin: keyKnownMs + keyMarginMs,
    lookupDelaysMs: [15 * second, minute, 5 * minute, 12 * minute, 15 * minute],
    resendDelaysMs: [15 * minute],
    resendsMax: 3,
    // "Retry after a few minutes" (spec section 7.2).
    routeDown: { code: '234', resendDelaysMs: [2 * minute, 5 * minute, 15 * minute, 30 * minute, hour] },
    agedLookupDelaysMs: [0, hour, 6 * hour, 24 * hour],
    sameErrorsMax: 3,
    // The provider blocks a number for typically a minute after a recharge (code 50).
    sameNumberSpacingMs: 65 * second,
    settleAlertMs: 15 * minute,
  };
}

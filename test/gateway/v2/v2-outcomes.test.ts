import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { v2Codes, v2State, v2Statuses, v2Verdict } from '../../../src/gateway/v2/v2-outcomes.ts';

describe('what an answer of Version 2 means', () => {
  const table: [status: number, code: string | null, kind: string][] = [
    // The codes of section 7.1, whose HTTP status is not shown.
    [429, 'RATE_LIMITED', 'throttled'],
    [503, 'RATE_LIMITED', 'in_doubt'],
    [400, 'INVALID_PHONE_NUMBER', 'refused'],
    [422, 'INVALID_PHONE_NUMBER', 'refused'],
    [500, 'INVALID_PHONE_NUMBER', 'refused'],
    [200, 'INVALID_PHONE_NUMBER', 'refused'],
    [404, 'NETWORK_NOT_FOUND', 'refused'],
    [403, 'WALLET_TYPE_UNAVAILABLE', 'refused'],
    [402, 'INSUFFICIENT_BALANCE', 'account_blocked'],
    [400, 'INSUFFICIENT_BALANCE', 'account_blocked'],
    [502, 'INSUFFICIENT_BALANCE', 'in_doubt'],
    // Codes that the spec does not list, and that say what is wrong with what is asked for.
    [400, 'AMOUNT_TOO_SMALL', 'refused'],
    [422, 'AMOUNT_TOO_LARGE', 'refused'],
    [400, 'AMOUNT_BELOW_MINIMUM', 'refused'],
    [403, 'AMOUNT_NOT_ALLOWED', 'refused'],
    [404, 'PRODUCT_NOT_FOUND', 'refused'],
    [400, 'INVALID_PRODUCT_ID', 'refused'],
    [400, 'INVALID_AMOUNT', 'refused'],
    [422, 'UNSUPPORTED_CURRENCY', 'refused'],
    [400, 'PHONE_NUMBER_INVALID', 'refused'],
    [422, 'VALIDATION_ERROR', 'refused'],
    // They may speak of a payment that exists, or were not meant by the service that broke down.
    [409, 'AMOUNT_MISMATCH', 'in_doubt'],
    [500, 'AMOUNT_TOO_SMALL', 'in_doubt'],
    [200, 'AMOUNT_TOO_SMALL', 'in_doubt'],
    [400, 'INVALID_REFERENCE', 'in_doubt'],
    [400, 'INVALID_IDEMPOTENCY_KEY', 'in_doubt'],
    [400, 'AMOUNT_ALREADY_PAID', 'in_doubt'],
    // Statuses that speak for themselves.
    [401, null, 'account_blocked'],
    [401, 'UNAUTHORIZED', 'account_blocked'],
    [403, null, 'account_blocked'],
    [429, null, 'throttled'],
    // Everything else is in doubt.
    [201, null, 'in_doubt'],
    [200, 'SOMETHING', 'in_doubt'],
    [400, null, 'in_doubt'],
    [400, 'DUPLICATE_REFERENCE', 'in_doubt'],
    [400, 'constructor', 'in_doubt'],
    [404, null, 'in_doubt'],
    [409, 'CONFLICT', 'in_doubt'],
    [418, null, 'in_doubt'],
    [500, null, 'in_doubt'],
    [500, 'INTERNAL_ERROR', 'in_doubt'],
    [503, null, 'in_doubt'],
  ];
  for (const [status, code, kind] of table) {
    test(`HTTP ${status} with ${code ?? 'no code'} is ${kind}`, () => {
      assert.equal(v2Verdict(status, code).kind, kind);
    });
  }

  test('distinguishes lack of money from bad credentials', () => {
    const money = v2Verdict(402, 'INSUFFICIENT_BALANCE');
    const key = v2Verdict(401, null);
    assert.equal(money.kind === 'account_blocked' && money.reason, 'insufficient_balance');
    assert.equal(key.kind === 'account_blocked' && key.reason, 'credentials_rejected');
  });

  test('has a reason on every line', () => {
    for (const { why } of [...Object.values(v2Codes), ...Object.values(v2Statuses)]) assert.ok(why.length > 10);
  });

  test('covers every code of section 7.1', () => {
    assert.deepEqual(Object.keys(v2Codes).slice(0, 5).sort(), [
      'INSUFFICIENT_BALANCE',
      'INVALID_PHONE_NUMBER',
      'NETWORK_NOT_FOUND',
      'RATE_LIMITED',
      'WALLET_TYPE_UNAVAILABLE',
    ]);
  });

  test('never means a refusal if it is unknown', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), fc.option(fc.string()), (status, code) => {
        fc.pre(code === null || !Object.hasOwn(v2Codes, code));
        assert.ok(['in_doubt', 'throttled', 'account_blocked'].includes(v2Verdict(status, code).kind));
      }),
    );
  });
});

describe('the statuses of Version 2', () => {
  const table = [
    ['pending', 'open', false],
    ['processing', 'open', false],
    ['completed', 'completed', false],
    ['failed', 'failed', false],
    ['COMPLETED', 'open', true],
    ['refunded', 'open', true],
    ['', 'open', true],
  ] as const;
  for (const [status, state, unknownStatus] of table) {
    test(`"${status}" is ${state}${unknownStatus ? ', and unknown' : ''}`, () => {
      assert.deepEqual(v2State(status), { state, unknownStatus });
    });
  }
});

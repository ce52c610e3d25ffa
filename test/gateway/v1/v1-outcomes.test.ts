import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { v1Codes, v1State, v1Verdict } from '../../../src/gateway/v1/v1-outcomes.ts';

const verdict = (status: number, code: number | null, hasPayment = false) =>
  v1Verdict({ status, envelope: { code, hasPayment } });

describe('what a code of Version 1 means for POST /adp', () => {
  // Every line of section 7.2. What a code means does not hang on the status: the spec's own examples differ there.
  const table: [code: number, kind: string, reason?: string][] = [
    [5, 'in_doubt'],
    [20, 'account_blocked', 'insufficient_balance'],
    [30, 'refused'],
    [50, 'number_blocked'],
    [90, 'exists'],
    [150, 'refused'],
    [190, 'account_blocked', 'credentials_rejected'],
    [200, 'refused'],
    [210, 'refused'],
    [218, 'refused'],
    [221, 'in_doubt'],
    [222, 'refused'],
    [227, 'refused'],
    [228, 'refused'],
    [231, 'refused'],
    [234, 'in_doubt'],
    [235, 'in_doubt'],
  ];
  test('no code except an open one proves anything if the answer has a payment', () => {
    for (const [code] of table)
      for (const status of [200, 400, 500]) assert.equal(verdict(status, code, true).kind, 'in_doubt', `${code}`);
  });

  for (const [code, kind, reason] of table) {
    test(`${code} is ${kind}${reason ? ` (${reason})` : ''}, on HTTP 200, 400, 403, 404 and 500`, () => {
      for (const status of [200, 400, 403, 404, 500]) {
        const found = verdict(status, code);
        assert.equal(found.kind, kind);
        if (reason) assert.equal(found.kind === 'account_blocked' && found.reason, reason);
      }
    });
  }

  for (const code of [5, 221, 234]) {
    test(`${code} means that the service is up and this payment or its route is not, also on HTTP 500 and 503`, () => {
      for (const status of [403, 500, 503]) {
        const found = verdict(status, code);
        assert.ok(found.kind === 'in_doubt' && found.isInOrder, `${status}`);
      }
    });
  }

  test('no other code means that on HTTP 500 or 503', () => {
    for (const status of [500, 503])
      for (const code of [null, 160, 170, 235, 500, 503, 999])
        assert.ok(!('isInOrder' in verdict(status, code)), `${status} ${code}`);
  });

  for (const code of [1, 10, 232]) {
    test(`${code} without a readable payment is in doubt: the look-up decides`, () => {
      assert.equal(v1Codes[code]?.kind, 'taken');
      assert.equal(verdict(200, code).kind, 'in_doubt');
      assert.equal(verdict(500, code).kind, 'in_doubt');
    });
  }

  test('covers every code of section 7.2, and the two that only look-ups use', () => {
    assert.deepEqual(
      Object.keys(v1Codes).map(Number),
      [1, 5, 10, 20, 30, 50, 90, 150, 160, 170, 190, 200, 210, 218, 221, 222, 227, 228, 231, 232, 234, 235],
    );
  });

  test('has a reason on every line', () => {
    for (const { why } of Object.values(v1Codes)) assert.ok(why.length > 10);
  });

  const others: [what: string, found: { kind: string }, kind: string][] = [
    ['401 is about the credentials, with and without an envelope', verdict(401, null), 'account_blocked'],
    ['401 in any words', v1Verdict({ status: 401, envelope: null }), 'account_blocked'],
    ['429 throttles', v1Verdict({ status: 429, envelope: null }), 'throttled'],
    ['400 without a code is about the parameters', verdict(400, null), 'refused'],
    ['400 without an envelope may come from anywhere', v1Verdict({ status: 400, envelope: null }), 'in_doubt'],
    ['403 without a code is a failure of unknown kind', verdict(403, null), 'in_doubt'],
    ['404 without a code proves nothing', verdict(404, null), 'in_doubt'],
    ['500 without a code proves nothing', verdict(500, null), 'in_doubt'],
    ['503 is in doubt, whatever it says', verdict(503, 30), 'in_doubt'],
    ['200 without an envelope is in doubt', v1Verdict({ status: 200, envelope: null }), 'in_doubt'],
    ['a refusal that shows a payment is in doubt', verdict(403, 30, true), 'in_doubt'],
  ];
  for (const [what, found, kind] of others) test(what, () => assert.equal(found.kind, kind));

  test('an unknown code is in doubt, whatever the answer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), fc.integer(), (status, code) => {
        fc.pre(!Object.hasOwn(v1Codes, code) && status !== 401 && status !== 429);
        assert.equal(verdict(status, code).kind, 'in_doubt');
      }),
    );
  });
});

describe('the states of Version 1', () => {
  const table = [
    ['PENDING', 'open', false],
    ['PROCESSING', 'open', false],
    ['SUCCESS', 'completed', false],
    ['FAILED', 'failed', false],
    ['TIMEOUT', 'failed', false],
    ['UNDERLIVERED', 'failed', false],
    ['CANCELED', 'failed', false],
    ['UNDELIVERED', 'open', true],
    ['success', 'open', true],
  ] as const;
  for (const [word, state, unknownStatus] of table) {
    test(`"${word}" is ${state}${unknownStatus ? ', and unknown' : ''}`, () => {
      assert.deepEqual(v1State(word), { state, unknownStatus });
    });
  }
});

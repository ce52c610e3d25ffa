import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type DoubtStep,
  type LastEvidence,
  stepWhenFound,
  stepWhenNotFound,
} from '../../../src/engine/doubts/in-doubt.ts';
import type { ServicePayment } from '../../../src/gateway/contract/gateway.ts';
import { v1Policy, v2Policy } from '../../../src/gateway/contract/policies.ts';
import type { PaymentRecord } from '../../../src/ledger/rows/payments.ts';
import type { RowRecord } from '../../../src/ledger/rows/rows.ts';
import { aPayment, aRow } from '../../support/ledger.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const v1 = v1Policy();
const v2 = v2Policy(60 * second);

const row = aRow(1) as unknown as RowRecord;
/** When the payment was sent (epoch ms); all other times are told from here. */
const start = Date.UTC(2026, 10, 20, 9);
/** A payment of which `fields` is known. */
const sent = (fields: Partial<PaymentRecord> = {}) =>
  aPayment(
    { account: 'main', runId: 'run-1', rowRef: 'ref-1', generation: 1 },
    { first_intent_at: start, last_intent_at: start, ...fields },
  );
const last = (kind: LastEvidence['kind'], httpStatus: number | null = 200) =>
  JSON.stringify({ kind, httpStatus, code: 'c', message: '', requestId: null } satisfies LastEvidence);

function atService(serviceStatus: string, state: ServicePayment['state'], more: Partial<ServicePayment> = {}) {
  return {
    topupId: serviceStatus,
    serviceStatus,
    state,
    unknownStatus: false,
    reference: 'run-1/ref-1',
    phoneNumber: row.phone_number,
    amount: { value: '101.00', currency: 'KES' },
    cost: null,
    productId: null,
    providerReference: null,
    failureCode: null,
    failureReason: null,
    createdAt: 0,
    completedAt: null,
    full: true,
    ...more,
  } satisfies ServicePayment;
}

const failed = atService('FAILED', 'failed');
const timedOut = atService('TIMEOUT', 'failed');
const open = atService('PROCESSING', 'open');
const done = atService('SUCCESS', 'completed');

/** A step, with what it adopts by its status alone. */
function inShort(step: DoubtStep): string {
  if (step.do === 'adopt') return `adopt ${step.payment.serviceStatus}`;
  if (step.do === 'wait') return `wait until ${(step.until - start) / second} s`;
  if (step.do === 'next_generation') return `next generation from ${(step.from - start) / second} s`;
  return step.do;
}

describe('a payment that is found under the reference of a row in doubt', () => {
  const open1 = sent({ open_attempts: 1, last_evidence: last('in_doubt', null) });
  const blocked = sent({ last_evidence: last('number_blocked') });
  const blockedLater = sent({ open_attempts: 1, last_evidence: last('number_blocked') });
  for (const [what, payment, found, expected] of [
    ['one payment is followed, whatever its state', open1, [open], 'adopt PROCESSING'],
    ['one that failed ends the row', open1, [failed], 'adopt FAILED'],
    ['of several the one that has not failed is followed', open1, [failed, done], 'adopt SUCCESS'],
    ['in whatever order they are listed', open1, [open, failed, failed], 'adopt PROCESSING'],
    ['two that have not failed stop the account', open1, [open, done], 'halt'],
    ['of failed ones that is followed which may have arrived', open1, [failed, timedOut], 'adopt TIMEOUT'],
    ['nothing at all is left to a person', open1, [], 'escalate'],
    ['another amount stops the account', open1, [{ ...done, amount: { value: '102', currency: 'KES' } }], 'halt'],
    ['also where only one of several has it', open1, [done, { ...failed, phoneNumber: '+254700000000' }], 'halt'],
    // Version 1 answers code 50 to a first attempt: what is there is its own failure, and the number is free in 65 s.
    [
      'a blocked number that failed goes on under the next generation',
      blocked,
      [failed],
      'next generation from 1065 s',
    ],
    ['not where the failure may have arrived', blocked, [timedOut], 'adopt TIMEOUT'],
    ['nor where there is a payment after all', blocked, [failed, done], 'adopt SUCCESS'],
    [
      'nor where an earlier attempt is open: what blocks may be our own delivery',
      blockedLater,
      [failed],
      'adopt FAILED',
    ],
  ] satisfies [string, PaymentRecord, ServicePayment[], string][]) {
    test(`${what}: ${expected}`, () => {
      assert.equal(inShort(stepWhenFound(row, payment, found, v1, start + 1_000 * second)), expected);
    });
  }
});

describe('a row in doubt of which nothing is found', () => {
  const doubt = (fields: Partial<PaymentRecord> = {}) =>
    sent({ open_attempts: 1, last_evidence: last('in_doubt', null), ...fields });
  const fiveHundreds = (times: number, httpStatus = 500) =>
    doubt({ same_errors: times, last_evidence: last('in_doubt', httpStatus) });
  for (const [what, payment, policy, now, expected] of [
    ['Version 2 waits for the deadline and 30 s', doubt(), v2, 60 * second, 'wait until 90 s'],
    ['and then for the time at which it may be sent again', doubt(), v2, 90 * second, 'wait until 120 s'],
    ['at which it is, with the same key', doubt(), v2, 2 * minute, 'send_again'],
    ['the second time after five minutes', doubt({ resends: 1 }), v2, 5 * minute - 1, 'wait until 300 s'],
    ['the fourth time after an hour', doubt({ resends: 3 }), v2, hour, 'send_again'],
    ['and no fifth time', doubt({ resends: 4 }), v2, 2 * hour, 'escalate'],
    ['nor sooner than its last look-up', doubt({ resends: 4 }), v2, minute, 'wait until 90 s'],
    ['the same 5xx twice says nothing', fiveHundreds(2), v2, 2 * minute, 'send_again'],
    ['three times it may be kept', fiveHundreds(3), v2, 2 * minute, 'escalate'],
    ['three of another kind are not', fiveHundreds(3, 200), v2, 2 * minute, 'send_again'],
    ['up to 23 hours it is sent again', doubt({ last_intent_at: start + hour }), v2, 23 * hour - 1, 'send_again'],
    [
      'from then on it is looked up alone',
      doubt({ last_intent_at: start + hour }),
      v2,
      23 * hour,
      'wait until 82800 s',
    ],
    ['after an hour more', doubt({ aged_lookups: 1 }), v2, 23 * hour, `wait until ${24 * 3_600} s`],
    ['five hours later', doubt({ aged_lookups: 2 }), v2, 24 * hour, `wait until ${29 * 3_600} s`],
    ['eighteen hours later', doubt({ aged_lookups: 3 }), v2, 29 * hour, `wait until ${47 * 3_600} s`],
    ['and then a person has it', doubt({ aged_lookups: 4 }), v2, 47 * hour, 'escalate'],
    ['Version 1 looks for 15 minutes', doubt(), v1, 12 * minute, 'wait until 900 s'],
    ['before it sends again', doubt(), v1, 15 * minute, 'send_again'],
    ['three times', doubt({ resends: 3 }), v1, 15 * minute, 'escalate'],
  ] satisfies [string, PaymentRecord, typeof v1, number, string][]) {
    test(`${what}: ${expected}`, () => {
      assert.equal(inShort(stepWhenNotFound(payment, policy, start + now)), expected);
    });
  }
});

describe('a payment with the answer that the route is down (code 234), of which nothing is found', () => {
  const down = (fields: Partial<PaymentRecord>, httpStatus = 403) =>
    sent({
      open_attempts: 1,
      last_evidence: JSON.stringify({ kind: 'in_doubt', httpStatus, code: '234', message: '', requestId: null }),
      ...fields,
    });
  for (const [what, payment, now, expected] of [
    ['is looked up first', down({}), 15 * second, 'wait until 60 s'],
    ['is sent again after a few minutes', down({}), 2 * minute, 'send_again'],
    ['then after longer ones', down({ resends: 1 }), 2 * minute, 'wait until 300 s'],
    ['of up to an hour', down({ resends: 9 }), 59 * minute, 'wait until 3600 s'],
    ['as long as the route is down', down({ resends: 9, same_errors: 9 }, 500), 60 * minute, 'send_again'],
    ['but not past the age of its key', down({ resends: 9 }), 23 * hour, 'wait until 82800 s'],
    ['and not soon where something in between may have said so', down({}, 503), 2 * minute, 'wait until 300 s'],
  ] satisfies [string, PaymentRecord, number, string][]) {
    test(`${what}: ${expected}`, () => {
      assert.equal(inShort(stepWhenNotFound(payment, v1, start + now)), expected);
    });
  }
});

describe('a payment whose attempts were all refused, of which nothing is found', () => {
  const refused = (kind: LastEvidence['kind']) => sent({ last_evidence: last(kind, 403) });
  for (const [what, payment, now, expected] of [
    ['goes on under the next generation at once', refused('throttled'), minute, 'next generation from 60 s'],
    ['where the number was blocked, 65 s later', refused('number_blocked'), minute, 'next generation from 125 s'],
    ['where the reference was used, absence has to last', refused('exists'), minute, 'wait until 300 s'],
    ['until the last look-up', refused('exists'), 15 * minute - 1, 'wait until 900 s'],
    ['after which it goes on', refused('exists'), 15 * minute, 'next generation from 900 s'],
    ['however old its key is', refused('throttled'), 48 * hour, 'next generation from 172800 s'],
  ] satisfies [string, PaymentRecord, number, string][]) {
    test(`${what}: ${expected}`, () => {
      assert.equal(inShort(stepWhenNotFound(payment, v1, start + now)), expected);
    });
  }
});

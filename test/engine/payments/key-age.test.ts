import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { firstIntentAt, keysProvedFrom } from '../../../src/engine/payments/key-age.ts';
import type { RunnerContext } from '../../../src/engine/runner/context.ts';
import type { PaymentRecord } from '../../../src/ledger/rows/payments.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { v2Policy } from '../../support/fake-service.ts';

const minuteMs = 60_000;
const highest = 1_000_000_000;
const oldest = v2Policy.resendAgeMsMax;

describe('the age of a key', () => {
  for (const [behindMs, isProved] of [
    [0, true],
    [10 * minuteMs, true],
    [10 * minuteMs + 1, false],
  ] as const)
    test(`is ${isProved ? '' : 'not '}taken from a clock that is ${behindMs} ms behind the highest time`, () => {
      assert.equal(keysProvedFrom(highest - behindMs, highest), isProved ? Number.NEGATIVE_INFINITY : highest);
    });

  for (const [what, first, at, expected] of [
    [
      'what the clock says where the key was intended after the clock had stepped back',
      highest + 1,
      highest + 5,
      highest + 1,
    ],
    // The highest time is noted with the intent itself: nobody knows how long nothing was noted after it.
    [
      'too great to send it again where it was intended at the highest time',
      highest,
      highest + 5,
      highest + 5 - oldest,
    ],
    ['too great to send it again where it was intended before', highest - 1, highest + 5, highest + 5 - oldest],
    ['no less than it was, however little of it is proved', highest - 2 * oldest, highest + 5, highest - 2 * oldest],
  ] as const)
    test(`is ${what}`, () => {
      const context = { gateway: { policy: v2Policy }, keys: { provedFrom: highest, scopeFrom: 0 } } as RunnerContext;
      assert.equal(firstIntentAt(context, { first_intent_at: first } as PaymentRecord, at), expected);
    });

  for (const [sleptMs, isSent] of [
    [oldest - 10 * minuteMs, true],
    [oldest, false],
  ] as const)
    test(`is checked right before its request leaves, which had to wait ${sleptMs} ms: the machine slept`, async () => {
      const rig = await makeRig();
      const { create } = rig.service;
      rig.service.script('run-1/ref-1', 'lose_answer');
      rig.service.hidden.add('run-1/ref-1');
      rig.service.create = async (request) => {
        // Its lease is renewed all the while.
        if (rig.service.creates.length === 1) await rig.clock.sleep(sleptMs);
        return create(request);
      };
      await rig.add(someRows(1));
      const ran = rig.run();
      await (isSent ? ran : assert.rejects(ran, { code: 'FENCED' }));
      assert.equal(rig.service.creates.length, isSent ? 2 : 1);
      await rig.run();
      assert.deepEqual(await rig.states(), [isSent ? 'completed' : 'in_doubt']);
      assert.equal(rig.service.creates.length, isSent ? 2 : 1);
    });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AirbatchError } from '../../../src/core/basics/errors.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { firstIntentAt, keysProvedFrom, makeKeyProof, noteKeyScope } from '../../../src/engine/payments/key-age.ts';
import type { RunnerContext } from '../../../src/engine/runner/context.ts';
import type { PaymentRecord } from '../../../src/ledger/rows/payments.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { v2Policy } from '../../support/fake-service.ts';

const minuteMs = 60_000;
const highest = 1_000_000_000;
const oldest = v2Policy.resendAgeMsMax;

function someKeys({ provedFrom = 0 } = {}) {
  const time = { local: highest, service: null as number | null };
  const clock = { ...systemClock, now: () => time.local };
  const gateway = { serviceTime: () => time.service };
  return { time, keys: makeKeyProof({ clock, gateway, log: { info() {}, warn() {} } }, { provedFrom, scopeFrom: 0 }) };
}

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
      const context = {
        gateway: { policy: v2Policy },
        keys: { provedFrom: () => highest, scopeFrom: 0 },
      } as RunnerContext;
      assert.equal(firstIntentAt(context, { first_intent_at: first } as PaymentRecord, at), expected);
    });

  test('is not proved of keys of earlier programs if the clock is behind the service’s time', () => {
    const { time, keys } = someKeys();
    assert.equal(keys.provedFrom(), 0, 'before an answer');
    time.service = highest + 10 * minuteMs;
    assert.equal(keys.provedFrom(), 0, 'the clock is a little behind');
    const behind = someKeys();
    behind.time.service = highest + 10 * minuteMs + 1;
    behind.time.local = highest + 5;
    behind.time.service += 5;
    assert.equal(behind.keys.provedFrom(), highest, 'keys of this program, which starts at that time, are proved');
    behind.time.local += 50_000;
    behind.time.service += 50_000;
    assert.equal(behind.keys.provedFrom(), highest, 'as long as the clocks go on alike');
    behind.time.service -= 60 * minuteMs;
    assert.equal(behind.keys.provedFrom(), highest, 'the clock was corrected');
  });

  test('is not proved of any key so far if the clock falls behind the service’s time', () => {
    const { time, keys } = someKeys();
    time.service = highest;
    assert.equal(keys.provedFrom(), 0);
    time.local = highest + 5_000;
    time.service = highest + 5_000 + 10 * minuteMs + 1;
    assert.equal(keys.provedFrom(), highest + 5_000);
  });

  test('is not proved by the service’s time if the highest time of the ledger proves less', () => {
    const { time, keys } = someKeys({ provedFrom: highest + 100 });
    time.service = highest + 60 * minuteMs;
    assert.equal(keys.provedFrom(), highest + 100);
  });

  test('is not proved where the machine was off for two days, and its clock stood still', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'lose_answer');
    rig.service.hidden.add('run-1/ref-1');
    await rig.add(someRows(1));
    await rig.run(1_000);
    assert.deepEqual([await rig.states(), rig.service.creates.length], [['in_doubt'], 1]);
    rig.service.serviceTime = () => rig.clock.now() + 48 * 60 * minuteMs;
    await rig.run();
    assert.deepEqual(await rig.states(), ['in_doubt']);
    assert.equal(rig.service.creates.length, 1, 'the key may be forgotten: it is not sent again');
  });

  test('is not proved where the program was killed within a second, and the clock was set back', async () => {
    const rig = await makeRig({ paceMs: 500 });
    const { transact } = rig.db;
    const { create } = rig.service;
    rig.service.script('run-1/ref-2', 'lose_answer');
    rig.service.hidden.add('run-1/ref-2');
    rig.service.create = async (request) => {
      const outcome = await create(request);
      // The second request was written half a second after the first one. Nothing is written after it.
      if (rig.service.creates.length === 2)
        rig.db.transact = () => Promise.reject(new AirbatchError('LEDGER_IO', 'killed'));
      return outcome;
    };
    await rig.add(someRows(2));
    await assert.rejects(rig.run(), { code: 'LEDGER_IO' });
    rig.db.transact = transact;
    await rig.db.execute('UPDATE leases SET expires_at = 0');
    rig.clock.setWall(rig.clock.now() - 48 * 60 * minuteMs);
    await rig.run(10 * minuteMs);
    assert.equal((await rig.states())[1], 'in_doubt');
    assert.equal(rig.service.creates.length, 2, 'nobody knows for how long the machine was off');
  });

  test('stays with the API key of the program that has the account, whatever one writes that has lost it', async () => {
    const rig = await makeRig();
    const { service, clock, db } = rig;
    await db.execute("INSERT INTO leases (account, holder, fence, expires_at) VALUES ('main', 'new', 2, 0)");
    const note = (keyScope: string, holder: string, fence: number) =>
      noteKeyScope(
        { db, gateway: { ...service, keyScope }, log: { info() {}, warn() {} } },
        { account: 'main', holder, fence },
        clock.now(),
      );
    assert.equal(await note('new key', 'new', 2), 0);
    await assert.rejects(note('old key', 'old', 1), { code: 'FENCED' });
    assert.equal(await note('new key', 'new', 2), 0, 'it is still noted');
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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoTime } from '../../../src/core/time/clock.ts';
import { makeAccountThrottle } from '../../../src/engine/pacing/account-throttle.ts';
import type { Catalog } from '../../../src/intake/rows/network-catalog.ts';
import { savePace } from '../../../src/ledger/accounts/pace.ts';
import type { OpenAccount } from '../../../src/runtime/accounts/account.ts';
import { applyStoredThrottle, requestDepsFor } from '../../../src/runtime/accounts/throttled-requests.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { planOf } from '../../../src/runtime/upkeep/plan-batch.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { aRow, idlePace } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';

test('a plan whose balance request is throttled asks for no prices, and makes the account wait', async () => {
  const rig = await makeRig();
  const limiter = makeOpenLimiter(rig.clock);
  await rig.add([...someRows(2), aRow(3, { amount: null, currency: null, product_id: 'p-1' })]);
  const evidence = { httpStatus: 429, code: 'RATE_LIMITED', message: 'wait', requestId: null };
  const account = {
    name: 'main',
    limiter,
    gateway: {
      ...rig.service,
      balance: async () => ({ kind: 'throttled', retryAfterMs: 30_000, evidence }),
    },
    catalog: { networks: async () => null, products: () => assert.fail('a price is asked') },
  } as unknown as OpenAccount;
  const told: string[] = [];
  const log = { info: () => undefined, warn: (message: string) => void told.push(message) };
  const session = { db: rig.db, clock: rig.clock, log } as unknown as Session;
  const plan = await planOf(session, account, await rig.batch());
  assert.deepEqual([plan.balance, plan.balanceTrouble], [null, 'RATE_LIMITED: wait']);
  assert.ok(limiter.isHeld('creation'));
  assert.deepEqual(told, ['the service throttles the account; airbatch asks again after the wait']);
});

test('a plan whose catalog is throttled for long asks nothing more, and says so', async () => {
  const rig = await makeRig();
  const limiter = makeOpenLimiter(rig.clock);
  await rig.add(someRows(2));
  const gateway = { ...rig.service, balance: () => assert.fail('the balance is asked') };
  const account = { name: 'main', limiter, gateway } as unknown as OpenAccount;
  const log = { info: () => undefined, warn: () => assert.fail('it was told of the wait already') };
  limiter.hold('catalog', 24 * 3_600_000);
  const plan = await planOf({ db: rig.db, clock: rig.clock, log } as unknown as Session, account, await rig.batch());
  const { toSend, balance, balanceTrouble } = plan;
  assert.deepEqual([toSend, balance, balanceTrouble], [2, null, 'throttled: the service throttles the account']);
});

test('a throttle that another program received also applies to a person who runs a file, and is reported once', async () => {
  const rig = await makeRig();
  const { db, clock } = rig;
  const limiter = makeOpenLimiter(clock);
  const told: unknown[] = [];
  const log = { info: () => undefined, warn: (_message: string, data: unknown) => void told.push(data) };
  const account = { name: 'main', limiter };
  await applyStoredThrottle(account, { db, clock, log });
  assert.ok(!limiter.isHeld('catalog'));
  const at = clock.now();
  const throttle = { since: at, at, saidMs: 60_000, until: at + 60_000 };
  await db.transact((tx) => savePace(tx, 'main', { ...idlePace, gate: { throttle, unreachableSince: null } }));
  await clock.drive(clock.sleep(20_000));
  for (let file = 0; file < 2; file++) await applyStoredThrottle(account, { db, clock, log });
  assert.deepEqual(told, [{ account: 'main', until: isoTime(at + 60_000), retry_after_ms: 60_000 }]);
  await clock.drive(clock.sleep(39_000));
  assert.ok(limiter.isHeld('catalog'));
  await clock.drive(clock.sleep(1_000));
  assert.ok(!limiter.isHeld('catalog'));
});

test('a throttle that another program received also applies to a person who approves or retries, and each wait is reported', async () => {
  const rig = await makeRig();
  const { db, clock } = rig;
  await rig.add(someRows(1));
  const told: unknown[] = [];
  const log = { info: () => undefined, warn: (_message: string, data: unknown) => void told.push(data) };
  const session = { db, clock, log } as unknown as Session;
  const catalog: Catalog = { networks: async () => null, products: async () => null };
  const opened = (): OpenAccount =>
    ({ name: 'main', limiter: makeOpenLimiter(clock), gateway: rig.service, catalog }) as unknown as OpenAccount;
  const at = clock.now();
  const throttle = { since: at, at, saidMs: 60_000, until: at + 60_000 };
  await db.transact((tx) => savePace(tx, 'main', { ...idlePace, gate: { throttle, unreachableSince: null } }));
  await clock.drive(planOf(session, opened(), await rig.batch()));
  assert.ok(clock.now() >= at + 60_000, 'the balance was asked after the wait');
  await clock.drive(clock.sleep(1_000));
  const again = { ...throttle, at: clock.now(), until: clock.now() + 30_000 };
  await db.transact((tx) => savePace(tx, 'main', { ...idlePace, gate: { throttle: again, unreachableSince: null } }));
  const { limiter, onWait } = await requestDepsFor(opened(), session);
  assert.ok(limiter.isHeld('read'));
  onWait?.({ ...again, until: again.until + 30_000 });
  assert.deepEqual(
    told.map((data) => (data as { until: string }).until),
    [throttle.until, again.until, again.until + 30_000].map(isoTime),
  );
});

test('a throttle during a file is obeyed for a day at most, whatever the service asks', async () => {
  const { clock } = await makeRig();
  const limiter = makeOpenLimiter(clock);
  const day = 24 * 3_600_000;
  const { since, until } = makeAccountThrottle({ limiter, clock }).hold('balance', 30 * day).wait;
  assert.equal(until - since, day);
  await clock.drive(clock.sleep(day - 1));
  assert.ok(limiter.isHeld('balance'));
  await clock.drive(clock.sleep(1));
  assert.ok(!limiter.isHeld('balance'));
});

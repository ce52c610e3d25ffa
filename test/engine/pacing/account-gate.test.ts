import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accountPausesOf,
  causeOf,
  type GateCauses,
  type GateReason,
  gateOf,
  isForeseeable,
} from '../../../src/engine/pacing/account-gate.ts';
import { haltAccount } from '../../../src/ledger/batches/pauses.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { setPause } from '../../support/ledger.ts';

const now = Date.UTC(2026, 10, 21);
const minuteMs = 60_000;
const until = now + 3 * minuteMs;
const throttle = { since: now - minuteMs, at: now, saidMs: 3 * minuteMs, until };

/** Each cause alone: what brings it about, since when it lasts, and when it ends. The first one wins over the others. */
const table: [why: GateReason, causes: GateCauses, since: number | null, until: number | null][] = [
  ['ledger_unusable', { isLedgerUsable: false }, null, null],
  ['no_lease', { hasLease: false }, null, null],
  ['service_mismatch', { pauses: ['service_mismatch'] }, null, null],
  ['credentials_rejected', { pauses: ['credentials_rejected'] }, null, null],
  ['insufficient_balance', { pauses: ['insufficient_balance'] }, null, null],
  ['throttled', { throttle }, now - minuteMs, until],
  ['unreachable', { unreachableSince: now - 2 * minuteMs }, now - 2 * minuteMs, null],
];

const both = (a: GateCauses, b: GateCauses): GateCauses => ({
  ...a,
  ...b,
  pauses: [...(b.pauses ?? []), ...(a.pauses ?? [])],
});

test('a gate is open if nothing closes it', () => {
  const nothing = { isLedgerUsable: true, hasLease: true, pauses: [], throttle: null, unreachableSince: null };
  for (const causes of [{}, nothing]) assert.deepEqual(gateOf(causes, now), { isOpen: true });
  assert.ok(isForeseeable(gateOf({}, now)));
  assert.equal(causeOf(gateOf({}, now), 'throttled'), null);
});

test('a throttle closes the gate until it is over, and not a moment longer', () => {
  assert.ok(!gateOf({ throttle }, until - 1).isOpen);
  assert.ok(gateOf({ throttle }, until).isOpen);
});

for (const [index, [why, causes, since, end]] of table.entries()) {
  test(`${why} alone closes the gate, until ${end === null ? 'somebody ends it' : 'its time is over'}`, () => {
    const gate = gateOf(causes, now);
    assert.deepEqual(gate.isOpen ? null : [gate.why, gate.until], [why, end]);
    const cause = causeOf(gate, why);
    assert.deepEqual(cause, { why, since, until: end, throttle: why === 'throttled' ? throttle : null });
    assert.equal(isForeseeable(gate), end !== null);
  });

  for (const [after, others] of table.slice(index + 1)) {
    test(`${why} comes before ${after}, and the end of both is unknown`, () => {
      for (const together of [both(causes, others), both(others, causes)]) {
        const gate = gateOf(together, now);
        assert.ok(!gate.isOpen);
        assert.deepEqual([gate.why, gate.until], [why, null]);
        assert.deepEqual(
          gate.causes.map((cause) => cause.why),
          [why, after],
        );
      }
    });
  }
}

test('the pauses of an account are those that stop all of its batches, and its halt', async () => {
  const rig = await makeRig();
  const pauses = () => accountPausesOf(rig.db, 'main');
  await rig.add(someRows(1));
  assert.deepEqual(await pauses(), []);
  for (const [reason, expected] of [
    ['by_person', []],
    ['guard_tripped', []],
    ['insufficient_balance', ['insufficient_balance']],
    ['credentials_rejected', ['credentials_rejected']],
  ] as const) {
    await setPause(rig.db, reason);
    assert.deepEqual(await pauses(), expected);
  }
  // The batch is still paused, but another one was approved later.
  await rig.add(someRows(1), { batch_id: 'batch-2', run_id: 'run-2' });
  assert.deepEqual(await pauses(), []);
  await rig.db.execute(`UPDATE batch_counts SET status = 'accepted' WHERE batch_id = 'batch-2' AND status = 'ready'`);
  assert.deepEqual(await pauses(), ['credentials_rejected'], 'it has nothing left to send');
  const why = { text: 'another payment', reason: null };
  await rig.db.transact((tx) => haltAccount({ tx, at: now, actor: 'engine' }, 'main', why));
  assert.deepEqual(await pauses(), ['service_mismatch', 'credentials_rejected']);
});

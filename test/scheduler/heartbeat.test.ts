import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startHeartbeat } from '../../src/scheduler/heartbeat.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

/** The machine's own clock, as node-cron sees it. The watch goes by one that stands still. */
function machine(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2026, 10, 25, 6) });
  const seconds = async (count: number) => {
    for (let second = 0; second < count; second++) {
      t.mock.timers.tick(1_000);
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    }
  };
  return { seconds, clock: { ...makeVirtualClock(), now: () => Date.now() } };
}

test('node-cron rings every five seconds, but not while the last ring is running', async (t) => {
  const { seconds, clock } = machine(t);
  let rings = 0;
  let done = () => {};
  const heartbeat = startHeartbeat(clock, () => {
    rings += 1;
    return rings === 5 ? new Promise((resolve) => (done = resolve)) : Promise.resolve();
  });
  assert.equal(rings, 1, 'at once');
  await seconds(20);
  assert.equal(rings, 5);
  await seconds(60);
  assert.equal(rings, 5);
  done();
  await seconds(10);
  assert.equal(rings, 7);
  await heartbeat.stop();
  await seconds(20);
  assert.equal(rings, 7);
});

test('missed beats, of a sleeping machine or before its clock was set right, are not replayed one by one', async (t) => {
  const { seconds, clock } = machine(t);
  let rings = 0;
  const heartbeat = startHeartbeat(clock, async () => {
    rings += 1;
  });
  const worked: number[] = [];
  for (const awayMs of [20 * 60_000, 30 * 24 * 3_600_000]) {
    rings = 0;
    const begun = process.cpuUsage();
    await seconds(10);
    assert.equal(rings, 2);
    t.mock.timers.setTime(Date.now() + awayMs);
    await seconds(10);
    const { user, system } = process.cpuUsage(begun);
    worked.push(user + system);
  }
  // Replayed, the second time would be 2,160 times as many beats: a minute and a half of work.
  const [short = 0, long = 0] = worked;
  assert.ok(long < 50 * short, `${short} µs, and ${long} µs`);
  await heartbeat.stop();
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHeartbeat } from '../../src/scheduler/heartbeat.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

test('node-cron rings every five seconds, and not while the last ring goes on', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2026, 10, 25, 6) });
  const seconds = async (count: number) => {
    for (let second = 0; second < count; second++) {
      t.mock.timers.tick(1_000);
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    }
  };
  let rings = 0;
  let done = () => {};
  // The watch goes by this clock, which stands still.
  const heartbeat = startHeartbeat(makeVirtualClock(), () => {
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

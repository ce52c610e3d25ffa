import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayMs } from '../../../src/core/time/clock.ts';
import {
  longThrottleMs,
  storedThrottle,
  type ThrottleWait,
  throttleAt,
  throttleMsOf,
} from '../../../src/core/time/throttle-wait.ts';

const now = Date.UTC(2026, 10, 21);
const wait = (fields: Partial<ThrottleWait> = {}): ThrottleWait => ({
  since: now,
  at: now,
  saidMs: 60_000,
  until: now + 60_000,
  ...fields,
});

test('an account waits as long as it was told, and a day at most', () => {
  assert.deepEqual([0, 60_000, dayMs, dayMs + 1].map(throttleMsOf), [0, 60_000, dayMs, dayMs]);
});

test('a wait goes on for a minute after its end: told again until then, it is the same one', () => {
  const told = wait();
  assert.equal(throttleAt(null, now), null);
  assert.equal(throttleAt(told, told.until + 60_000), told);
  assert.equal(throttleAt(told, told.until + 60_001), null);
});

test('a program that begins keeps a wait for a quarter of an hour from when it was told at most, and from now where the clock was set back', () => {
  const kept = (told: ThrottleWait | null, at: number) => storedThrottle(told, at)?.until ?? null;
  assert.equal(kept(null, now), null);
  assert.equal(kept(wait(), now + 59_999), now + 60_000);
  assert.equal(kept(wait(), now + 60_000), null);
  const long = wait({ saidMs: dayMs, until: now + dayMs });
  assert.equal(kept(long, now + 60_000), now + longThrottleMs);
  assert.equal(kept(long, now + longThrottleMs), null);
  assert.equal(kept(long, now - dayMs), now - dayMs + longThrottleMs);
});

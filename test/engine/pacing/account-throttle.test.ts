import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayMs, steadyClock } from '../../../src/core/time/clock.ts';
import { longThrottleMs, type ThrottleWait } from '../../../src/core/time/throttle-wait.ts';
import { longThrottle, makeAccountThrottle } from '../../../src/engine/pacing/account-throttle.ts';
import type { RateUsage } from '../../../src/limiter/limiter.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';
import { makeVirtualLimiter } from '../../support/virtual-limiter.ts';

const minuteMs = 60_000;

test('an account counts as throttled for long by the length of its wait, also if the clock was set back before the start', async () => {
  const machine = makeVirtualClock();
  const limiter = makeVirtualLimiter({ version: 'v2' }, { clock: machine });
  for (const highestSeenMs of [0, machine.now() + 300 * minuteMs]) {
    const clock = steadyClock(machine, highestSeenMs);
    assert.equal(longThrottle({ limiter, clock }, 'creation'), null);
    limiter.hold('creation', 60 * minuteMs);
    const until = longThrottle({ limiter, clock }, 'creation');
    assert.ok(until !== null && Math.abs(until - clock.now() - 60 * minuteMs) < 1_000, String(until));
    await machine.drive(machine.sleep(60 * minuteMs + 1_000));
  }
  await limiter.stop();
});

test('a class counts as throttled for long from a quarter of an hour on', () => {
  const holdFor = (heldMs: number) => {
    const limiter = { usage: () => ({ heldMs }) as RateUsage };
    return longThrottle({ limiter, clock: { now: () => 1_000 } }, 'balance');
  };
  assert.equal(holdFor(longThrottleMs), 1_000 + longThrottleMs);
  assert.equal(holdFor(longThrottleMs - 1), null);
});

const now = Date.UTC(2026, 10, 21);

/** A throttle at a time that the test sets, and what its limiter was held for. */
function aThrottle() {
  const held: [string, number][] = [];
  let at = now;
  const limiter = {
    hold: (requestClass: string, ms: number) => void held.push([requestClass, ms]),
    usage: () => ({ heldMs: 0 }) as RateUsage,
  };
  const throttle = makeAccountThrottle({ limiter, clock: { now: () => at } });
  const setTime = (ms: number) => {
    at = now + ms;
  };
  return { throttle, held, setTime };
}

test('an account is throttled as long as the service says, but a day at most', () => {
  const waits = [0, minuteMs, dayMs, dayMs + 1].map((saidMs) => {
    const { throttle, held } = aThrottle();
    const { waitMs } = throttle.hold('read', saidMs);
    assert.deepEqual(held, [['read', waitMs]]);
    return waitMs;
  });
  assert.deepEqual(waits, [0, minuteMs, dayMs, dayMs]);
});

test('a wait continues for a minute after its end: a 429 until then prolongs it', () => {
  const { throttle, setTime } = aThrottle();
  assert.equal(throttle.wait(), null);
  const { wait } = throttle.hold('creation', minuteMs);
  setTime(2 * minuteMs);
  assert.equal(throttle.wait(), wait);
  setTime(2 * minuteMs + 1);
  assert.equal(throttle.wait(), null);
  assert.equal(throttle.hold('creation', minuteMs).wait.since, now + 2 * minuteMs + 1);
});

test('an answer ends a wait that is over, and none that is not', () => {
  const { throttle, setTime } = aThrottle();
  throttle.hold('creation', minuteMs);
  throttle.end();
  assert.equal(throttle.wait()?.until, now + minuteMs);
  setTime(minuteMs);
  throttle.end();
  assert.equal(throttle.wait(), null);
});

test('a stored wait lasts a quarter of an hour from its beginning at most, and from now if the clock was set back', () => {
  const aWait = (fields: Partial<ThrottleWait> = {}): ThrottleWait => ({
    since: now,
    at: now,
    saidMs: minuteMs,
    until: now + minuteMs,
    ...fields,
  });
  const kept = (stored: ThrottleWait | null, afterMs: number) => {
    const { throttle, held, setTime } = aThrottle();
    setTime(afterMs);
    const until = throttle.restore(stored)?.until ?? null;
    assert.deepEqual(held, until === null ? [] : [['creation', until - now - afterMs]]);
    return until && until - now;
  };
  assert.equal(kept(null, 0), null);
  assert.equal(kept(aWait(), 59_999), minuteMs);
  assert.equal(kept(aWait(), minuteMs), null);
  const long = aWait({ saidMs: dayMs, until: now + dayMs });
  assert.equal(kept(long, minuteMs), longThrottleMs);
  assert.equal(kept(long, longThrottleMs), null);
  assert.equal(kept(long, -dayMs), longThrottleMs - dayMs);
});

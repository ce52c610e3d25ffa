import assert from 'node:assert/strict';
import { test } from 'node:test';
import { steadyClock } from '../../../src/core/time/clock.ts';
import { longThrottleMs } from '../../../src/core/time/throttle-wait.ts';
import { longThrottle } from '../../../src/engine/pacing/long-throttle.ts';
import type { RateUsage } from '../../../src/limiter/limiter.ts';
import { makeVirtualLimiter } from '../../../src/limiter/virtual-limiter.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const minuteMs = 60_000;

test('an account is held long by what it was told to wait for, also where the clock was set back before the program began', async () => {
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

test('a class is held for long from a quarter of an hour on', () => {
  const holdFor = (heldMs: number) => {
    const limiter = { usage: () => ({ heldMs }) as RateUsage };
    return longThrottle({ limiter, clock: { now: () => 1_000 } }, 'balance');
  };
  assert.equal(holdFor(longThrottleMs), 1_000 + longThrottleMs);
  assert.equal(holdFor(longThrottleMs - 1), null);
});

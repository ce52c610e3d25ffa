import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isoTime, steadyClock, systemClock } from '../../../src/core/time/clock.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

describe('a steady clock', () => {
  test('continues by monotonic time when the wall clock is set back', async () => {
    const base = makeVirtualClock();
    const steady = steadyClock(base, 0);
    const start = steady.now();
    base.setWall(start - 3_600_000);
    await base.drive(base.sleep(5_000));
    assert.equal(steady.now(), start + 5_000);
  });

  test('never goes below the highest time that an earlier process saw', () => {
    const base = makeVirtualClock();
    assert.equal(steadyClock(base, base.now() + 60_000).now(), base.now() + 60_000);
  });

  test('follows the wall clock forward', () => {
    const base = makeVirtualClock();
    const steady = steadyClock(base, 0);
    base.setWall(base.now() + 86_400_000);
    assert.equal(steady.now(), base.now());
  });
});

test('a sleep ends at once when it is aborted, and does not reject', { timeout: 600_000 }, async () => {
  const abort = new AbortController();
  const slept = systemClock.sleep(3_600_000, abort.signal);
  abort.abort();
  await slept;
});

test('times are written as ISO 8601 in UTC, in any order', () => {
  const times = fc.array(fc.integer({ min: -8.64e12, max: 8.64e12 }));
  fc.assert(fc.property(times, (all) => all.every((at) => isoTime(at) === new Date(at).toISOString())));
});

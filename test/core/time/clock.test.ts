import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { countSuspensions, isoTime, steadyClock, systemClock } from '../../../src/core/time/clock.ts';
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

  test('counts the time that the machine was suspended, although the wall clock was set back', () => {
    let [wall, uptime] = [Date.UTC(2026, 10, 20, 9), 0];
    const steady = steadyClock({ ...systemClock, now: () => wall, uptime: () => uptime }, 0);
    const start = steady.now();
    wall -= 20 * 3_600_000;
    assert.equal(steady.now(), start);
    // A key that was made before is too old now.
    wall += 25 * 3_600_000;
    uptime += 25 * 3_600_000;
    assert.equal(steady.now(), start + 25 * 3_600_000);
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

/** A machine whose three times a test moves. */
function machine() {
  const time = { wall: 1_000_000.4, monotonic: 5_000.7, bootTime: 90_000, reads: 0 };
  const pass = (ms: number) => {
    time.wall += ms;
    time.monotonic += ms;
    time.bootTime += ms;
  };
  const suspend = (ms: number) => {
    time.wall += ms;
    time.bootTime += ms;
  };
  const uptime = countSuspensions({
    wall: () => Math.floor(time.wall),
    monotonic: () => time.monotonic,
    bootTime: () => {
      time.reads += 1;
      return Math.floor(time.bootTime / 10) * 10;
    },
  });
  return { time, pass, suspend, uptime };
}

/** Boot time has whole hundredths of a second. */
const near = (actual: number, expected: number) => assert.ok(Math.abs(actual - expected) <= 10, `${actual}`);

describe('the uptime of a machine', () => {
  test('is monotonic time while nothing happens, and does not ask the system', () => {
    const { time, pass, uptime } = machine();
    const start = uptime();
    for (let at = 0; at < 1_000; at += 1) pass(7.3);
    near(uptime() - start, 7_300);
    assert.equal(time.reads, 1);
  });

  test('goes on while the machine is suspended, also where the clock was set back meanwhile', () => {
    for (const setBackMs of [0, 26_599, 35_990, 50_000]) {
      const { time, suspend, pass, uptime } = machine();
      const start = uptime();
      time.wall -= setBackMs;
      suspend(36_000);
      pass(100);
      near(uptime() - start, 36_100);
      suspend(5_000);
      near(uptime() - start, 41_100);
    }
  });

  test('is not moved by setting the clock, and never goes back', () => {
    const { time, uptime } = machine();
    const start = uptime();
    for (const byMs of [3_600_000, -7_200_000, 5]) {
      time.wall += byMs;
      near(uptime() - start, 0);
      assert.ok(uptime() >= start);
    }
  });

  test('advances on this machine', async () => {
    const start = systemClock.uptime();
    await systemClock.sleep(30);
    const passed = systemClock.uptime() - start;
    assert.ok(passed >= 29 && passed < 600_000, `${passed}`);
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

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeGatedLimiter } from '../../src/limiter/gated-limiter.ts';
import type { GateOptions } from '../../src/limiter/lanes.ts';
import { localTimeOf, makeServerClock, sampleTime } from '../../src/limiter/server-clock.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';
import { makeVirtualLimiter } from '../support/virtual-limiter.ts';

const minuteMs = 60_000;

/** A limiter with this limit, before its first answer. The clock stands at the beginning of a minute. */
function limiterOf({ limit = 60, windowMs = minuteMs }: { limit?: number; windowMs?: number } = {}) {
  const clock = makeVirtualClock();
  const limits = { creation: { limit, windowMs } };
  const limiter = makeVirtualLimiter({ version: 'v2', limits }, { clock });
  return { clock, limiter, told: (resetAt: number, remaining = 0) => ({ limit, remaining, resetAt }) };
}

describe('the end of a service window', () => {
  for (const [windowMs, doubtMs, marginMs] of [
    [400, 2, 5],
    [10_000, 42, 50],
    [minuteMs, 250, 250],
    [60 * minuteMs, 250, 250],
  ] as const)
    test(`is assumed ${marginMs} ms, and ${doubtMs} ms of doubt about our clock, after its time, if it lasts ${windowMs} ms`, () => {
      const { clock, limiter, told } = limiterOf({ windowMs });
      const resetAt = clock.now() + windowMs / 2 + 1;
      limiter.observe('creation', told(resetAt));
      const late = limiter.usage('creation').outlook.until - resetAt;
      assert.ok(Math.abs(late - doubtMs - marginMs) < 0.5, `${late} ms`);
    });

  test('is assumed no later if the service reports the time in whole seconds, as it does', async () => {
    const { clock, limiter, told } = limiterOf();
    const resetAt = clock.now() + minuteMs / 2 + 1;
    await clock.drive(clock.sleep(700));
    limiter.observe('creation', { ...told(resetAt), date: clock.now() - 700, tookMs: 0 });
    assert.equal(limiter.usage('creation').outlook.until - resetAt, 500);
  });
});

test('is followed by the same margin as a wait that the service asks for', () => {
  const { limiter } = limiterOf();
  limiter.hold('creation', 30_000);
  assert.equal(limiter.usage('creation').heldMs, 30_250);
});

describe('a window that others use too', () => {
  for (const [limit, margin] of [
    [10, 1],
    [60, 1],
    [300, 3],
    [1_000, 10],
  ] as const) {
    test(`keeps ${margin} of ${limit} free beside their share`, () => {
      const { clock, limiter, told } = limiterOf({ limit });
      limiter.observe('creation', told(clock.now() + minuteMs / 2 + 1, limit - 5));
      assert.equal(limiter.usage('creation').outlook.perWindow, limit - margin);
    });

    for (const remaining of [margin, margin + 1])
      test(`keeps the last ${margin} of ${limit} unused: of ${remaining} that are left, ${remaining - margin}`, async () => {
        const { clock, limiter, told } = limiterOf({ limit });
        const resetAt = clock.now() + minuteMs / 2 + 1;
        limiter.observe('creation', told(resetAt, remaining));
        const startedAt = await clock.drive(limiter.admit('creation', async () => clock.now()));
        assert.equal(startedAt < resetAt, remaining > margin);
      });
  }
});

describe('what is spread over a window is sent', () => {
  for (const [what, windowMs, resetMs, endFreeMs] of [
    ['1 s and the margin before its end', minuteMs, minuteMs, 1_250],
    ['1 s more before its end where that may be rounded down', minuteMs, minuteMs / 2, 2_250],
    ['an eighth and the margin before its end where it is short', 4_000, 4_000, 520],
  ] as const)
    test(what, () => {
      const { clock, limiter, told } = limiterOf({ windowMs });
      limiter.observe('creation', told(clock.now() + resetMs, 60));
      assert.equal(limiter.usage('creation').outlook.endFreeMs, endFreeMs);
    });
});

describe('a gate by itself', () => {
  for (const [version, apart] of [
    ['v1', [900, 450, 450, 900]],
    ['v2', [0, 0, 0, 0]],
  ] as const)
    test(`lets jobs of ${version} through ${apart[0] > 0 ? 'at nine tenths of the even pace' : 'at once'}`, () => {
      const made: GateOptions[] = [];
      makeGatedLimiter({ version }, { clock: makeVirtualClock() }, (options) => {
        made.push(options);
        return { enqueue() {}, open() {}, shut() {}, stop() {} };
      });
      assert.deepEqual(
        made.map(({ minTimeMs }) => minTimeMs),
        apart,
      );
    });
});

test('what an answer proves of the service’s time counts for five to ten minutes', () => {
  const clock = makeServerClock();
  const sample = (atMs: number, aheadMs: number) =>
    sampleTime(clock, {
      receivedAt: atMs,
      sentAt: null,
      date: atMs + aheadMs,
      windowFrom: -Infinity,
      windowTo: Infinity,
    });
  sample(0, 5_000);
  const aheadMs = () => -localTimeOf(clock, 0, 0, minuteMs);
  const seen = [5.1, 10.3].map((minutes) => {
    sample(minutes * minuteMs, 1_000);
    return aheadMs();
  });
  assert.deepEqual(seen, [5_000, 1_000]);
});

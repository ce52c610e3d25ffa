import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { msUntilSent } from '../../src/core/time/rate-outlook.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';
import { makeVirtualLimiter } from '../support/virtual-limiter.ts';

const limit = 60;
const windowMs = 60_000;
const tookMs = 40;

/**
 * Sends `count` requests as the engine feeds them, beside `others` in each window, begun when so much of a window is
 * past. Returns what was foreseen every two seconds of the next so many, and what came of it (ms).
 */
async function foreseen({ count, phase, others = 0 }: { count: number; phase: number; others?: number }) {
  const clock = makeVirtualClock(Math.ceil(Date.UTC(2026, 10, 20, 9) / windowMs) * windowMs);
  const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
  const zero = clock.now();
  const used = new Map<number, number>();
  let refused = 0;
  const countAtServer = () => {
    const window = Math.floor((clock.now() - zero) / windowMs);
    used.set(window, (used.get(window) ?? 0) + 1);
    if ((used.get(window) ?? 0) > limit) refused += 1;
    return { limit, remaining: limit - (used.get(window) ?? 0), resetAt: zero + (window + 1) * windowMs };
  };
  const starts: number[] = [];
  let asked = 0;
  const sender = async () => {
    while (asked < count) {
      asked += 1;
      limiter.expect('creation', count - starts.length);
      await limiter.admit('creation', async () => {
        starts.push(clock.now());
        await clock.sleep(tookMs / 2);
        const headers = countAtServer();
        await clock.sleep(tookMs / 2);
        limiter.observe('creation', { ...headers, tookMs });
      });
    }
  };
  const seen: { at: number; next: number; from: number; ms: number }[] = [];
  const watch = async () => {
    for (await clock.sleep(1_000); starts.length < count; await clock.sleep(2_000)) {
      const { outlook } = limiter.usage('creation');
      const now = clock.now();
      for (const next of [1, 5, 10, 30, 55, 60, 61, 90, 115, 200, count - starts.length]) {
        if (next > count - starts.length) continue;
        seen.push({ at: now, next, from: starts.length, ms: msUntilSent(outlook, next, now) });
      }
    }
  };
  const another = async () => {
    if (others > 0) for (; starts.length < count; await clock.sleep(windowMs / others)) countAtServer();
  };
  await clock.drive(
    (async () => {
      await clock.sleep(phase * windowMs);
      await Promise.all([...Array.from({ length: 24 }, sender), watch(), another()]);
    })(),
  );
  assert.equal(refused, 0);
  const begin = starts[0] ?? 0;
  return seen.map(({ at, next, from, ms }) => ({
    at: at - begin,
    next,
    ms: Math.round(ms),
    truth: Math.max(0, (starts[from + next - 1] ?? Infinity) - at),
  }));
}

describe('the forecast of the time left', () => {
  for (const count of [30, 60, 100, 115, 300])
    for (const phase of [0, 0.3, 0.9])
      test(`is correct within a few percent for the next of ${count} requests, begun at ${phase} of a window`, async () => {
        const wrong = (await foreseen({ count, phase })).filter(
          ({ ms, truth }) => Math.abs(ms - truth) > Math.max(1_000, truth * 0.04),
        );
        assert.deepEqual(wrong, []);
      });

  test('is correct within a tenth beside another client, once a window has shown its use', async () => {
    const seen = await foreseen({ count: 200, phase: 0.3, others: 20 });
    const wrong = seen.filter(
      ({ at, ms, truth }) => at > 2 * windowMs && Math.abs(ms - truth) > Math.max(2_000, truth * 0.1),
    );
    assert.deepEqual(wrong, []);
  });

  test('assumes an unused window after a long wait that no window explains', () => {
    const clock = makeVirtualClock();
    const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
    limiter.observe('creation', { limit, remaining: 50, resetAt: clock.now() + 30_000, tookMs });
    limiter.hold('creation', 600_000);
    limiter.expect('creation', 50);
    const { outlook } = limiter.usage('creation');
    const seconds = [1, 6, 7, 50].map((count) => Math.round(msUntilSent(outlook, count, clock.now()) / 1_000));
    // At first a few of them, and the others when it is seen that nobody else is there.
    assert.deepEqual(seconds, [600, 600, 603, 603]);
  });
});

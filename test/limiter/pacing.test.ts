import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LimiterStopped } from '../../src/limiter/limiter.ts';
import { makeVirtualLimiter } from '../../src/limiter/virtual-limiter.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

/** A server that counts fixed windows, as the service does, and says what is left. */
function makeServer(
  clock: ReturnType<typeof makeVirtualClock>,
  options: { limit: number; windowMs: number; headers: boolean },
) {
  const arrivals: number[] = [];
  let windowStart = clock.now();
  let used = 0;
  let refused = 0;
  const count = () => {
    while (clock.now() >= windowStart + options.windowMs) {
      windowStart += options.windowMs;
      used = 0;
    }
    used += 1;
    if (used > options.limit) refused += 1;
    arrivals.push(clock.now());
  };
  return {
    arrivals,
    count,
    refused: () => refused,
    headers: () => ({
      limit: options.limit,
      remaining: Math.max(0, options.limit - used),
      resetAt: Math.ceil((windowStart + options.windowMs) / 1_000) * 1_000,
    }),
  };
}

describe('pacing by the server’s window', () => {
  for (const windowMs of [1_000, 60_000]) {
    test(`uses every slot of windows of ${windowMs} ms, with not one request too many`, async () => {
      const clock = makeVirtualClock();
      const server = makeServer(clock, { limit: 60, windowMs, headers: true });
      const limiter = makeVirtualLimiter(
        { version: 'v2', limits: { creation: { limit: 60, windowMs }, write: { limit: 1_000, windowMs } } },
        { clock },
      );
      const start = clock.now();
      const jobs = Array.from({ length: 600 }, () =>
        limiter.admit('creation', async () => {
          await clock.sleep(5);
          server.count();
          const headers = server.headers();
          await clock.sleep(5);
          limiter.observe('creation', headers);
        }),
      );
      await clock.drive(Promise.all(jobs));
      assert.equal(server.refused(), 0);
      const least = 9 * windowMs;
      const taken = clock.now() - start;
      assert.ok(taken <= least * 1.08 + 100, `${taken} of ${least}`);
    });
  }

  for (const phase of [0.2, 0.5, 0.8, 0.95, 0.98, 0.99]) {
    test(`leaves another client its third of the limit, begun when ${phase * 100}% of a window are past`, async () => {
      const clock = makeVirtualClock();
      const windowMs = 60_000;
      const server = makeServer(clock, { limit: 60, windowMs, headers: true });
      const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
      let ended = false;
      let begun = 0;
      const another = async () => {
        await clock.sleep(windowMs / 40);
        for (; !ended; await clock.sleep(windowMs / 20)) server.count();
      };
      const ours = async () => {
        await clock.sleep(phase * windowMs);
        begun = clock.now();
        const jobs = Array.from({ length: 300 }, () =>
          limiter.admit('creation', async () => {
            await clock.sleep(20);
            server.count();
            const headers = server.headers();
            await clock.sleep(20);
            limiter.observe('creation', headers);
          }),
        );
        await Promise.all(jobs);
        ended = true;
      };
      await clock.drive(Promise.all([another(), ours()]));
      assert.equal(server.refused(), 0);
      const windows = (clock.now() - begun) / windowMs;
      assert.ok(windows <= (300 / 40) * 1.15, `it took ${windows} windows`);
    });
  }

  test('sends a file that fits a fresh window at once', async () => {
    const clock = makeVirtualClock();
    const server = makeServer(clock, { limit: 60, windowMs: 60_000, headers: true });
    const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
    const start = clock.now();
    const jobs = Array.from({ length: 50 }, () =>
      limiter.admit('creation', async () => {
        await clock.sleep(50);
        server.count();
        limiter.observe('creation', server.headers());
      }),
    );
    await clock.drive(Promise.all(jobs));
    assert.ok(clock.now() - start < 3_000, `${clock.now() - start}`);
    assert.equal(server.refused(), 0);
  });

  test('follows a limit that differs from the configured one, and says so once for each change', async () => {
    const clock = makeVirtualClock();
    const seen: number[] = [];
    const limiter = makeVirtualLimiter(
      { version: 'v2' },
      { clock, onLimitDiffers: (_name, _configured, limit) => seen.push(limit) },
    );
    limiter.observe('creation', { limit: 300, remaining: 300, resetAt: clock.now() + 60_000 });
    limiter.observe('creation', { limit: 300, remaining: 299, resetAt: clock.now() + 60_000 });
    assert.deepEqual(seen, [300]);
    assert.equal(limiter.usage('creation').limit, 300);
  });
});

describe('pacing without headers', () => {
  test('never starts more than the limit in any sliding window, and paces evenly', async () => {
    const clock = makeVirtualClock();
    const limiter = makeVirtualLimiter({ version: 'v1' }, { clock });
    const starts: number[] = [];
    await clock.drive(
      Promise.all(
        Array.from({ length: 150 }, () => limiter.admit('creation', async () => void starts.push(clock.now()))),
      ),
    );
    for (const [index, at] of starts.entries()) {
      const within = starts.filter((other) => other > at - 60_000 && other <= at).length;
      assert.ok(within <= 60, `${within} starts in the window that ends at start ${index}`);
    }
    assert.ok((starts.at(-1) ?? 0) - (starts[0] ?? 0) <= 149 * 1_000 * 1.03);
  });
});

describe('a limiter', () => {
  test('admits nothing of the account while it is told to wait', async () => {
    const clock = makeVirtualClock();
    const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
    const start = clock.now();
    limiter.hold('creation', 30_000);
    const read = limiter.admit('read', async () => clock.now());
    assert.ok((await clock.drive(read)) - start >= 30_000);
  });

  test('starts jobs in the order in which they came', async () => {
    const clock = makeVirtualClock();
    const limiter = makeVirtualLimiter({ version: 'v1' }, { clock });
    const order: number[] = [];
    await clock.drive(
      Promise.all([1, 2, 3, 4].map((name) => limiter.admit('creation', async () => void order.push(name)))),
    );
    assert.deepEqual(order, [1, 2, 3, 4]);
  });

  test('rejects what waits when it is stopped, and what comes after', async () => {
    const clock = makeVirtualClock();
    const limiter = makeVirtualLimiter({ version: 'v1' }, { clock });
    await limiter.admit('creation', async () => undefined);
    const waiting = limiter.admit('creation', async () => undefined);
    await limiter.stop();
    await assert.rejects(clock.drive(waiting), LimiterStopped);
    await assert.rejects(
      limiter.admit('read', async () => undefined),
      LimiterStopped,
    );
  });

  test('gives unused admissions back', async () => {
    const clock = makeVirtualClock();
    const limiter = makeVirtualLimiter({ version: 'v2', limits: { creation: { limit: 10 } } }, { clock });
    limiter.observe('creation', { limit: 10, remaining: 10, resetAt: clock.now() + 60_000 });
    await limiter.admit('creation', async () => limiter.giveBack('creation', 9), 10);
    const start = clock.now();
    await clock.drive(limiter.admit('creation', async () => undefined, 9));
    assert.ok(clock.now() - start < 1_000);
  });
});

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
    return used <= options.limit;
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

const windowMs = 60_000;

/**
 * Sends `rows` while another client uses a third of the limit, evenly. Both begin in the same window, of whose length so much is
 * past then.
 */
async function payBesideAnother({
  phase,
  otherFrom,
  rows,
  tookMs = 40,
}: {
  phase: number;
  otherFrom: number;
  rows: number;
  tookMs?: number;
}) {
  const clock = makeVirtualClock();
  const server = makeServer(clock, { limit: 60, windowMs, headers: true });
  const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
  let ended = false;
  let begun = 0;
  let refused = 0;
  let refusedToOther = 0;
  const another = async () => {
    await clock.sleep(otherFrom * windowMs);
    for (; !ended; await clock.sleep(windowMs / 20)) if (!server.count()) refusedToOther += 1;
  };
  const ours = async () => {
    await clock.sleep(phase * windowMs);
    begun = clock.now();
    const jobs = Array.from({ length: rows }, () =>
      limiter.admit('creation', async () => {
        await clock.sleep(tookMs / 2);
        if (!server.count()) refused += 1;
        const headers = server.headers();
        await clock.sleep(tookMs / 2);
        limiter.observe('creation', { ...headers, tookMs });
      }),
    );
    await Promise.all(jobs);
    ended = true;
  };
  await clock.drive(Promise.all([another(), ours()]));
  return { refused, refusedToOther, windows: (clock.now() - begun) / windowMs };
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
      assert.ok(taken <= least * 1.03, `${taken} of ${least}`);
    });
  }

  for (const phase of [0.2, 0.5, 0.8, 0.95, 0.98, 0.99]) {
    test(`leaves another client its third of the limit, begun when ${phase * 100}% of a window are past`, async () => {
      const { refused, refusedToOther, windows } = await payBesideAnother({ phase, otherFrom: 1 / 40, rows: 300 });
      assert.equal(refused + refusedToOther, 0);
      assert.ok(windows <= (300 / 40) * 1.15, `it took ${windows} windows`);
    });
  }

  test('lets another client in that begins during a long run', async () => {
    for (const otherFrom of [2.003, 2.03, 2.5, 2.9]) {
      const { refused, refusedToOther } = await payBesideAnother({ phase: 0.3, otherFrom, rows: 300 });
      assert.equal(refused, 0, `the other client began at ${otherFrom}`);
      assert.ok(refusedToOther <= 20, `${refusedToOther} of the other client’s that began at ${otherFrom}`);
    }
  });

  test('is never refused anything beside another client, whenever either of them begins', async () => {
    const phases = [...Array(28).keys()].map((step) => (step < 20 ? step / 200 : step / 10 - 1.9));
    for (const phase of phases) {
      for (const otherFrom of [0, 0.01, 0.02, 0.03, 0.04, 0.049]) {
        for (const tookMs of [40, 1_000]) {
          const { refused } = await payBesideAnother({ phase, otherFrom, rows: 100, tookMs });
          assert.equal(refused, 0, `begun at ${phase} of a window, the other client at ${otherFrom}, ${tookMs} ms`);
        }
      }
    }
  });

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

  for (const [name, limit] of [
    ['a lower', 30],
    ['a higher', 3_000],
  ] as const)
    test(`keeps to ${name} limit than the configured one, and uses it`, async () => {
      const clock = makeVirtualClock();
      const server = makeServer(clock, { limit, windowMs, headers: true });
      const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
      const jobs = Array.from({ length: limit * 3 }, () =>
        limiter.admit('creation', async () => {
          await clock.sleep(1_000);
          server.count();
          limiter.observe('creation', { ...server.headers(), tookMs: 1_000 });
        }),
      );
      const start = clock.now();
      await clock.drive(Promise.all(jobs));
      assert.equal(server.refused(), 0);
      // Two windows, and what the requests of the third take one after another.
      const taken = clock.now() - start;
      assert.ok(taken <= 2 * windowMs + (1.2 * windowMs * limit) / 3_000 + 10_000, `${taken} ms`);
    });
});

describe('classes of requests', () => {
  const classes = ['creation', 'write', 'read', 'balance', 'catalog', 'auth'] as const;
  const shared = ['read', 'balance'];

  test('have each a limiter of their own; a balance is read like anything else', async () => {
    for (const used of classes) {
      for (const asked of classes) {
        const clock = makeVirtualClock();
        const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
        const start = clock.now();
        await clock.drive(limiter.admit(used, async () => undefined));
        await clock.drive(limiter.admit(asked, async () => undefined));
        const isSame = used === asked || (shared.includes(used) && shared.includes(asked));
        assert.equal(clock.now() > start, isSame, `${asked} after ${used}`);
      }
    }
  });

  for (const [one, other, limits] of [
    ['creation', 'write', { write: { limit: 10 } }],
    ['catalog', 'read', { read: { limit: 10 } }],
  ] as const)
    test(`count a ${one} as a ${other} too`, async () => {
      const clock = makeVirtualClock();
      const limiter = makeVirtualLimiter({ version: 'v2', limits }, { clock });
      const starts: number[] = [];
      const note = async () => void starts.push(clock.now());
      await clock.drive(Promise.all(Array.from({ length: 10 }, () => limiter.admit(one, note))));
      await clock.drive(Promise.all([limiter.admit(one, note), limiter.admit(other, note)]));
      assert.ok((starts[10] ?? 0) - (starts[0] ?? 0) >= windowMs, 'the eleventh waits for the window of the first');
      assert.equal(limiter.usage(other).used, 10);
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
    limiter.observe('creation', { limit: 10, remaining: 10, resetAt: clock.now() + 30_000 });
    await limiter.admit('creation', async () => limiter.giveBack('creation', 9), 10);
    const start = clock.now();
    await clock.drive(limiter.admit('creation', async () => undefined, 9));
    assert.ok(clock.now() - start < 1_000);
  });
});

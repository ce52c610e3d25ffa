import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RequestClass } from '../../src/gateway/gateway.ts';
import type { LimiterOptions } from '../../src/limiter/account-rates.ts';
import { makeGatedLimiter } from '../../src/limiter/gated-limiter.ts';
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

/** A limiter, and when what it admits starts (ms from now on). `resetAt` is half a window away. */
function starting(options: LimiterOptions) {
  const clock = makeVirtualClock();
  const limiter = makeVirtualLimiter(options, { clock });
  const starts: number[] = [];
  const admit = (name: RequestClass, job: () => Promise<void> = async () => undefined) =>
    limiter.admit(name, () => {
      starts.push(Math.round(clock.monotonic()));
      return job();
    });
  return { clock, limiter, starts, admit, resetAt: clock.now() + windowMs / 2 };
}
type Starting = ReturnType<typeof starting>;

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

  test('believes no header that allows nothing, and none of a service that sends none', () => {
    const limitAfter = (version: 'v1' | 'v2', limit: number) => {
      const { limiter, resetAt } = starting({ version });
      limiter.observe('creation', { limit, remaining: 0, resetAt });
      return limiter.usage('creation').limit;
    };
    for (const limit of [0, -1, Number.NaN]) assert.equal(limitAfter('v2', limit), 60);
    assert.equal(limitAfter('v2', 1), 1);
    assert.equal(limitAfter('v1', 30), 60);
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
    // Else one limiter after another, as programs that are started anew, would exceed the limit.
    for (const [index, at] of starts.slice(1).entries()) assert.ok(at - (starts[index] ?? 0) >= 1_000);
  });
});

describe('a request that is long under way', () => {
  test('counts until a window’s length after its end, where nothing tells when the service has counted it', async () => {
    const { starts, admit, clock } = starting({ version: 'v1', limits: { creation: { limit: 5 } } });
    await clock.drive(Promise.all(Array.from({ length: 6 }, () => admit('creation', () => clock.sleep(100_000)))));
    assert.ok((starts[4] ?? 0) < windowMs, `the fifth after ${starts[4]} ms`);
    assert.ok((starts[5] ?? 0) >= 100_000 + windowMs, `the sixth after ${starts[5]} ms`);
  });

  test('counts as what it counts as too, as long', async () => {
    const { starts, admit, clock } = starting({ version: 'v2', limits: { write: { limit: 5 } } });
    const creations = Array.from({ length: 5 }, () => admit('creation', () => clock.sleep(100_000)));
    await clock.drive(Promise.all([...creations, admit('creation')]));
    assert.ok((starts[4] ?? 0) < 10_000, `the fifth after ${starts[4]} ms`);
    assert.ok((starts[5] ?? 0) >= 100_000 + windowMs, `the sixth after ${starts[5]} ms`);
  });
});

describe('what is left of the service’s window', () => {
  const isFull = ({ limiter, resetAt }: Starting, name: RequestClass, limit: number) =>
    limiter.observe(name, { limit, remaining: limit, resetAt });

  test('is less by each request whose answer was lost', async () => {
    const given = starting({ version: 'v2' });
    isFull(given, 'creation', 4);
    await given.clock.drive(Promise.all(Array.from({ length: 5 }, () => given.admit('creation'))));
    assert.deepEqual(given.starts.slice(0, 4), [0, 0, 0, 0]);
    const fifth = given.starts[4] ?? 0;
    // The next window owes nothing for them.
    assert.ok(fifth >= windowMs / 2 && fifth < windowMs, `the fifth after ${fifth} ms`);
  });

  test('is less in the next one by what was under way at the end of this one, and was never answered', async () => {
    const given = starting({ version: 'v2' });
    isFull(given, 'creation', 4);
    const across = () => given.clock.sleep(windowMs / 2 + 5_000);
    await given.clock.drive(Promise.all(Array.from({ length: 5 }, () => given.admit('creation', across))));
    assert.deepEqual(given.starts.slice(0, 4), [0, 0, 0, 0]);
    assert.ok((given.starts[4] ?? 0) >= windowMs * 1.5, `the fifth after ${given.starts[4]} ms`);
  });

  test('is the least that any answer said, in whatever order they come', async () => {
    const given = starting({ version: 'v2' });
    isFull(given, 'creation', 4);
    for (const remaining of [1, 2, 3])
      given.admit('creation', async () => {
        await given.clock.sleep(remaining * 10);
        given.limiter.observe('creation', { limit: 4, remaining, resetAt: given.resetAt });
      });
    await given.clock.drive(given.clock.sleep(100));
    await given.clock.drive(Promise.all([given.admit('creation'), given.admit('creation')]));
    assert.equal(given.starts[3], 100);
    assert.ok((given.starts[4] ?? 0) >= windowMs / 2, `the fifth after ${given.starts[4]} ms`);
  });

  test('is kept to by requests of another class that count there too, beside what is under way', async () => {
    const given = starting({ version: 'v2', limits: { write: { limit: 6 } } });
    const { clock, limiter, starts, admit, resetAt } = given;
    isFull(given, 'creation', 60);
    isFull(given, 'write', 6);
    // Of the six, two are ours, one of which was answered, and one somebody else's.
    const write = admit('write', () => clock.sleep(100_000));
    await admit('write', async () => limiter.observe('write', { limit: 6, remaining: 3, resetAt }));
    const two = limiter.admit('creation', async () => limiter.giveBack('creation', 1), 2);
    await clock.drive(Promise.all([write, two, admit('creation'), admit('creation')]));
    assert.deepEqual(starts.slice(0, 3), [0, 0, 0]);
    assert.ok((starts[3] ?? 0) >= windowMs / 2, `the last after ${starts[3]} ms`);
  });

  test('is in doubt after a refusal that it did not announce, until a later request was answered', async () => {
    const given = starting({ version: 'v2' });
    const { clock, limiter, starts } = given;
    isFull(given, 'creation', 10);
    const answered = async (remaining: number, tookMs: number) => {
      await clock.sleep(tookMs);
      limiter.observe('creation', { limit: 10, remaining, resetAt: given.resetAt, tookMs });
    };
    const old = given.admit('creation', () => answered(9, 5_000));
    await clock.drive(clock.sleep(1_000));
    limiter.hold('creation', 100);
    const asking = given.admit('creation', () => answered(8, 50));
    const others = [given.admit('creation'), given.admit('creation')];
    await clock.drive(Promise.all([old, asking, ...others]));
    assert.ok((starts[1] ?? 0) >= windowMs / 10, `the second after ${starts[1]} ms`);
    assert.deepEqual(starts.slice(2), [(starts[1] ?? 0) + 50, (starts[1] ?? 0) + 50]);
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

describe('what a gate starts late', () => {
  /** One job, admitted at once, which its gate starts only when it is told to. */
  function late() {
    const clock = makeVirtualClock();
    const gate = { start: async () => {}, shut: 0 };
    const limiter = makeGatedLimiter({ version: 'v2' }, { clock }, () => ({
      enqueue: (_weight, start) => {
        gate.start = start;
      },
      open: () => {},
      shut: () => {
        gate.shut += 1;
      },
      stop: () => {},
    }));
    let ranAt: number | null = null;
    const job = limiter.admit('creation', async () => {
      ranAt = clock.monotonic();
    });
    return { clock, gate, limiter, job, ranAt: () => ranAt };
  }

  test('does not run after the limiter was stopped: who waited was told that it never did', async () => {
    const { gate, limiter, job, ranAt } = late();
    const refused = assert.rejects(job, LimiterStopped);
    await limiter.stop();
    await gate.start();
    await refused;
    assert.equal(ranAt(), null);
  });

  test('runs only when the wait is over that the account was told meanwhile', async () => {
    const { clock, gate, limiter, job, ranAt } = late();
    limiter.hold('creation', 1_000);
    assert.equal(gate.shut, 1);
    await clock.drive(Promise.all([gate.start(), job]));
    assert.ok((ranAt() ?? 0) >= 1_000, `after ${ranAt()} ms`);
  });

  test('ends without having run where the limiter is stopped during that wait', async () => {
    const { clock, gate, limiter, job, ranAt } = late();
    const refused = assert.rejects(job, LimiterStopped);
    limiter.hold('creation', 1_000);
    const started = gate.start();
    await limiter.stop();
    await clock.drive(Promise.all([started, refused]));
    assert.equal(ranAt(), null);
  });
});

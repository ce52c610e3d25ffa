import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { msUntilSent } from '../../src/core/time/rate-outlook.ts';
import type { RequestClass } from '../../src/gateway/contract/gateway.ts';
import { makeGatedLimiter } from '../../src/limiter/gated-limiter.ts';
import { type LimitedJob, type LimiterOptions, LimiterStopped } from '../../src/limiter/limiter.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';
import { makeVirtualLimiter } from '../support/virtual-limiter.ts';

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
/** How many rows the engine sends at a time: with V1, usually, and in a program with many accounts. */
const rowsTogether = [1, 4, 12];

/** A request that the server counts in the middle of the time that it takes. */
async function askOnce({
  clock,
  server,
  limiter,
  tookMs = 40,
}: {
  clock: ReturnType<typeof makeVirtualClock>;
  server: ReturnType<typeof makeServer>;
  limiter: ReturnType<typeof makeVirtualLimiter>;
  tookMs?: number;
}): Promise<void> {
  await clock.sleep(tookMs / 2);
  server.count();
  const headers = server.headers();
  await clock.sleep(tookMs / 2);
  limiter.observe('creation', { ...headers, tookMs });
}

/**
 * Sends `rows` while another client uses a third of the limit, evenly. Both begin in the same window, of whose length
 * so much is past then.
 */
async function payBesideAnother({
  phase,
  otherFrom,
  rows,
  tookMs = 40,
  together = 1,
  wrongMs = () => ({}),
}: {
  phase: number;
  otherFrom: number;
  rows: number;
  tookMs?: number;
  /** How many rows go at a time. */
  together?: number;
  /** By how much the service's word of when its window ends is wrong, and of its time, by the number of the answer. */
  wrongMs?: (answer: number) => { reset?: number; date?: number };
}) {
  const clock = makeVirtualClock();
  const server = makeServer(clock, { limit: 60, windowMs, headers: true });
  const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
  let ended = false;
  let begun = 0;
  let refused = 0;
  let refusedToOther = 0;
  let answers = 0;
  const another = async () => {
    await clock.sleep(otherFrom * windowMs);
    for (; !ended; await clock.sleep(windowMs / 20)) if (!server.count()) refusedToOther += 1;
  };
  const askOurs = async () => {
    await clock.sleep(tookMs / 2);
    if (!server.count()) refused += 1;
    const headers = server.headers();
    await clock.sleep(tookMs / 2);
    answers += 1;
    const { reset = 0, date = 0 } = wrongMs(answers);
    const theirTime = Math.floor((clock.now() + date) / 1_000) * 1_000;
    limiter.observe('creation', { ...headers, resetAt: headers.resetAt + reset, date: theirTime, tookMs });
  };
  const ours = async () => {
    await clock.sleep(phase * windowMs);
    begun = clock.now();
    let left = rows;
    // A job may get fewer admissions than it wants: then it sends the rest with another one.
    const send = async () => {
      while (left > 0) {
        const wanted = Math.min(left, together);
        left -= wanted;
        await limiter.admit(
          'creation',
          async (count) => {
            left += wanted - count;
            await Promise.all(Array.from({ length: count }, askOurs));
          },
          wanted,
        );
      }
    };
    await Promise.all(Array.from({ length: Math.ceil(rows / together) }, send));
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
  test('admits four rows at a time, so that an urgent row waits for little more than four seconds', async () => {
    const clock = makeVirtualClock();
    const server = makeServer(clock, { limit: 60, windowMs, headers: true });
    const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
    limiter.expect('creation', 240);
    const begun: number[] = [];
    const job: LimitedJob<void> = async (count) => {
      begun.push(clock.now());
      await Promise.all(Array.from({ length: count }, () => askOnce({ clock, server, limiter })));
    };
    await clock.drive(Promise.all(Array.from({ length: 60 }, () => limiter.admit('creation', job, 4))));
    const apart = begun.slice(1).map((at, index) => at - (begun[index] as number));
    assert.ok(Math.max(...apart) <= 4_500, `${Math.max(...apart)} ms`);
  });

  test('uses up a window although the last rows are fewer than go at a time', async () => {
    const clock = makeVirtualClock();
    const server = makeServer(clock, { limit: 60, windowMs, headers: true });
    const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
    const begun = clock.now();
    let left = 180;
    limiter.expect('creation', left);
    const send = async () => {
      while (left > 0) {
        const wanted = Math.min(left, 12);
        left -= wanted;
        const job: LimitedJob<void> = async (count) => {
          left += wanted - count;
          await Promise.all(Array.from({ length: count }, () => askOnce({ clock, server, limiter })));
        };
        await limiter.admit('creation', job, wanted);
      }
    };
    await clock.drive(Promise.all([send(), send()]));
    const inWindow = (window: number) =>
      server.arrivals.filter((at) => Math.floor((at - begun) / windowMs) === window).length;
    assert.deepEqual([0, 1, 2].map(inWindow), [60, 60, 60]);
    assert.equal(server.refused(), 0);
  });

  test('sets the alarm of waiting jobs a few times a window, not at every answer', async () => {
    const clock = makeVirtualClock();
    const server = makeServer(clock, { limit: 60, windowMs, headers: true });
    let alarms = 0;
    const counted = {
      ...clock,
      sleep: (ms: number, signal?: AbortSignal) => {
        alarms += 1;
        return clock.sleep(ms, signal);
      },
    };
    const limiter = makeVirtualLimiter({ version: 'v2' }, { clock: counted });
    const jobs = Array.from({ length: 240 }, () =>
      limiter.admit('creation', () => askOnce({ clock, server, limiter })),
    );
    await clock.drive(Promise.all(jobs));
    assert.equal(server.refused(), 0);
    assert.ok(alarms <= 40, `${alarms} alarms`);
  });

  for (const windowMs of [1_000, 60_000]) {
    test(`uses every slot of windows of ${windowMs} ms, with not one request too many`, async () => {
      const clock = makeVirtualClock();
      const server = makeServer(clock, { limit: 60, windowMs, headers: true });
      const limiter = makeVirtualLimiter({ version: 'v2', limits: { creation: { limit: 60, windowMs } } }, { clock });
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

  for (const together of rowsTogether) {
    test(`uses the whole of each window however slow the answers are, ${together} rows at a time`, async () => {
      for (const tookMs of [4_000, 9_000]) {
        const clock = makeVirtualClock();
        const begun = clock.now();
        const server = makeServer(clock, { limit: 60, windowMs, headers: true });
        const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
        let left = 240;
        const send = async () => {
          while (left > 0) {
            const wanted = Math.min(left, together);
            left -= wanted;
            const ask = async (count: number) => {
              left += wanted - count;
              await Promise.all(Array.from({ length: count }, () => askOnce({ clock, server, limiter, tookMs })));
            };
            await limiter.admit('creation', ask, wanted);
          }
        };
        await clock.drive(Promise.all(Array.from({ length: 240 / together }, send)));
        assert.equal(server.refused(), 0);
        const windows = Array.from({ length: 4 }, (_, number) => begun + number * windowMs);
        const arrived = windows.map(
          (from) => server.arrivals.filter((at) => at >= from && at < from + windowMs).length,
        );
        assert.deepEqual(arrived, [60, 60, 60, 60], `answers take ${tookMs} ms`);
      }
    });
  }

  for (const phase of [0.2, 0.5, 0.8, 0.95, 0.98, 0.99]) {
    for (const together of rowsTogether)
      test(`leaves another client its third, begun when ${phase * 100}% of a window are over, ${together} rows at a time`, async () => {
        const otherFrom = 1 / 40;
        const { refused, refusedToOther, windows } = await payBesideAnother({ phase, otherFrom, rows: 300, together });
        assert.equal(refused + refusedToOther, 0);
        assert.ok(windows <= (300 / 40) * 1.15, `it took ${windows} windows`);
      });
  }

  for (const together of rowsTogether) {
    test(`makes room for another client that begins during a long run, ${together} rows at a time`, async () => {
      for (const otherFrom of [2.003, 2.03, 2.5, 2.9]) {
        const { refused, refusedToOther } = await payBesideAnother({ phase: 0.3, otherFrom, rows: 300, together });
        assert.equal(refused, 0, `the other client began at ${otherFrom}`);
        assert.ok(refusedToOther <= 22, `${refusedToOther} of the other client’s that began at ${otherFrom}`);
      }
    });

    test(`is never refused anything beside another client, whenever either begins, ${together} rows at a time`, async () => {
      const phases = [...Array(28).keys()].map((step) => (step < 20 ? step / 200 : step / 10 - 1.9));
      for (const phase of phases) {
        for (const otherFrom of [0, 0.01, 0.02, 0.03, 0.04, 0.049]) {
          for (const tookMs of [40, 1_000, 5_000]) {
            const { refused } = await payBesideAnother({ phase, otherFrom, rows: 100, tookMs, together });
            assert.equal(refused, 0, `begun at ${phase} of a window, the other client at ${otherFrom}, ${tookMs} ms`);
          }
        }
      }
    });
  }

  test('reserves part of each window that has just opened, and more of the first', async () => {
    const clock = makeVirtualClock();
    const server = makeServer(clock, { limit: 60, windowMs, headers: true });
    const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
    const starts: number[] = [];
    const jobs = Array.from({ length: 120 }, () =>
      limiter.admit('creation', async () => {
        starts.push(clock.monotonic());
        await askOnce({ clock, server, limiter });
      }),
    );
    await clock.drive(Promise.all(jobs));
    assert.equal(server.refused(), 0);
    const begunWithin = (share: number, from: number) =>
      starts.filter((at) => at >= from && at < from + share * windowMs).length;
    // Until a twenty-fourth, a sixteenth and an eighth of the window, and a little later.
    const shares = [1 / 24, 1 / 16, 1 / 8, 1 / 7];
    assert.deepEqual(
      [0, windowMs].map((from) => shares.map((share) => begunWithin(share, from))),
      [
        [6, 50, 57, 60],
        [50, 50, 60, 60],
      ],
    );
  });

  test('does not conclude that it is alone while one of its own requests is unanswered', async () => {
    const { clock, limiter, starts, admit } = starting({ version: 'v2' });
    const resetAt = clock.now() + windowMs;
    let used = 0;
    const answer = () => limiter.observe('creation', { limit: 60, remaining: 60 - used, resetAt, tookMs: 40 });
    answer();
    used += 1;
    const long = admit('creation', () => clock.sleep(10_000));
    const answered = Array.from({ length: 50 }, () =>
      admit('creation', async () => {
        await clock.sleep(40);
        used += 1;
        answer();
      }),
    );
    await clock.drive(Promise.all([long, ...answered]));
    // What goes at once of a first window, and then one by one.
    assert.equal(starts.filter((at) => at < 9_000).length, 6 + 2);
  });

  test('watches for other clients while it does not know who used the window that it found', async () => {
    const { clock, limiter, admit, resetAt } = starting({ version: 'v2' });
    const shared: boolean[] = [];
    for (const [index, remaining] of [40, 59, 59, 59].entries()) {
      await clock.drive(admit('creation'));
      limiter.observe('creation', { limit: 60, remaining, resetAt: resetAt + index * windowMs });
      shared.push(limiter.usage('creation').shared);
      await clock.drive(clock.sleep(windowMs));
    }
    assert.deepEqual(shared, [true, true, false, false]);
  });

  test('spreads what exceeds a window, at no loss, so that other requests need not wait for the next', async () => {
    const clock = makeVirtualClock();
    const server = makeServer(clock, { limit: 60, windowMs, headers: true });
    const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
    const count = 300;
    let asked = 0;
    let sent = 0;
    const begin = clock.now();
    // As the engine feeds it: 24 jobs wait, however many are to come.
    const sender = async () => {
      while (asked < count) {
        asked += 1;
        limiter.expect('creation', count - sent);
        await limiter.admit('creation', async () => {
          sent += 1;
          await askOnce({ clock, server, limiter });
        });
      }
    };
    await clock.drive(Promise.all(Array.from({ length: 24 }, sender)));
    assert.equal(server.refused(), 0);
    const gaps = server.arrivals.map((at, index) => at - (server.arrivals[index - 1] ?? at));
    // The last window has room for all the rest, which waits only until it is seen that nobody else is there.
    assert.ok(Math.max(...gaps) < windowMs / 16, `${Math.max(...gaps)} ms`);
    // A second at the end of a window is kept free.
    assert.ok(Math.max(...gaps.slice(0, 240)) < 2_500, `${Math.max(...gaps.slice(0, 240))} ms`);
    const windows = (clock.now() - begin) / windowMs;
    assert.ok(windows < 4.1, `${windows} windows`);
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

  for (const others of [0, 20])
    test(`forecasts when all is sent, with ${others} requests of another client in each window`, async () => {
      const clock = makeVirtualClock();
      const server = makeServer(clock, { limit: 60, windowMs, headers: true });
      const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
      const count = 300;
      let sent = 0;
      const foreseen: { at: number; until: number }[] = [];
      const begin = clock.now();
      const watch = async () => {
        for (; sent < count; await clock.sleep(1_000)) {
          const { outlook, usedOfWindow } = limiter.usage('creation');
          assert.ok(usedOfWindow === null || usedOfWindow <= 60, `${usedOfWindow}`);
          const now = clock.now();
          foreseen.push({ at: now - begin, until: now - begin + msUntilSent(outlook, count - sent, now) });
        }
      };
      const another = async () => {
        if (others > 0) for (; sent < count; await clock.sleep(windowMs / others)) server.count();
      };
      const jobs = Array.from({ length: count }, () =>
        limiter.admit('creation', async () => {
          sent += 1;
          await askOnce({ clock, server, limiter });
        }),
      );
      let ended = 0;
      const all = Promise.all(jobs).then(() => {
        ended = clock.now() - begin;
      });
      await clock.drive(Promise.all([all, watch(), another()]));
      // Of others nothing is known in the first window.
      const settled = foreseen.filter(({ at }) => at > (others > 0 ? windowMs : 0));
      const worst = Math.max(...settled.map(({ until }) => Math.abs(until - ended)));
      assert.ok(settled.length > 0 && worst < (others > 0 ? windowMs / 2 : windowMs / 8), `${worst} of ${ended} ms`);
    });

  test('follows a limit that differs from the configured one, and reports each change once', async () => {
    const clock = makeVirtualClock();
    const seen: [RequestClass, number, number][] = [];
    const onLimitDiffers = (...one: (typeof seen)[number]) => void seen.push(one);
    const limiter = makeVirtualLimiter({ version: 'v2' }, { clock, onLimitDiffers });
    const resetAt = clock.now() + 60_000;
    for (const limit of [300, 300, 200]) limiter.observe('creation', { limit, remaining: limit, resetAt });
    limiter.observe('balance', { limit: 600, remaining: 7, resetAt });
    assert.deepEqual(seen, [
      ['creation', 60, 300],
      ['creation', 60, 200],
      ['read', 300, 600],
    ]);
    assert.equal(limiter.usage('creation').limit, 200);
    assert.deepEqual([limiter.usage('read').limit, limiter.usage('read').usedOfWindow], [600, 593]);
  });

  test('counts its own requests if a service reports again and again that nothing is used', async () => {
    const clock = makeVirtualClock();
    const server = makeServer(clock, { limit: 60, windowMs, headers: true });
    const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
    const jobs = Array.from({ length: 180 }, () =>
      limiter.admit('creation', async () => {
        await clock.sleep(20);
        server.count();
        const { resetAt } = server.headers();
        await clock.sleep(20);
        limiter.observe('creation', { limit: 60, remaining: 60, resetAt, tookMs: 40 });
      }),
    );
    await clock.drive(Promise.all(jobs));
    assert.equal(server.refused(), 0);
    assert.ok(clock.monotonic() < 2.2 * windowMs, `${clock.monotonic()} ms`);
  });

  for (const [what, wrongMs] of [
    ['one answer tells of a window days ahead', (answer: number) => ({ reset: answer === 65 ? 3 * 86_400_000 : 0 })],
    [
      'the service’s clock is set back by two hours',
      (answer: number) => (answer > 100 ? { reset: -7_200_000, date: -7_200_000 } : {}),
    ],
  ] as const)
    test(`is refused nothing, and leaves another client its third, if ${what}`, async () => {
      const { refused, refusedToOther } = await payBesideAnother({ phase: 0.2, otherFrom: 1 / 40, rows: 300, wrongMs });
      assert.equal(refused + refusedToOther, 0);
    });

  test('uses its own count if the service reports more left than the limit', async () => {
    const { clock, limiter, starts, admit, resetAt } = starting({ version: 'v2' });
    limiter.observe('creation', { limit: 30, remaining: 1_000, resetAt });
    await clock.drive(Promise.all(Array.from({ length: 40 }, () => admit('creation'))));
    assert.equal(limiter.usage('creation').limit, 30);
    assert.ok(
      starts.every((at, index) => at >= index * 2_000),
      `${starts}`,
    );
  });

  test('ignores a header that allows nothing, and a service that sends no header', () => {
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
    test(`keeps to ${name} limit than the configured one, and uses it fully`, async () => {
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
  const classes = ['creation', 'read', 'balance', 'catalog'] as const;
  const countAsReads = ['read', 'balance', 'catalog'];

  for (const [version, limits, expected] of [
    ['v2', {}, [60, 300, 300, 120]],
    ['v1', {}, [60, 120, 120, 60]],
    ['v2', { creation: { limit: 300 }, read: { limit: 400 } }, [300, 400, 400, 120]],
  ] as const)
    test(`have the limits of the specification in ${version}, and above them ${JSON.stringify(limits)}`, () => {
      const { limiter } = starting({ version, limits });
      assert.deepEqual(
        classes.map((name) => limiter.usage(name).limit),
        expected,
      );
    });

  test('have windows of a minute, or of the length that is set', () => {
    const limits = { creation: { limit: 5, windowMs: 1_000 }, read: { limit: 9, windowMs: 2_000 } };
    const { limiter } = starting({ version: 'v2', limits });
    const lengths = classes.map((name) => limiter.usage(name).windowMs);
    assert.deepEqual(lengths, [1_000, 2_000, 2_000, windowMs]);
  });

  test('do not wait for each other, but a balance and a catalog lookup count as reads', async () => {
    for (const used of classes) {
      for (const asked of classes) {
        const clock = makeVirtualClock();
        const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
        const start = clock.now();
        await clock.drive(limiter.admit(used, async () => undefined));
        await clock.drive(limiter.admit(asked, async () => undefined));
        const isSame = used === asked || (countAsReads.includes(used) && countAsReads.includes(asked));
        assert.equal(clock.now() > start, isSame, `${asked} after ${used}`);
      }
    }
  });

  test('count a catalog lookup as a read, too', async () => {
    const { limiter, clock, admit, starts } = starting({ version: 'v2', limits: { read: { limit: 10 } } });
    await clock.drive(Promise.all(Array.from({ length: 10 }, () => admit('catalog'))));
    await clock.drive(Promise.all([admit('catalog'), admit('read')]));
    assert.ok((starts[10] ?? 0) - (starts[0] ?? 0) >= windowMs, 'the eleventh waits for the window of the first');
    assert.equal(limiter.usage('read').used, 10);
  });

  test('count a catalog lookup as a read of the open window while it runs and afterwards', async () => {
    const { limiter, clock, admit, starts, resetAt } = starting({ version: 'v2', limits: { read: { limit: 6 } } });
    for (const name of ['catalog', 'read'] as const) limiter.observe(name, { limit: 6, remaining: 6, resetAt });
    const running = admit('catalog', () => clock.sleep(100_000));
    await Promise.all(Array.from({ length: 4 }, () => admit('catalog')));
    await clock.drive(Promise.all([running, admit('read'), admit('read')]));
    assert.deepEqual(starts.slice(0, 6), [0, 0, 0, 0, 0, 0]);
    assert.ok((starts[6] ?? 0) >= windowMs / 2, `the last after ${starts[6]} ms`);
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

describe('a request that is in flight for long', () => {
  test('counts until a window’s length after its end if no answer shows when the service counted it', async () => {
    const { starts, admit, clock } = starting({ version: 'v1', limits: { creation: { limit: 5 } } });
    await clock.drive(Promise.all(Array.from({ length: 6 }, () => admit('creation', () => clock.sleep(100_000)))));
    assert.ok((starts[4] ?? 0) < windowMs, `the fifth after ${starts[4]} ms`);
    assert.ok((starts[5] ?? 0) >= 100_000 + windowMs, `the sixth after ${starts[5]} ms`);
  });
});

describe('the rest of the service’s window', () => {
  const isFull = ({ limiter, resetAt }: Starting, name: RequestClass, limit: number) =>
    limiter.observe(name, { limit, remaining: limit, resetAt });

  test('shrinks by each request whose answer was lost', async () => {
    const given = starting({ version: 'v2' });
    isFull(given, 'creation', 4);
    await given.clock.drive(Promise.all(Array.from({ length: 5 }, () => given.admit('creation'))));
    assert.deepEqual(given.starts.slice(0, 4), [0, 0, 0, 0]);
    const fifth = given.starts[4] ?? 0;
    // The next window owes nothing for them.
    assert.ok(fifth >= windowMs / 2 && fifth < windowMs, `the fifth after ${fifth} ms`);
  });

  test('shrinks in the next window by requests that were in flight at the end of this one and never answered', async () => {
    const given = starting({ version: 'v2' });
    isFull(given, 'creation', 4);
    const across = () => given.clock.sleep(windowMs / 2 + 5_000);
    await given.clock.drive(Promise.all(Array.from({ length: 5 }, () => given.admit('creation', across))));
    assert.deepEqual(given.starts.slice(0, 4), [0, 0, 0, 0]);
    assert.ok((given.starts[4] ?? 0) >= windowMs * 1.5, `the fifth after ${given.starts[4]} ms`);
  });

  test('is the lowest value of any answer, in whatever order the answers arrive', async () => {
    const given = starting({ version: 'v2' });
    isFull(given, 'creation', 4);
    for (const remaining of [1, 2, 3])
      given.admit('creation', async () => {
        await given.clock.sleep(remaining * 10);
        // The reset wavers by a second, as of a service that counts by seconds.
        const resetAt = given.resetAt + (remaining === 2 ? 1_000 : 0);
        given.limiter.observe('creation', { limit: 4, remaining, resetAt });
      });
    await given.clock.drive(given.clock.sleep(100));
    await given.clock.drive(Promise.all([given.admit('creation'), given.admit('creation')]));
    assert.equal(given.starts[3], 100);
    assert.ok((given.starts[4] ?? 0) >= windowMs / 2 + 2_000, `the fifth after ${given.starts[4]} ms`);
  });

  test('is requested again after a window’s length, however far away its reported end is', async () => {
    const { clock, limiter, starts, admit } = starting({ version: 'v2' });
    const ends = { resetAt: clock.now() + 3_600_000, date: clock.now(), tookMs: 40 };
    limiter.observe('creation', { limit: 10, remaining: 0, ...ends });
    await clock.drive(admit('creation'));
    assert.ok((starts[0] ?? 0) >= windowMs && (starts[0] ?? 0) < windowMs + 2_000, `after ${starts[0]} ms`);
  });

  test('is unknown for later windows until an answer reports it: no more than the limit in any of them', async () => {
    const given = starting({ version: 'v2' });
    isFull(given, 'creation', 4);
    await given.clock.drive(Promise.all(Array.from({ length: 24 }, () => given.admit('creation'))));
    for (const [index, at] of given.starts.slice(4, -4).entries()) {
      const fourLater = given.starts[index + 8] ?? 0;
      assert.ok(fourLater - at >= windowMs, `five within ${fourLater - at} ms from ${at} ms`);
    }
  });

  test('ignores a late answer about the window before', async () => {
    const { clock, limiter, starts, admit, resetAt } = starting({ version: 'v2' });
    limiter.observe('creation', { limit: 4, remaining: 4, resetAt });
    limiter.observe('creation', { limit: 4, remaining: 0, resetAt: resetAt - windowMs });
    await clock.drive(admit('creation'));
    assert.deepEqual(starts, [0]);
  });

  test('is used as soon as it is known, not when the request that reported it has ended', async () => {
    const { clock, limiter, starts, admit, resetAt } = starting({ version: 'v2' });
    const long = admit('creation', async () => {
      await clock.sleep(10);
      limiter.observe('creation', { limit: 10, remaining: 9, resetAt });
      await clock.sleep(100_000);
    });
    await clock.drive(Promise.all([long, admit('creation'), admit('creation')]));
    assert.deepEqual(starts, [0, 10, 10]);
  });

  test('is used again as soon as it is given back', async () => {
    const { clock, limiter, starts, admit, resetAt } = starting({ version: 'v2', limits: { creation: { limit: 10 } } });
    limiter.observe('creation', { limit: 10, remaining: 10, resetAt });
    const long = limiter.admit(
      'creation',
      async (_count, giveBack) => {
        await clock.sleep(10);
        giveBack(9);
        await clock.sleep(100_000);
      },
      10,
    );
    await clock.drive(Promise.all([long, admit('creation')]));
    assert.deepEqual(starts, [10]);
  });

  test('is waited out after a refusal that it announced, however short the wait', async () => {
    const { clock, limiter, starts, admit, resetAt } = starting({ version: 'v2' });
    limiter.observe('creation', { limit: 10, remaining: 0, resetAt });
    limiter.hold('creation', 1_000);
    await clock.drive(admit('creation'));
    assert.ok((starts[0] ?? 0) >= windowMs / 2, `after ${starts[0]} ms`);
  });

  test('is in doubt after a refusal that it did not announce, until a later request is answered', async () => {
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
  test('admits nothing for the account during an imposed wait', async () => {
    const clock = makeVirtualClock();
    const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
    const start = clock.now();
    limiter.hold('creation', 30_000);
    const read = limiter.admit('read', async () => clock.now());
    assert.ok((await clock.drive(read)) - start >= 30_000);
  });

  test('waits for the longest of several imposed waits, and reports that meanwhile', async () => {
    const { clock, limiter, starts, admit } = starting({ version: 'v2' });
    limiter.hold('creation', 30_000);
    limiter.hold('balance', 1_000);
    assert.equal(limiter.isHeld('read'), true);
    const nextIn = limiter.usage('read').outlook.nextAt - clock.now();
    await clock.drive(admit('read'));
    assert.ok(nextIn >= 30_000 && nextIn < 31_000, `${nextIn} ms`);
    assert.deepEqual(starts, [nextIn]);
    assert.equal(limiter.isHeld('read'), false);
  });

  test('starts jobs in the order in which they arrived', async () => {
    const clock = makeVirtualClock();
    const limiter = makeVirtualLimiter({ version: 'v1' }, { clock });
    const order: number[] = [];
    await clock.drive(
      Promise.all([1, 2, 3, 4].map((name) => limiter.admit('creation', async () => void order.push(name)))),
    );
    assert.deepEqual(order, [1, 2, 3, 4]);
  });

  test('rejects waiting and new jobs when it is stopped', async () => {
    const clock = makeVirtualClock();
    const limiter = makeVirtualLimiter({ version: 'v1' }, { clock });
    await limiter.admit('creation', async () => undefined);
    const waiting = limiter.admit('creation', async () => undefined);
    await limiter.stop();
    await assert.rejects(clock.drive(waiting), LimiterStopped);
    const stoppedAt = clock.monotonic();
    await assert.rejects(clock.drive(new Promise(() => undefined)), /nothing is left/);
    assert.equal(clock.monotonic(), stoppedAt, 'no timer keeps the program');
    await assert.rejects(
      limiter.admit('read', async () => undefined),
      LimiterStopped,
    );
  });

  test('starts as many requests of a job as the window has left, and no later job before it', async () => {
    const { clock, limiter, resetAt } = starting({ version: 'v2', limits: { creation: { limit: 80 } } });
    limiter.observe('creation', { limit: 80, remaining: 80, resetAt });
    const starts: [count: number, at: number][] = [];
    const begin = (weight: number) =>
      limiter.admit('creation', async (count) => void starts.push([count, clock.monotonic()]), weight);
    await clock.drive(Promise.all([48, 40, 16, 9].map(begin)));
    assert.deepEqual(
      starts.map(([count]) => count),
      [48, 32, 10, 9],
    );
    const [, second = 0, third = 0, fourth = 0] = starts.map(([, at]) => at);
    // The next window owes nothing for the first, which has ended with all of its requests.
    assert.ok(second < windowMs / 2, `the second after ${second} ms`);
    assert.ok(third >= windowMs / 2 && third < windowMs / 2 + 2_000, `the third after ${third} ms`);
    // No answer tells of that window: an eighth of the limit at a time, and evenly.
    assert.ok(fourth - third >= windowMs / 8, `the fourth ${fourth - third} ms after the third`);
  });

  test('gives a job proportionally less than it asks for if the service allows less than configured', async () => {
    const { clock, limiter, resetAt } = starting({ version: 'v2', limits: { creation: { limit: 6_000 } } });
    const given = () => clock.drive(limiter.admit('creation', async (count) => count, 8));
    // No answer has told of a limit yet: the first asks alone, and since its answer tells of none, the configured one
    // counts.
    assert.deepEqual([await given(), await given()], [1, 8]);
    const counts: number[] = [];
    for (const limit of [60, 3_000, 6_000, 60_000]) {
      limiter.observe('creation', { limit, remaining: limit, resetAt });
      counts.push(await given());
    }
    assert.deepEqual(counts, [1, 4, 8, 8]);
    assert.equal(limiter.usage('creation').used, 1 + 8 + 1 + 4 + 8 + 8);
  });

  test('tests with one request alone whether the service allows a limit far higher than usual', async () => {
    const clock = makeVirtualClock();
    const server = makeServer(clock, { limit: 60, windowMs, headers: true });
    const limiter = makeVirtualLimiter({ version: 'v2', limits: { creation: { limit: 60_000 } } }, { clock });
    const starts: number[] = [];
    const send = async (count: number) => {
      starts.push(clock.monotonic());
      await Promise.all(Array.from({ length: count }, () => askOnce({ clock, server, limiter })));
    };
    await clock.drive(Promise.all(Array.from({ length: 59 }, () => limiter.admit('creation', send, 80))));
    assert.equal(server.refused(), 0);
    assert.equal(server.arrivals.length, 59);
    assert.ok((starts[1] ?? 0) >= 40, `the second after ${starts[1]} ms`);
  });

  test('repeats the test from time to time if the first request has no answer for long', async () => {
    const { clock, starts, admit } = starting({ version: 'v2', limits: { creation: { limit: 60_000 } } });
    await clock.drive(Promise.all(Array.from({ length: 4 }, () => admit('creation', () => clock.sleep(10_000)))));
    assert.deepEqual(starts, [0, 3_750, 7_500, 10_000]);
  });

  for (const isSeen of [false, true])
    test(`starts a job of more requests than a lowered limit, if its window is ${isSeen ? '' : 'not '}reported`, async () => {
      const { clock, limiter, resetAt } = starting({ version: 'v2', limits: { creation: { limit: 10 } } });
      if (isSeen) limiter.observe('creation', { limit: 10, remaining: 10, resetAt });
      assert.equal(await clock.drive(limiter.admit('creation', async () => 'done', 12)), 'done');
    });

  test('has no more requests in flight at once than allowed, and continues as they end', async () => {
    const { clock, limiter, starts, admit, resetAt } = starting({ version: 'v2' });
    limiter.observe('creation', { limit: 60_000, remaining: 60_000, resetAt });
    await clock.drive(Promise.all(Array.from({ length: 514 }, () => admit('creation', () => clock.sleep(1_000)))));
    assert.deepEqual(starts, [...Array(512).fill(0), 1_000, 1_000]);
  });

  test('counts the part of a job that was not given back as long as any creation, and the rest not at all', async () => {
    const { clock, limiter } = starting({ version: 'v1', limits: { creation: { limit: 10 } } });
    const starts: number[] = [];
    const begin = (weight: number, job: LimitedJob<void>) =>
      limiter.admit(
        'creation',
        (count, giveBack) => {
          starts.push(clock.monotonic());
          return job(count, giveBack);
        },
        weight,
      );
    const givesBack: LimitedJob<void> = async (_count, giveBack) => {
      giveBack(4);
      giveBack(5);
    };
    await clock.drive(
      Promise.all([begin(10, givesBack), begin(10, () => clock.sleep(100_000)), begin(4, async () => undefined)]),
    );
    const [, second = 0, third = 0] = starts;
    assert.ok(second >= windowMs && second < windowMs + 1_000, `the second after ${second} ms`);
    assert.ok(third >= second + 100_000 + windowMs, `the third ${third - second} ms after the second`);
  });

  test('paces by what a job has sent', async () => {
    const { clock, limiter, starts, admit } = starting({ version: 'v1' });
    await limiter.admit('creation', async (_count, giveBack) => giveBack(4), 5);
    await clock.drive(admit('creation'));
    assert.deepEqual(starts, [1_020]);
    await clock.drive(clock.sleep(2 * windowMs));
    assert.equal(limiter.usage('creation').used, 0);
  });

  for (const isNext of [false, true])
    test(`does not count what was given back as its own in ${isNext ? 'the next' : 'this'} window, and so detects others there`, async () => {
      const { clock, limiter, resetAt } = starting({ version: 'v2' });
      limiter.observe('creation', { limit: 120, remaining: 120, resetAt });
      if (isNext) await clock.drive(clock.sleep(windowMs * 0.6));
      await clock.drive(limiter.admit('creation', async (_count, giveBack) => giveBack(5), 10));
      // Of eight, five were ours.
      limiter.observe('creation', { limit: 120, remaining: 112, resetAt: resetAt + (isNext ? windowMs : 0) });
      assert.equal(limiter.usage('creation').shared, true);
    });
});

describe('a late start behind a gate', () => {
  /** One job, admitted at once, which its gate starts only when it is told to. */
  function late(name: RequestClass = 'creation') {
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
    const job = limiter.admit(name, async () => {
      ranAt = clock.monotonic();
    });
    return { clock, gate, limiter, job, ranAt: () => ranAt };
  }

  test('does not happen after the limiter was stopped: the caller was told that the job never ran', async () => {
    const { gate, limiter, job, ranAt } = late();
    const refused = assert.rejects(job, LimiterStopped);
    await limiter.stop();
    await gate.start();
    await refused;
    assert.equal(ranAt(), null);
  });

  for (const name of ['creation', 'read'] as const)
    test(`happens only after the wait that a creation received meanwhile, for a ${name}`, async () => {
      const { clock, gate, limiter, job, ranAt } = late(name);
      limiter.hold('creation', 1_000);
      assert.equal(gate.shut, 1);
      await clock.drive(Promise.all([gate.start(), job]));
      assert.ok((ranAt() ?? 0) >= 1_000, `after ${ranAt()} ms`);
    });

  test('never happens if the limiter is stopped during that wait', async () => {
    const { clock, gate, limiter, job, ranAt } = late();
    const refused = assert.rejects(job, LimiterStopped);
    limiter.hold('creation', 1_000);
    const started = gate.start();
    await limiter.stop();
    await clock.drive(Promise.all([started, refused]));
    assert.equal(ranAt(), null);
  });
});

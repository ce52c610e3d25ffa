import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/core/time/clock.ts';
import { makeBottleneckLimiter } from '../../src/limiter/bottleneck-limiter.ts';
import { type Limiter, LimiterStopped } from '../../src/limiter/limiter.ts';
import { makeVirtualLimiter } from '../support/virtual-limiter.ts';

/** Every gate has to keep to the same: the one that runs on Bottleneck, and the plain queue of the simulation. */
const gates = [
  ['Bottleneck', makeBottleneckLimiter],
  ['the plain queue', makeVirtualLimiter],
] as const;

const windowMs = 400;
const limit = 10;
const limits = { creation: { limit, windowMs }, read: { limit: 20, windowMs } };
/** For what a busy machine is not to come to the end of. */
const ofAMinute = { creation: { limit, windowMs: 60_000 }, read: { limit, windowMs: 60_000 } };

for (const [name, make] of gates) {
  const opened = (version: 'v1' | 'v2' = 'v2'): Limiter => make({ version, limits }, { clock: systemClock });
  const starts = async (limiter: Limiter, count: number, job: () => Promise<void> = async () => undefined) => {
    const begun: number[] = [];
    await Promise.all(
      Array.from({ length: count }, () =>
        limiter.admit('creation', () => {
          begun.push(systemClock.monotonic());
          return job();
        }),
      ),
    );
    return begun;
  };

  describe(`a limiter on ${name}`, () => {
    for (const version of ['v1', 'v2'] as const)
      test(`of ${version} starts no more than the limit in any window if the server reports no window`, async () => {
        const limiter = opened(version);
        const begun = await starts(limiter, 24);
        for (const [index, at] of begun.entries()) {
          const within = begun.slice(index).filter((other) => other - at < windowMs - 1);
          assert.ok(within.length <= limit, `${within.length} within ${windowMs} ms`);
        }
        await limiter.stop();
      });

    test('starts at once what the service reports as left of its window', async () => {
      const windowMs = 60_000;
      const limiter = make({ version: 'v2', limits: { creation: { limit, windowMs } } }, { clock: systemClock });
      limiter.observe('creation', { limit, remaining: limit, resetAt: systemClock.now() + windowMs / 2 });
      const begun = await starts(limiter, limit);
      // Evenly, they would take nine tenths of the window.
      assert.ok((begun.at(-1) ?? 0) - (begun[0] ?? 0) < windowMs / 2);
      await limiter.stop();
    });

    test('continues as before if the clock is set back, with waiting and with new jobs', {
      timeout: 600_000,
    }, async (t) => {
      const wall = Date.now();
      const limiter = opened();
      t.after(() => limiter.stop());
      t.mock.timers.enable({ apis: ['Date'], now: wall });
      await starts(limiter, 1);
      const begunJob = Promise.withResolvers<() => void>();
      const running = starts(limiter, 1, () => new Promise((end) => begunJob.resolve(end)));
      const waiting = starts(limiter, limit);
      t.mock.timers.setTime(wall - 2 * 3_600_000);
      const coming = starts(limiter, limit);
      await systemClock.sleep(50);
      // On a busy machine the job may begin later than that.
      (await begunJob.promise)();
      const begun = (await Promise.all([running, waiting, coming])).flat();
      assert.equal(begun.length, 2 * limit + 1);
      for (const at of begun)
        assert.ok(begun.filter((other) => other >= at && other - at < windowMs - 1).length <= limit);
    });

    test('returns what a job returns, and its errors', async () => {
      const limiter = opened();
      assert.equal(await limiter.admit('creation', async () => 42), 42);
      await assert.rejects(
        limiter.admit('creation', async () => {
          throw new Error('of the job');
        }),
        /of the job/,
      );
      await limiter.stop();
    });

    test('starts jobs of a class in the order in which they arrived', async () => {
      const limiter = opened();
      const order: number[] = [];
      await Promise.all(
        Array.from({ length: 8 }, (_, index) => limiter.admit('creation', async () => void order.push(index))),
      );
      assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7]);
      await limiter.stop();
    });

    test('lets one class wait without delaying another', async () => {
      const limiter = make({ version: 'v2', limits: ofAMinute }, { clock: systemClock });
      const creations = assert.rejects(starts(limiter, 20), LimiterStopped);
      await limiter.admit('read', async () => undefined);
      await limiter.stop();
      await creations;
    });

    test('starts nothing for the account during an imposed wait', async () => {
      const limiter = opened();
      await limiter.admit('creation', async () => undefined);
      limiter.hold('creation', 300);
      const began = systemClock.monotonic();
      await limiter.admit('read', async () => undefined);
      assert.ok(systemClock.monotonic() - began >= 290, `${systemClock.monotonic() - began} ms`);
      await limiter.stop();
    });

    test('lets one class rest while the others continue', async () => {
      const limiter = opened();
      const began = systemClock.monotonic();
      limiter.rest('creation', 1_000);
      assert.deepEqual([limiter.isHeld('creation'), limiter.isHeld('read')], [true, false]);
      const order: string[] = [];
      const creation = limiter.admit('creation', async () => {
        order.push('creation');
        return systemClock.monotonic() - began;
      });
      await limiter.admit('read', async () => void order.push('read'));
      assert.ok((await creation) >= 990, `${await creation} ms`);
      assert.deepEqual(order, ['read', 'creation']);
      assert.equal(limiter.isHeld('creation'), false);
      await limiter.stop();
    });

    test('can end a rest early', async () => {
      const limiter = opened();
      limiter.rest('creation', 60_000);
      const began = systemClock.monotonic();
      const creation = limiter.admit('creation', async () => systemClock.monotonic() - began);
      limiter.rest('creation', 0);
      assert.ok((await creation) < 30_000, `${await creation} ms`);
      await limiter.stop();
    });

    test('keeps admitted jobs that have not started waiting as soon as a wait is imposed', async () => {
      const limiter = opened();
      const begun: number[] = [];
      const jobs = Array.from({ length: 5 }, () =>
        limiter.admit('creation', async () => void begun.push(systemClock.monotonic())),
      );
      // A plain queue starts a job in the same breath as it admits it; Bottleneck somewhat later.
      const startedBefore = begun.length;
      const heldAt = systemClock.monotonic();
      limiter.hold('creation', 300);
      assert.equal(limiter.usage('creation').used, startedBefore);
      await Promise.all(jobs);
      for (const at of begun.slice(startedBefore)) assert.ok(at - heldAt >= 290, `${at - heldAt} ms`);
      assert.equal(begun.length, 5);
      await limiter.stop();
    });

    test('counts a job of several requests as several, and takes back those that were not sent', async () => {
      const limiter = make({ version: 'v1', limits: ofAMinute }, { clock: systemClock });
      await limiter.admit('creation', async (_count, giveBack) => giveBack(3), 5);
      assert.equal(limiter.usage('creation').used, 2);
      await limiter.stop();
    });

    test('runs a job alone if it has more requests than may be in flight at once', async () => {
      const limiter = make({ version: 'v2', limits }, { clock: systemClock });
      assert.equal(await limiter.admit('creation', async () => 'done', 600), 'done');
      await limiter.stop();
    });

    test('rejects waiting jobs when it stops, and lets running jobs end', async () => {
      const limiter = opened();
      const started = Promise.withResolvers<void>();
      const release = Promise.withResolvers<string>();
      const running = limiter.admit('creation', () => {
        started.resolve();
        return release.promise;
      });
      await started.promise;
      const waiting = Array.from({ length: 30 }, () => limiter.admit('creation', async () => 'never'));
      const refused = Promise.allSettled(waiting);
      await limiter.stop();
      const outcomes = await refused;
      assert.ok(
        outcomes.filter((one) => one.status === 'rejected' && one.reason instanceof LimiterStopped).length >= 20,
      );
      release.resolve('done');
      assert.equal(await running, 'done');
      await assert.rejects(
        limiter.admit('creation', async () => 'late'),
        LimiterStopped,
      );
    });
  });
}

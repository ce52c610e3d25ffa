import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeVirtualClock } from '../support/virtual-clock.ts';
import { makeVirtualLimiter } from '../support/virtual-limiter.ts';

const windowMs = 60_000;
const tookMs = 40;

/** A service that counts windows by the clock, and one program after another that sends to it for the same account. */
function programs({ skewMs = 0, limit = 60 } = {}) {
  const clock = makeVirtualClock(Math.ceil(Date.UTC(2026, 10, 20, 9) / windowMs) * windowMs);
  let [window, used, refused] = [0, 0, 0];
  const count = (requests = 1) => {
    const now = Math.floor((clock.now() + skewMs) / windowMs);
    if (now !== window) [window, used] = [now, 0];
    used += requests;
    refused += Math.max(0, Math.min(requests, used - limit));
    return { limit, remaining: Math.max(0, limit - used), resetAt: (window + 1) * windowMs };
  };
  /** When the requests of earlier programs ended. */
  const ended: number[] = [];
  /** One that comes after another knows what that has sent. */
  const program = () => {
    const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
    limiter.usedBefore(
      'creation',
      ended.map((at) => ({ agoMs: clock.now() - at, count: 1 })),
    );
    const send = async (rows: number) => {
      const from = clock.now();
      const jobs = Array.from({ length: rows }, () =>
        limiter.admit('creation', async () => {
          await clock.sleep(tookMs / 2);
          const headers = count();
          await clock.sleep(tookMs / 2);
          limiter.observe('creation', { ...headers, tookMs });
          ended.push(clock.now());
        }),
      );
      await clock.drive(Promise.all(jobs));
      return clock.now() - from;
    };
    return { send, usage: () => limiter.usage('creation') };
  };
  return { clock, program, others: count, refused: () => refused };
}

describe('a program that follows another', () => {
  test('sends the rest of the window at once, and does not take its predecessor for another user', async () => {
    const { program, refused } = programs();
    const first = program();
    await first.send(30);
    const second = program();
    assert.ok((await second.send(10)) < 5_000);
    assert.equal(second.usage().shared, false);
    assert.equal(second.usage().usedOfWindow, 40);
    assert.equal(refused(), 0);
  });

  test('waits for the next window if nothing is left, instead of being refused', async () => {
    for (const skewMs of [0, 20_000, -20_000]) {
      const { program, refused } = programs({ skewMs });
      const first = program();
      await first.send(60);
      assert.ok((await program().send(3)) < windowMs * 1.1);
      assert.equal(refused(), 0, `the service’s clock is ${skewMs} ms ahead`);
    }
  });

  test('reports what was sent before it sends a request itself', async () => {
    const { program } = programs();
    await program().send(40);
    assert.equal(program().usage().used, 40);
  });

  test('detects what others have used since, and keeps room for them', async () => {
    const { program, others, refused } = programs();
    const first = program();
    await first.send(20);
    others(10);
    const second = program();
    await second.send(2);
    assert.equal(second.usage().shared, true);
    assert.equal(refused(), 0);
  });

  test('does not count what others use of a later window as its own', async () => {
    for (const skewMs of [0, 60_000, -60_000]) {
      const { clock, program, others } = programs({ skewMs });
      const first = program();
      await first.send(30);
      await clock.drive(clock.sleep(windowMs));
      others(20);
      const second = program();
      await second.send(1);
      assert.equal(second.usage().shared, true, `the service’s clock is ${skewMs} ms ahead`);
    }
  });

  test('knows nothing of others, who may go on', async () => {
    const { program, others } = programs();
    const first = program();
    await first.send(2);
    others(5);
    await first.send(2);
    const second = program();
    await second.send(1);
    assert.equal(second.usage().shared, true);
  });

  test('uses the limit that answers have shown to the one before it', async () => {
    const { program } = programs({ limit: 240 });
    const first = program();
    await first.send(180);
    assert.ok((await program().send(60)) < windowMs * 0.6);
  });

  test('asks with one request how high the limit is, whatever a job could send', async () => {
    const clock = makeVirtualClock();
    const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
    // The one before it had learned that 240 are allowed. The configured limit is 60.
    const ended = Array.from({ length: 90 }, (_, index) => ({ agoMs: (90 - index) * 250, count: 1 }));
    limiter.usedBefore('creation', ended);
    const from = clock.now();
    const counts: number[] = [];
    const send = async (count: number) => {
      counts.push(count);
      await clock.sleep(20);
      limiter.observe('creation', { limit: 240, remaining: 149, resetAt: from + 30_000, tookMs: 20 });
    };
    await clock.drive(limiter.admit('creation', send, 4));
    await clock.drive(limiter.admit('creation', send, 4));
    assert.deepEqual(counts, [1, 4]);
    assert.ok(clock.now() - from < 5_000);
  });

  test('reports no other limit if the service allows the configured one', async () => {
    const clock = makeVirtualClock();
    const differing: number[][] = [];
    const onLimitDiffers = (...[, configured, seen]: [unknown, number, number]) => differing.push([configured, seen]);
    const limiter = makeVirtualLimiter({ version: 'v2' }, { clock, onLimitDiffers });
    // Two windows of the service have a part in this minute.
    limiter.usedBefore('creation', [{ agoMs: 1_000, count: 80 }]);
    limiter.observe('creation', { limit: 60, remaining: 20, resetAt: clock.now() + 30_000 });
    assert.deepEqual(differing, []);
    assert.equal(limiter.usage('creation').limit, 60);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OwnUse } from '../../src/core/time/rate-outlook.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';
import { makeVirtualLimiter } from '../support/virtual-limiter.ts';

const limit = 60;
const windowMs = 60_000;
const tookMs = 40;

/** A service that counts windows by the clock, and one program after another that sends to it for the same account. */
function programs({ skewMs = 0 } = {}) {
  const clock = makeVirtualClock(Math.ceil(Date.UTC(2026, 10, 20, 9) / windowMs) * windowMs);
  let [window, used, refused] = [0, 0, 0];
  const count = (requests = 1) => {
    const now = Math.floor((clock.now() + skewMs) / windowMs);
    if (now !== window) [window, used] = [now, 0];
    used += requests;
    refused += Math.max(0, Math.min(requests, used - limit));
    return { limit, remaining: Math.max(0, limit - used), resetAt: (window + 1) * windowMs };
  };
  /** One that comes after another has noted what that has used. */
  const program = (noted: OwnUse | null = null) => {
    const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
    if (noted !== null) limiter.usedBefore('creation', noted);
    const send = async (rows: number) => {
      const from = clock.now();
      const jobs = Array.from({ length: rows }, () =>
        limiter.admit('creation', async () => {
          await clock.sleep(tookMs / 2);
          const headers = count();
          await clock.sleep(tookMs / 2);
          limiter.observe('creation', { ...headers, tookMs });
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
    const second = program(first.usage().ownUse);
    assert.ok((await second.send(10)) < 5_000);
    assert.equal(second.usage().shared, false);
    assert.equal(second.usage().ownUse?.count, 40);
    assert.equal(refused(), 0);
  });

  test('waits for the next window if nothing is left, instead of being refused', async () => {
    for (const skewMs of [0, 20_000, -20_000]) {
      const { program, refused } = programs({ skewMs });
      const first = program();
      await first.send(60);
      assert.ok((await program(first.usage().ownUse).send(3)) < windowMs * 1.1);
      assert.equal(refused(), 0, `the service’s clock is ${skewMs} ms ahead`);
    }
  });

  test('reports what is used and left of the window, also to its successor, before it sends a request', async () => {
    const { program } = programs();
    const first = program();
    await first.send(40);
    const noted = first.usage().ownUse;
    const second = program(noted).usage();
    assert.deepEqual([second.usedOfWindow, second.outlook.left], [40, 20]);
    assert.deepEqual(second.ownUse, noted);
  });

  test('waits no longer than a window if the clock was set back', async () => {
    const { clock, program } = programs();
    const first = program();
    await first.send(60);
    const noted = first.usage().ownUse;
    assert.ok(noted);
    const second = program({ ...noted, endsAt: noted.endsAt + 7_200_000, resetAt: noted.resetAt + 7_200_000 });
    const from = clock.now();
    await second.send(1);
    assert.ok(clock.now() - from < windowMs * 1.1, `${clock.now() - from} ms`);
  });

  test('detects what others have used since, and keeps room for them', async () => {
    const { program, others, refused } = programs();
    const first = program();
    await first.send(20);
    others(10);
    const second = program(first.usage().ownUse);
    await second.send(2);
    assert.equal(second.usage().shared, true);
    assert.equal(second.usage().ownUse, null, 'what is whose is not known');
    assert.equal(refused(), 0);
  });

  test('does not count what others use of a later window as its own', async () => {
    for (const skewMs of [0, 60_000, -60_000]) {
      const { clock, program, others } = programs({ skewMs });
      const first = program();
      await first.send(30);
      const noted = first.usage().ownUse;
      await clock.drive(clock.sleep(windowMs));
      others(20);
      const second = program(noted);
      await second.send(1);
      assert.equal(second.usage().shared, true, `the service’s clock is ${skewMs} ms ahead`);
    }
  });

  test('is given no number if others used the account as well', async () => {
    const { program, others } = programs();
    const first = program();
    await first.send(2);
    others(5);
    await first.send(2);
    const second = program(first.usage().ownUse);
    await second.send(1);
    assert.equal(second.usage().shared, true);
  });
});

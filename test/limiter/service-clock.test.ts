import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeVirtualClock } from '../support/virtual-clock.ts';
import { makeVirtualLimiter } from '../support/virtual-limiter.ts';

const windowMs = 60_000;
const limit = 60;
/** The service's windows begin at this part of its minutes. */
const windowsFromMs = 12_345;
const tookMs = 100;

/**
 * Pays for so many minutes at a service whose clock is ahead of ours by `aheadMs`, and which says in whole seconds
 * when its window ends. Returns when it refused something, and how many windows' worth it took.
 */
async function pay({
  minutes,
  aheadMs,
  isDated,
  round = Math.ceil,
}: {
  minutes: number;
  aheadMs: (sinceMs: number) => number;
  isDated: boolean;
  round?: (seconds: number) => number;
}) {
  const clock = makeVirtualClock();
  const limiter = makeVirtualLimiter({ version: 'v2' }, { clock });
  const theirTime = () => clock.now() + aheadMs(clock.monotonic());
  const refusedAt: number[] = [];
  let taken = 0;
  let window = 0;
  let used = 0;
  const request = async () => {
    await clock.sleep(tookMs / 2);
    const current = Math.floor((theirTime() - windowsFromMs) / windowMs);
    used = current === window ? used + 1 : 1;
    window = current;
    const isRefused = used > limit;
    if (isRefused) refusedAt.push(clock.monotonic());
    else taken += 1;
    const resetAt = round(((current + 1) * windowMs + windowsFromMs) / 1_000) * 1_000;
    const headers = { limit, remaining: Math.max(0, limit - used), resetAt, tookMs };
    const date = Math.floor(theirTime() / 1_000) * 1_000;
    const waitMs = Math.ceil((resetAt - theirTime()) / 1_000) * 1_000;
    await clock.sleep(tookMs / 2);
    limiter.observe('creation', isDated ? { ...headers, date } : headers);
    if (isRefused) limiter.hold('creation', waitMs);
  };
  const sender = async () => {
    while (clock.monotonic() < minutes * windowMs) await limiter.admit('creation', request);
  };
  await clock.drive(Promise.all(Array.from({ length: 20 }, sender)));
  return { refusedAt: refusedAt.map((at) => at / windowMs), windows: taken / limit };
}

describe('a service whose clock differs from ours', () => {
  for (const aheadMs of [-3_600_000, -2_000, 2_000, 3_600_000])
    for (const isDated of [true, false])
      test(`is asked neither sooner nor later than its window allows: ahead by ${aheadMs} ms${isDated ? ', which it reports' : ''}`, async () => {
        const { refusedAt, windows } = await pay({ minutes: 8, aheadMs: () => aheadMs, isDated });
        assert.deepEqual(refusedAt, []);
        // What no answer tells has to be learnt from the windows.
        assert.ok(windows >= (isDated ? 9 : 8), `${windows} windows in 8 minutes`);
      });

  test('is asked too soon once, and not again, if it is far behind and shows its time only by refusing', async () => {
    const { refusedAt, windows } = await pay({ minutes: 8, aheadMs: () => -5_000, isDated: false });
    assert.equal(refusedAt.length, 1, `refused at ${refusedAt}`);
    assert.ok(windows >= 8, `${windows} windows in 8 minutes`);
  });

  test('may round the end of its window down', async () => {
    for (const aheadMs of [-2_000, 0, 2_000]) {
      const given = { minutes: 8, aheadMs: () => aheadMs, isDated: true, round: Math.floor };
      const { refusedAt, windows } = await pay(given);
      assert.deepEqual(refusedAt, [], `ahead by ${aheadMs} ms`);
      assert.ok(windows >= 9, `${windows} windows in 8 minutes`);
    }
  });

  for (const byMs of [-5_000, 3_600_000])
    test(`is followed when its clock is set by ${byMs} ms`, async () => {
      const aheadMs = (sinceMs: number) => (sinceMs < 3 * windowMs ? 0 : byMs);
      const { refusedAt, windows } = await pay({ minutes: 8, aheadMs, isDated: true });
      // Nothing tells of it before.
      assert.ok(refusedAt.length <= 1, `refused at ${refusedAt}`);
      assert.ok(windows >= 9, `${windows} windows in 8 minutes`);
    });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeCachedForecast } from '../../../src/engine/forecast/cached-forecast.ts';
import type { Sending } from '../../../src/engine/forecast/sending.ts';
import type { StoredPace } from '../../../src/ledger/accounts/pace.ts';
import { idlePace } from '../../support/ledger.ts';

const aSending: Sending = {
  batch: 'batch-1',
  priority: 'normal',
  finish_by: null,
  boosted_at: null,
  ready: 600,
  firstAlone: false,
};

/**
 * What is said of a batch that is to be sent at each look, so long (ms) after the one before. The clock goes on with
 * each reading of it.
 */
function looking(tookMs: number) {
  let at = 0;
  const clock = { now: () => at, monotonic: () => (at += tookMs), sleep: async () => {}, turn: async () => {} };
  const cachedForecast = makeCachedForecast(clock);
  const look = (afterMs: number, ready: number, pace: Partial<StoredPace> = {}) => {
    at += afterMs;
    const noted = { ...idlePace, fence: 1, ...pace } as StoredPace;
    return cachedForecast('main', [{ ...aSending, ready }], noted).get('batch-1')?.sentMs;
  };
  return look;
}

test('a forecast that is fast is computed again for each display', () => {
  const look = looking(0);
  const first = look(0, 600) ?? 0;
  assert.ok((look(200, 6_000) ?? 0) > 2 * first);
});

test('a slow forecast is shown as it was, with the time passed subtracted, until twenty times its duration is over', () => {
  const look = looking(3_000);
  const first = look(0, 600) ?? 0;
  const seen = [look(200, 6_000), look(40_000, 6_000)];
  assert.deepEqual(seen, [first - 6_200, first - 49_200]);
  assert.ok((look(20_000, 6_000) ?? 0) > 2 * first);
});

test('no cached forecast is shown while the service cannot be reached', () => {
  const look = looking(3_000);
  assert.ok(look(0, 600));
  assert.equal(look(200, 600, { gate: { throttle: null, unreachableSince: 1 } }), undefined);
});

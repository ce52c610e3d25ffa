import assert from 'node:assert/strict';
import { test } from 'node:test';
import { msUntilSent, type RateOutlook } from '../../src/core/rate-outlook.ts';

const now = 1_000_000;
const inBursts: RateOutlook = {
  nextAt: now,
  left: 10,
  until: now + 20_000,
  windowMs: 60_000,
  perWindow: 60,
  evenly: false,
};
const evenly: RateOutlook = { ...inBursts, perWindow: 30, evenly: true };

for (const [what, outlook, expected] of [
  [
    'what a window has room for goes as soon as it has begun',
    inBursts,
    { 0: 0, 10: 0, 11: 20, 70: 20, 71: 80, 130: 80 },
  ],
  ['what goes beside others is spread over each window', evenly, { 0: 0, 5: 10, 10: 20, 25: 50, 40: 80 }],
  ['nothing goes while the account waits', { ...inBursts, nextAt: now + 30_000 }, { 0: 0, 10: 30, 11: 30, 71: 90 }],
  ['where nothing is known of a window, all is spread', { ...evenly, left: 0, until: now }, { 0: 0, 15: 30, 60: 120 }],
] as const)
  test(`the last of some requests starts in so many seconds: ${what}`, () => {
    const seconds = Object.keys(expected).map((count) => [count, msUntilSent(outlook, Number(count), now) / 1_000]);
    assert.deepEqual(Object.fromEntries(seconds), expected);
  });

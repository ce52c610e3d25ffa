import assert from 'node:assert/strict';
import { test } from 'node:test';
import { msUntilSent, type RateOutlook } from '../../../src/core/time/rate-outlook.ts';
import { idleUsage } from '../../support/open-limiter.ts';

const now = 1_000_000;
const inBursts: RateOutlook = { ...idleUsage.outlook, nextAt: now, left: 10, until: now + 20_000 };
const evenly: RateOutlook = { ...inBursts, perWindow: 30, evenly: true };

for (const [what, outlook, expected] of [
  [
    'what a window has room for goes as soon as it has begun, and what it has no room for is spread',
    inBursts,
    { 0: 0, 10: 0, 11: 20, 70: 20, 71: 80, 130: 80 },
  ],
  [
    'where many more are to come, all are spread, but for the end of a window',
    { ...inBursts, expected: 1_000, endFreeMs: 5_000 },
    { 1: 0, 5: 6, 11: 20, 23: 31, 71: 80 },
  ],
  [
    'the rest of what is to come has room in the next window, and goes as soon as it has begun',
    { ...inBursts, expected: 70 },
    { 1: 0, 6: 10, 11: 20, 70: 20 },
  ],
  [
    'the last of a window wait until it is seen that nobody else uses it',
    {
      ...inBursts,
      until: now + 59_000,
      left: 60,
      keptBack: [
        { count: 50, untilAgeMs: 4_000 },
        { count: 10, untilAgeMs: 6_000 },
      ],
      keptBackLater: [{ count: 10, untilAgeMs: 6_000 }],
    },
    { 10: 0, 11: 3, 50: 3, 51: 5, 61: 59, 110: 59, 111: 65 },
  ],
  ['what goes beside others is spread over each window', evenly, { 0: 0, 1: 0, 6: 10, 11: 20, 26: 50, 41: 80 }],
  [
    'nothing goes while the account waits, and its own window is over by then',
    { ...inBursts, nextAt: now + 30_000 },
    { 0: 0, 10: 30, 60: 30, 61: 80, 121: 140 },
  ],
  ['where nothing is known of a window, all is spread', { ...evenly, left: 0, until: now }, { 0: 0, 16: 30, 61: 120 }],
] as const)
  test(`the last of some requests starts after a number of seconds: ${what}`, () => {
    const seconds = Object.keys(expected).map((count) => [count, msUntilSent(outlook, Number(count), now) / 1_000]);
    assert.deepEqual(Object.fromEntries(seconds), expected);
  });

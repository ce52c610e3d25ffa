import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  durationText,
  productsText,
  requestedText,
  spanText,
  spanTexts,
  sumsText,
  timeText,
} from '../../../src/reports/sentences/format.ts';

test('sums are a line of amounts by currency, followed by products', () => {
  assert.equal(sumsText({}), 'none');
  assert.equal(sumsText({ KES: '12300', UGX: '40000' }), 'KES 12,300.00, UGX 40,000');
  assert.equal(requestedText({ KES: '12300' }, 0), 'KES 12,300.00');
  assert.equal(requestedText({ KES: '12300' }, 4), 'KES 12,300.00, and 4 products');
  assert.equal(requestedText({}, 1), '1 product');
  assert.equal(requestedText({}, 0), 'none');
});

test('the prices of product rows are shown as far as they are known', () => {
  const told = 'a product, whose price is not in the sums above';
  assert.equal(productsText(1, {}, 1), `1 row buys ${told}`);
  assert.equal(productsText(3, { KES: '99' }, 0), `3 rows buy ${told}: KES 99.00 by the catalog`);
  assert.equal(
    productsText(3, { KES: '99' }, 2),
    `3 rows buy ${told}: KES 99.00 by the catalog; the price of 2 of them is unknown`,
  );
});

test('a time is shown to the second, and the day once if two times share it', () => {
  assert.equal(timeText('2026-11-01T08:00:01.999Z'), '2026-11-01 08:00:01 UTC');
  assert.deepEqual(spanTexts('2026-11-01T08:00:01.000Z', '2026-11-01T23:59:59.000Z'), [
    '2026-11-01 08:00:01 UTC',
    '23:59:59 UTC',
  ]);
  assert.deepEqual(spanTexts('2026-11-01T23:59:59.000Z', '2026-11-02T00:00:00.000Z'), [
    '2026-11-01 23:59:59 UTC',
    '2026-11-02 00:00:00 UTC',
  ]);
});

test('two times are followed by their local times, with days if those differ from UTC', () => {
  const span = (to: string, zone: string | null) => spanText('2026-11-01T19:00:00.000Z', to, zone);
  assert.equal(span('2026-11-01T20:00:00.000Z', null), 'from 2026-11-01 19:00:00 UTC to 20:00:00 UTC');
  assert.equal(span('2026-11-01T20:00:00.000Z', 'UTC'), 'from 2026-11-01 19:00:00 UTC to 20:00:00 UTC');
  assert.equal(
    span('2026-11-01T22:00:00.000Z', 'Africa/Nairobi'),
    'from 2026-11-01 19:00:00 UTC to 22:00:00 UTC (22:00:00 to 2026-11-02 01:00:00 in Africa/Nairobi)',
  );
  assert.equal(span('2026-11-01T19:00:00.000Z', null), 'at 2026-11-01 19:00:00 UTC');
});

test('a length of time has at most two units, none of them zero', () => {
  for (const [ms, text] of [
    [0, '0 s'],
    [59_499, '59 s'],
    [59_500, '1 min'],
    [60_000, '1 min'],
    [200_000, '3 min 20 s'],
    [3_599_499, '59 min 59 s'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [172_800_000, '48 h'],
  ] as const)
    assert.equal(durationText(ms), text, `${ms} ms`);
});

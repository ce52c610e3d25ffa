import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted, grouped } from '../../../src/reports/text/counted-text.ts';

test('a count is grouped as in English, however large it is', () => {
  for (let digits = 1; digits <= 15; digits++)
    for (const count of [10 ** (digits - 1), 10 ** digits - 1, -(10 ** digits - 1)])
      assert.equal(grouped(count), count.toLocaleString('en-US'));
  assert.equal(grouped(0), '0');
  assert.equal(counted(12_345, 'row'), '12,345 rows');
});

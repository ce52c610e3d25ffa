import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairs } from '../../../src/cli/base/pairs.ts';

test('pairs have their values by name', () => {
  assert.deepEqual(pairs('--sum', 'KES=5', ['KES=1', 'UGX=2']), { KES: '1', UGX: '2' });
});

test('a name that is given twice is refused: nobody knows which value is meant', () => {
  for (const texts of [
    ['KES=1', 'KES=2'],
    ['KES=1', 'UGX=2', 'KES =1'],
  ])
    assert.throws(() => pairs('--expect-sum', 'KES=5', texts), {
      code: 'USAGE',
      message: '--expect-sum is given twice for "KES"',
    });
});

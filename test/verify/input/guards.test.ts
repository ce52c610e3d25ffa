import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvSafe } from '../../../src/core/money/spreadsheet-safe.ts';
import { unguarded, withoutInnerGuards } from '../../../src/verify/input/guards.ts';

test('the proof reads a protected cell as it was before, by rules of its own', () => {
  for (const text of [
    '',
    'plain',
    '=1+1',
    '-17',
    '@x',
    '+254712345678',
    '+254 712345678',
    'x;=1',
    '=1;=2',
    'a\n- b\n- c',
    'x;"=1',
    "'tis;=1",
    "a'b;-c",
    'x;\uFF1D1',
  ])
    assert.equal(unguarded(csvSafe(text)), text);
  // What was written before neither was written by no report of ours.
  for (const text of ["'tis", "'+254712345678", "O'Neill"]) assert.equal(unguarded(text), text);
  assert.equal(unguarded(undefined), undefined);
  assert.equal(withoutInnerGuards("'=1;'=2"), "'=1;=2");
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentRowRef } from '../../../src/core/identity/ids.ts';
import { areDistinct } from '../../../src/core/identity/similar-refs.ts';

for (const [a, b] of [
  ['0012', '12'],
  ['12', '12.0'],
  ['12,50', '12.5'],
  ['+12', '12'],
  ['000', '0'],
  ['1234567890123456', '1234567890123450'],
  ['250712345678', '2.50712E+11'],
  ['A-1', '2,5E+11'],
  ['nov-1', 'NOV-1'],
  ['NOV 1', 'NOV\u00a01'],
  ['Jos\u00e9', 'Jose\u0301'],
  ['NOV-1', 'NOV-1\uFE0F'],
  ['NOV-1', 'NOV\u3164-1'],
  ['NOV-1', '\u061CNOV-1\u180E'],
  ['0012', '12\u{E0001}'],
  ['NOV-1', contentRowRef(['+254712000001'], 1)],
] as const)
  test(`one may be a damaged copy of the other: ${a} and ${b}`, () => {
    assert.deepEqual([areDistinct(a, b), areDistinct(b, a)], [false, false]);
  });

for (const [a, b] of [
  ['12', '120'],
  ['12', '1.2'],
  ['12', '12.5'],
  ['NOV-1', 'NOV-01'],
  ['NOV-1', 'NOV-10'],
  ['A', 'B'],
  ['123456789012345', '123456789012340'],
  ['1234567890123456', '12345678901234560'],
] as const)
  test(`these belong to two rows: ${a} and ${b}`, () => {
    assert.deepEqual([areDistinct(a, b), areDistinct(b, a)], [true, true]);
  });

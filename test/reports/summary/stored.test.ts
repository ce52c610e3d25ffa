import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inputOf } from '../../../src/reports/summary/stored.ts';

test('the cells of a row are read as they were stored, whatever they contain', () => {
  const awkward = fc.constantFrom('', '","', '"', '\\', '\\","', ',', '["', '"]', '\n', '\ud800', '\u2028', 'plain');
  const cell = fc.oneof(
    awkward,
    fc.string(),
    fc.array(awkward).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(fc.array(cell), (cells) => {
      assert.deepEqual(inputOf({ input: JSON.stringify(cells) }), cells);
    }),
  );
});

test('a malformed stored value is refused, and not misread', () => {
  assert.deepEqual(inputOf({ input: '["a", "b"]' }), ['a', 'b']);
  for (const input of ['{}', '["a",1]', '["a"', '["]', '["a"b"]', 'null', ''])
    assert.throws(() => inputOf({ input }), input);
});

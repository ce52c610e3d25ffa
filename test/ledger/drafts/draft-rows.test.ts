import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinCells, splitCells } from '../../../src/ledger/drafts/draft-rows.ts';

test('cells come back unchanged, whatever they contain', () => {
  for (const cells of [
    [''],
    ['a', '', 'b'],
    ['tab\there', 'two\r\nlines'],
    ['\\t', '\\', '\\\\n\t'],
    ['"quoted"', "'"],
  ])
    assert.deepEqual(splitCells(joinCells(cells)), cells);
});

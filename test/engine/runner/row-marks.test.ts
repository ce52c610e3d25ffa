import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeRowMarks } from '../../../src/engine/runner/row-marks.ts';

test('marks of rows stay when later rows are marked, and no other row has one', () => {
  const marks = makeRowMarks();
  const rowNos = [1, 1_023, 1_024, 5_000, 999_999, 1_000_000];
  for (const rowNo of rowNos) marks.add(rowNo);
  for (const rowNo of rowNos) {
    assert.ok(marks.has(rowNo), `row ${rowNo}`);
    assert.equal(marks.has(rowNo + 2), false);
  }
  assert.equal(marks.has(10_000_000), false);
});

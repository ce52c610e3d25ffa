import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLines } from '../../../../src/console/pages/reports/csv-lines.ts';

test('lines of a CSV are read as they were written: quotes, empty cells, line ends in cells', () => {
  const text = '\uFEFFrow,before,after\r\n1,"say ""yes"", now",\n2,"two\nlines",x\n,,\n';
  assert.deepEqual(csvLines(text, 10), [
    ['row', 'before', 'after'],
    ['1', 'say "yes", now', ''],
    ['2', 'two\nlines', 'x'],
    ['', '', ''],
  ]);
  assert.deepEqual(csvLines('a,b', 10), [['a', 'b']], 'without a last line end');
  assert.deepEqual(csvLines('a\nb\nc\n', 2), [['a'], ['b']], 'as many as are wanted');
  assert.deepEqual(csvLines('', 10), []);
  assert.deepEqual(csvLines('a\n"b"c,d\n', 10), [['a']], 'and nothing of what is no CSV');
});

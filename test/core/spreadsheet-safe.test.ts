import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spreadsheetSafe, withoutSpreadsheetGuard } from '../../src/core/spreadsheet-safe.ts';

test('a cell that a spreadsheet would run as a formula is preceded by an apostrophe', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', '\uFF1D', '\uFF0B', '\uFF0D', '\uFF20']) {
    assert.equal(spreadsheetSafe(`${start}cmd|'/c calc'!A1`), `'${start}cmd|'/c calc'!A1`);
  }
});

test('a phone number in E.164 and nothing else that begins with a plus stays as it is', () => {
  assert.equal(spreadsheetSafe('+254712345678'), '+254712345678');
  for (const text of ['+123456', '+1234567890123456', '+254712345678+1', '+254 712345678', '+254712345678\n=1']) {
    assert.equal(spreadsheetSafe(text), `'${text}`);
  }
});

test('other cells stay as they are', () => {
  for (const text of ['', 'a=b', '1-2', "'=1", ' =1', '0.50', 'name@example.com'])
    assert.equal(spreadsheetSafe(text), text);
});

test('a cell that was made safe is found again as it was, and others are left alone', () => {
  for (const text of ['=1+1', '-17', '+254712345678', 'plain', "'quoted'", '@x', '', "'"]) {
    assert.equal(withoutSpreadsheetGuard(spreadsheetSafe(text)), text);
  }
  assert.equal(withoutSpreadsheetGuard("'tis"), "'tis");
});

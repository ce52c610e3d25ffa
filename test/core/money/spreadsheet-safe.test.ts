import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvSafe, spreadsheetSafe, withoutSpreadsheetGuard } from '../../../src/core/money/spreadsheet-safe.ts';

test('a cell that a spreadsheet would run as a formula gets an apostrophe in front', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', '\uFF1D', '\uFF0B', '\uFF0D', '\uFF20']) {
    assert.equal(spreadsheetSafe(`${start}cmd|'/c calc'!A1`), `'${start}cmd|'/c calc'!A1`);
  }
});

test('a phone number in E.164 stays unchanged, but nothing else that begins with a plus', () => {
  assert.equal(spreadsheetSafe('+254712345678'), '+254712345678');
  for (const text of ['+123456', '+1234567890123456', '+254712345678+1', '+254 712345678', '+254712345678\n=1']) {
    assert.equal(spreadsheetSafe(text), `'${text}`);
  }
});

test('other cells stay unchanged', () => {
  for (const text of ['', 'a=b', '1-2', "'=1", ' =1', '0.50', 'name@example.com'])
    assert.equal(spreadsheetSafe(text), text);
});

test('no part of a cell begins a formula if semicolons separate cells, or a line is cut', () => {
  for (const [text, safe] of [
    ['x;=HYPERLINK("http://a")', `x;'=HYPERLINK("http://a")`],
    ['=1;=2;@3', "'=1;'=2;'@3"],
    ['x;"=1;y', `x;'"=1;y`],
    ['Dear all\n-1\r\n+2\t=3', "Dear all\n'-1\r\n'+2\t'=3"],
    ['x;\uFF1D1', "x;'\uFF1D1"],
    ['x;+254712345678+1', "x;'+254712345678+1"],
  ] as const)
    assert.equal(csvSafe(text), safe);
  for (const text of ['a;b', 'x; =1', 'or;+254712345678;+254722345678', 'one\ntwo', 'a=b;c=d', ''])
    assert.equal(csvSafe(text), text);
});

test('no part does so with commas in a file that has other delimiters, and an amount stays an amount', () => {
  for (const [text, safe] of [
    ['x,=1', "x,'=1"],
    ['x,"@1,-2', `x,'"@1,'-2`],
    ['500,-', '500,-'],
    ['1,+254712345678', '1,+254712345678'],
  ] as const) {
    assert.equal(csvSafe(text, ';'), safe);
    assert.equal(withoutSpreadsheetGuard(safe), text);
    assert.equal(csvSafe(text), text);
  }
});

test('a protected cell can be restored, and other cells are not changed by that', () => {
  for (const text of ['=1+1', '-17', '+254712345678', 'plain', "'quoted'", '@x', '', "'"]) {
    assert.equal(withoutSpreadsheetGuard(spreadsheetSafe(text)), text);
  }
  for (const text of [
    'x;=1',
    '=1;=2',
    'Thanks ;-)',
    "'tis;=1",
    'a\n- b\n- c',
    'x;"=1',
    ';+254712345678',
    "a'b;-c",
    "x;''=1",
  ]) {
    assert.equal(withoutSpreadsheetGuard(csvSafe(text)), text);
  }
  assert.equal(withoutSpreadsheetGuard("'tis"), "'tis");
});

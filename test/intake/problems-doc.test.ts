import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { problemTable } from '../../src/core/state/problem-table.ts';
import { check, csv, goodRow, problemCodes, testCatalog } from './support.ts';

const root = resolve(import.meta.dirname, '../..');
const lines = readFileSync(join(root, 'docs/problems.md'), 'utf8').split('\n');
const table = lines
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [, code = '', title = '', verdict = '', example = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return { code: code.replaceAll('`', ''), title, verdict, example };
  });

describe('docs/problems.md', () => {
  test('has the codes of the program, in their order, with the same texts and verdicts', () => {
    assert.deepEqual(
      table.map(({ code, title, verdict }) => [code, title, verdict]),
      Object.entries(problemTable).map(([code, { title, verdict }]) => [code, title, verdict]),
    );
  });

  for (const { code, example } of table) {
    test(`has an example of ${code}`, async () => {
      assert.notEqual(example, '');
      const [, isLine, text = ''] = /^(line: )?`([^`]*)`$/.exec(example) ?? [];
      // An example in words is of something that no single row shows.
      if (text === '') return;
      const content =
        isLine === undefined
          ? csv([goodRow(Object.fromEntries(text.split(/; ?/).map((pair) => pair.split(/=(.*)/s).slice(0, 2))))])
          : `phone_number,network_id,amount,currency${code === 'QUOTE_STRAY' ? ',name' : ''}\n${text}\n`;
      const { rows } = await check(content, { catalog: testCatalog });
      assert.deepEqual(problemCodes(rows[0]), [code], content);
      assert.equal(rows[0]?.status, problemTable[code as keyof typeof problemTable].verdict);
    });
  }

  test('has the codes that the engine gives to rows', () => {
    for (const name of [
      'core/duplicates/duplicate-problems.ts',
      'core/duplicates/recipient-maximum.ts',
      'engine/decisions/release-or-skip.ts',
      'ledger/reporting/may-be-paid.ts',
    ]) {
      const source = readFileSync(join(root, 'src', name), 'utf8');
      const codes = [...source.matchAll(/code: '([A-Z_]+)'/g)].map(([, code = '']) => code);
      assert.notEqual(codes.length, 0);
      for (const code of codes) assert.ok(Object.hasOwn(problemTable, code), `${code} in ${name}`);
    }
  });

  test('has most of its examples in a form that this test runs', () => {
    assert.ok(table.filter(({ example }) => /^(line: )?`[^`]*`$/.test(example)).length > 25);
  });

  test('describes the ambiguous number as the program reads it', async () => {
    const row = goodRow({ phone_number: '2015550123' });
    const { rows } = await check(csv([row]), { settings: { country: 'US' } });
    assert.deepEqual(problemCodes(rows[0]), ['PHONE_AMBIGUOUS']);
  });
});

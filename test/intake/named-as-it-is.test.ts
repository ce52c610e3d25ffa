import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { check, csv, goodRow, problemCodes } from './support.ts';

const amountProblem = async (amount: string) => (await check(csv([goodRow({ amount })]))).rows[0]?.problems[0];

describe('a cell that is not an amount is named for what it is', () => {
  for (const date of [
    ...['2026-11-25', '25/11/2026', '25.11.2026', '11-25', '1/2', '2026-11-25 14:00', '2026-11-25T14:00:00'],
    ...['5-Nov', 'Nov-26', '5. November 2026', 'Nov 5, 2026', '05-avr-26', '3-Dez', '1-sept.', 'Mär 26'],
  ])
    test(`a date: ${date}`, async () => {
      const problem = await amountProblem(date);
      assert.equal(problem?.code, 'AMOUNT_NOT_A_NUMBER');
      assert.match(problem.message, /^"[^"]+" is a date, not an amount: a spreadsheet may have changed a number/);
    });

  for (const short of ['1.5E+03', '2E+5', '1,25e4', '-1E-2'])
    test(`the short form of a spreadsheet: ${short}`, async () => {
      const problem = await amountProblem(short);
      assert.equal(problem?.code, 'AMOUNT_NOT_A_NUMBER');
      assert.match(problem.message, /number as a spreadsheet shortens it: digits may be lost/);
    });

  for (const lost of ['1?500,00', '-2?500', '1?500?000.50', '1\uFFFD500,00'])
    test(`a space that was lost between thousands: ${lost}`, async () => {
      const problem = await amountProblem(lost);
      assert.deepEqual([problem?.code, problem?.values], ['AMOUNT_NOT_A_NUMBER', { why: 'space' }]);
      assert.match(problem?.suggestion ?? '', /CSV UTF-8/);
    });

  for (const text of ['much', '15?00', 'see note', '5-10 or so', 'Nobody'])
    test(`or simply not an amount: ${text}`, async () => {
      assert.match((await amountProblem(text))?.message ?? '', /^"[^"]+" is not an amount\.$/);
    });
});

test('a number with commas between its digits is one number formatted as an amount, not several', async () => {
  for (const phone_number of ['254,712,405,118', '+254,712,405,118', '254,712,405,118.00']) {
    const { rows } = await check(csv([goodRow({ phone_number })]));
    const [problem] = rows[0]?.problems ?? [];
    assert.equal(problem?.code, 'PHONE_NOT_A_NUMBER');
    assert.match(problem.message, /commas between its digits: a spreadsheet shows it as an amount/);
  }
  for (const phone_number of ['0712405118,0722405118', '254712405118, 254722405118']) {
    const { rows } = await check(csv([goodRow({ phone_number })]));
    assert.deepEqual(problemCodes(rows[0]), ['PHONE_SEVERAL']);
  }
});

describe('the DOS end-of-file mark', () => {
  const lines = csv([goodRow(), goodRow({ phone_number: '+254712345679' })]);

  test('is not a row, wherever a chunk ends, and however often it occurs', async () => {
    for (const end of ['\u001A', '\u001A'.repeat(40)])
      for (const chunkBytes of [1, 7, 4_096]) {
        const { rows } = await check(lines + end, { chunkBytes });
        assert.deepEqual(rows.map(problemCodes), [[], []]);
      }
  });

  test('may follow the last cell, which stays complete', async () => {
    const { rows } = await check(`${lines.trimEnd()}\u001A`);
    assert.deepEqual([rows[1]?.currency, rows.map(problemCodes)], ['KES', [[], []]]);
  });

  test('is kept if text follows it', async () => {
    const { rows } = await check(lines.replace('+254712345678', '\u001A+254712345678'), { chunkBytes: 1 });
    assert.equal(rows[0]?.input.includes('\\u001a+254712345678'), true);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { check, problemCodes } from './support.ts';

const header = 'phone_number,network_id,currency,amount,note';
const person = (index: number) => `+25471234567${index},1,KES`;
const codes = async (...lines: string[]) => {
  const { rows } = await check(`${lines.join('\n')}\n`);
  return rows.map((row) => problemCodes(row)[0] ?? `${row.amount}`);
};

describe('a thousands comma without quotes', () => {
  test('never pays the first group: its row has more cells than the header, even if the last is empty', async () => {
    assert.deepEqual(
      await codes(
        header,
        `${person(1)},500,x`,
        `${person(2)},2,400,note`,
        `${person(3)},2,400,`,
        `${person(4)},1,234,567,`,
      ),
      ['500', 'ROW_TOO_LONG', 'ROW_TOO_LONG', 'ROW_TOO_LONG'],
    );
  });

  test('differs from empty cells that every row has beyond the header, such as a comma at each end', async () => {
    assert.deepEqual(await codes(header, `${person(1)},500,x,`, `${person(2)},600,y,`), ['500', '600']);
    assert.deepEqual(await codes(header, `${person(1)},500,x,`, `${person(2)},600,y`), ['ROW_TOO_LONG', '600']);
    assert.deepEqual(await codes(header, `${person(1)},500,x,`, `${person(2)},600,y,,`), [
      'ROW_TOO_LONG',
      'ROW_TOO_LONG',
    ]);
  });

  test('is a question if the row has no extra cell: three digits follow the amount, and no field reads them', async () => {
    assert.deepEqual(
      await codes(
        header,
        `${person(1)},2,400`,
        `${person(2)},KES 12,400`,
        `${person(3)},1,234,567`,
        `${person(4)},2,400.50`,
        `${person(5)},2,400/=`,
      ),
      ['AMOUNT_AMBIGUOUS', 'AMOUNT_AMBIGUOUS', 'ROW_TOO_LONG', 'AMOUNT_AMBIGUOUS', 'AMOUNT_AMBIGUOUS'],
    );
    // Every row has its thousands parted, and its empty note beyond the header.
    assert.deepEqual(await codes(header, `${person(1)},2,400,`, `${person(2)},1,500,`), [
      'AMOUNT_AMBIGUOUS',
      'AMOUNT_AMBIGUOUS',
    ]);
  });

  test('is a question if the currency follows the split amount', async () => {
    assert.deepEqual(
      await codes(header, `${person(1)},1,500 KES`, `${person(2)},Ksh 1,500/-`, `${person(3)},50,101 Finance`),
      ['AMOUNT_AMBIGUOUS', 'AMOUNT_AMBIGUOUS', '50'],
    );
  });

  for (const field of ['reference', 'sms_message'])
    test(`is a question if the ${field} follows, and every row has a cell too many`, async () => {
      const withField = `phone_number,network_id,currency,amount,${field}`;
      assert.deepEqual(await codes(withField, `${person(1)},2,400,`, `${person(2)},1,500,`), [
        'AMOUNT_AMBIGUOUS',
        'AMOUNT_AMBIGUOUS',
      ]);
      assert.deepEqual(await codes(withField, `${person(1)},50,101`, `${person(2)},60,102`), ['50', '60']);
    });

  test('is a question whose text shows the whole amount', async () => {
    const { rows } = await check(`${header}\n${person(1)},2,400\n`);
    const [problem] = rows[0]?.problems ?? [];
    assert.equal(
      problem?.message,
      'The amount can be 2, or 2,400 that was split into two cells because it is not in quotes.',
    );
    assert.match(problem?.suggestion ?? '', /^Write "2,400" in quotes, or 2\.00; or save the file with semicolons/);
  });

  test('is excluded if no comma separates cells, if the amount is complete, or if a field reads what follows', async () => {
    const semicolons = (line: string) => line.replaceAll(',', ';');
    assert.deepEqual(await codes(...[header, `${person(1)},2,400`].map(semicolons)), ['2']);
    assert.deepEqual(await codes(header, `${person(1)},2.00,400`, `${person(2)},2500,400`, `${person(3)},2,40`), [
      '2',
      '2500',
      '2',
    ]);
    const beforeNetwork = 'phone_number,currency,amount,network_id';
    assert.deepEqual(await codes(beforeNetwork, '+254712345671,KES,2,400'), ['2']);
  });
});

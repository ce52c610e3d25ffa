import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AirbatchError } from '../../src/core/basics/errors.ts';
import { check, csv, goodRow } from './support.ts';

const rejection = async (content: string, settings: Record<string, unknown> = {}): Promise<AirbatchError | null> => {
  try {
    await check(content, { settings });
    return null;
  } catch (error) {
    assert.ok(error instanceof AirbatchError, String(error));
    assert.equal(error.code, 'FILE_REJECTED');
    return error;
  }
};

const three = (fields: (index: number) => Record<string, string>) =>
  csv([0, 1, 2].map((index) => goodRow({ phone_number: `+25471234567${index}`, ...fields(index) })));

describe('two columns that could be the same field', () => {
  for (const other of [
    'airtime amount',
    'Net amount',
    'gross',
    'Total',
    'Balance (KES)',
    'Basic salary',
    'net pay',
    'Value',
    'Montant brut',
    'Net à verser',
    'Saldo',
    'Salário líquido',
    'Jumla',
    'Bruttobetrag',
    'Nettolohn',
  ]) {
    test(`stop the file until a mapping chooses: "amount" and "${other}"`, async () => {
      const content = three((index) => ({ amount: `${50_000 + index}`, [other]: `${100 + index}.50` }));
      const error = await rejection(content);
      assert.equal(
        error?.message,
        `the columns "amount" and "${other}" could each be the amount: "amount" has 50000; 50001; 50002, "${other}" has 100.50; 101.50; 102.50`,
      );
      assert.match(error.hint, /--map amount="amount"/);
      assert.ok(error.hint.includes(`--map amount="${other}"`));
      const { rows } = await check(content, { settings: { columns: { amount: other } } });
      assert.equal(rows[0]?.amount, '100.5');
      assert.equal(await rejection(content, { columns: { amount: 'amount' } }), null);
    });
  }

  test('are not a problem if one holds something else', async () => {
    for (const [name, value] of [
      ['pay date', '2026-11-25'],
      ['Total hours', '40'],
      ['pay grade', '7'],
      ['Salary account', '+254712345678'],
      ['Net name', 'Amina'],
      ['balance', ''],
      ['Mobile model', 'Nokia 105'],
      ['department', '101'],
    ] as const)
      assert.equal(await rejection(three(() => ({ amount: '1500', [name]: value }))), null, name);
  });

  test('may be two numbers of a person: only their last digits are shown, since a rejection is stored and sent', async () => {
    for (const name of ['phone', 'WhatsApp', 'Alternative phone', 'Phone 2', 'Next of kin tel']) {
      const error = await rejection(three((index) => ({ [name]: `072234567${index}` })));
      assert.match(error?.message ?? '', /"phone_number" has \+254…70; \+254…71; \+254…72, /, name);
      assert.ok(error?.message.includes(`"${name}" has 0722…70`), error?.message);
    }
  });

  test('may be two references', async () => {
    for (const name of ['Payment reference', 'Invoice ref', 'ref no']) {
      const error = await rejection(three((index) => ({ reference: `R-${index}`, [name]: `I-${index}` })));
      assert.match(error?.message ?? '', /could each be the reference: "reference" has R-0; R-1; R-2, /, name);
    }
  });

  test('are detected if the rows arrive in small pieces', async () => {
    const content = three((index) => ({ amount: '5', gross: `${index + 1}` }));
    await assert.rejects(check(content, { chunkBytes: 7 }), /"gross" has 1; 2; 3/);
  });
});

describe('a missing column', () => {
  const lines = (header: string, ...rows: string[]) => [header, ...rows, ''].join('\n');
  const people = ['+254712345671,1,1200,KES', '+254712345672,1,1500,KES', '+254712345673,1,900,KES'];

  for (const [column, field] of [
    ['Net à verser', 'amount'],
    ['amout', 'amount'],
    ['Slary', 'amount'],
    ['Mobile de la personne', 'phone_number'],
    ['phnoe', 'phone_number'],
    ['Network of the person', 'network_id'],
  ] as const) {
    test(`is proposed with its values: "${column}" for ${field}`, async () => {
      const header = ['phone_number', 'network_id', 'amount', 'currency'].map((name) =>
        name === field ? column : name,
      );
      const error = await rejection(lines(header.join(','), ...people));
      const values = { amount: '1200; 1500; 900', phone_number: '+254…71; +254…72; +254…73', network_id: '1; 1; 1' };
      assert.ok(
        error?.hint.startsWith(
          `Did you mean "${column}" for ${field} ("${column}" has ${values[field]})? Then add --map ${field}="${column}". `,
        ),
        error?.hint,
      );
      await check(lines(header.join(','), ...people), { settings: { columns: { [field]: column } } });
    });
  }

  test('is not proposed by chance', async () => {
    for (const column of ['note', 'pay date', 'amuse', 'hours']) {
      const error = await rejection(lines(`phone_number,network_id,${column},currency`, ...people));
      assert.doesNotMatch(error?.hint ?? '', /Did you mean/, column);
    }
  });
});

test('is explained if the whole table is in one column', async () => {
  for (const content of [
    '"phone_number,network_id,amount,currency"\n"+254712345671,1,1200,KES"\n',
    '"phone_number;network_id;amount;currency"\n"+254712345671;1;1200;KES"\n',
    '"phone_number,""network_id"",amount,currency",,,\n"+254712345671,1,1200,KES",,,\n',
  ]) {
    const error = await rejection(content);
    assert.equal(error?.message, 'the whole table is in one column: each line is a single cell');
    assert.match(error.hint, /"Text to Columns".* remove the quotes around each line/);
  }
});

describe('columns with the same name', () => {
  const rows = '+254712345678,1,5,KES,a,b\n+254712345679,1,6,KES,c,d\n';

  test('that are not read are kept, with a note', async () => {
    const { rows: checked, findings } = await check(`phone_number,network_id,amount,currency,note,note\n${rows}`);
    assert.deepEqual(
      checked.map(({ status, input }) => [status, JSON.parse(input).slice(4)]),
      [
        ['ready', ['a', 'b']],
        ['ready', ['c', 'd']],
      ],
    );
    assert.deepEqual(findings.warnings, [
      'More than one column is named "note": none of them is read, and all are kept.',
    ]);
  });

  test('cannot be read, neither by name nor by mapping', async () => {
    const twice = `phone_number,network_id,amount,currency,pay,pay\n${rows}`;
    assert.match(
      (await rejection(twice, { columns: { reference: 'pay' } }))?.message ?? '',
      /two columns are named "pay"/,
    );
    assert.match(
      (await rejection(twice, { columns: { reference: 'Pay' } }))?.message ?? '',
      /two columns are named "pay"/,
    );
    const amounts = `phone_number,network_id,amount,currency,note,amount\n${rows}`;
    assert.match((await rejection(amounts))?.message ?? '', /two columns are named "amount"/);
  });
});

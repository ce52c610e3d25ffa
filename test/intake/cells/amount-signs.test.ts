import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { check, csv, problemCodes } from '../support.ts';

type Sign = '.' | ',';

/** One row of each currency: with two decimals, with none, with three. */
const rowOf = {
  KES: { phone_number: '+254712345678', network_id: '1', currency: 'KES' },
  UGX: { phone_number: '+256772345678', network_id: '4', currency: 'UGX' },
  TND: { phone_number: '+21620123456', network_id: '9', currency: 'TND' },
} as const;
type Currency = keyof typeof rowOf;

/** The amounts of a column, read together: what each row is paid, or its problem. */
async function read(cells: readonly (readonly [amount: string, currency: Currency])[], set: Sign | 'auto' = 'auto') {
  const rows = cells.map(([amount, currency], index) => ({ ...rowOf[currency], amount, reference: `R-${index}` }));
  const { rows: checked, findings } = await check(csv(rows), {
    settings: { decimalSign: set, duplicates: 'allow' },
    chunkBytes: 64,
  });
  const amounts = checked.map((row) => (row.status === 'ready' ? row.amount : (problemCodes(row)[0] ?? row.status)));
  return { amounts, findings, checked };
}

const asked = 'AMOUNT_AMBIGUOUS';

/**
 * What else stands in the column, written with "," between thousands: with "." for "," and "," for ".", the same
 * holds.
 */
const columns = {
  'nothing else': [],
  'whole numbers': ['2000', '350'],
  'a decimal point': ['99.50'],
  'a decimal point after grouped thousands': ['1,234.50'],
  'grouped millions': ['1,234,567'],
  'an amount that says it is whole': ['7,500/='],
  'a decimal comma': ['99,50'],
  'a decimal comma after grouped thousands': ['1.234,50'],
  'millions grouped by points': ['1.234.567'],
  'a point and a comma before decimals': ['99.50', '99,50'],
  'three digits after a point': ['99.50', '2.000'],
  'three decimals': ['1,234.500', '99.50'],
} as const;
type Column = keyof typeof columns;

/** Whether "1,500" is 1500 without being asked about, by the currency of its row. */
const isThousands: Record<Column, Record<Currency, boolean>> = {
  'nothing else': { KES: false, UGX: true, TND: false },
  'whole numbers': { KES: false, UGX: true, TND: false },
  'a decimal point': { KES: true, UGX: true, TND: false },
  'a decimal point after grouped thousands': { KES: true, UGX: true, TND: false },
  'grouped millions': { KES: true, UGX: true, TND: false },
  'an amount that says it is whole': { KES: true, UGX: true, TND: false },
  'a decimal comma': { KES: false, UGX: false, TND: false },
  'a decimal comma after grouped thousands': { KES: false, UGX: false, TND: false },
  'millions grouped by points': { KES: false, UGX: false, TND: false },
  'a point and a comma before decimals': { KES: false, UGX: false, TND: false },
  'three digits after a point': { KES: false, UGX: true, TND: false },
  'three decimals': { KES: false, UGX: true, TND: false },
};

/**
 * What "1,500" is where a person says which sign begins decimals; null: it is still asked about, since the file shows
 * the opposite.
 */
const bySign: Record<Column, { '.': Record<Currency, string | null>; ',': string | null }> = {
  'nothing else': { '.': { KES: '1500', UGX: '1500', TND: '1500' }, ',': '1.5' },
  'whole numbers': { '.': { KES: '1500', UGX: '1500', TND: '1500' }, ',': '1.5' },
  'a decimal point': { '.': { KES: '1500', UGX: '1500', TND: '1500' }, ',': null },
  'a decimal point after grouped thousands': { '.': { KES: '1500', UGX: '1500', TND: '1500' }, ',': null },
  'grouped millions': { '.': { KES: '1500', UGX: '1500', TND: '1500' }, ',': null },
  'an amount that says it is whole': { '.': { KES: '1500', UGX: '1500', TND: '1500' }, ',': null },
  'a decimal comma': { '.': { KES: '1500', UGX: '1500', TND: null }, ',': '1.5' },
  'a decimal comma after grouped thousands': { '.': { KES: '1500', UGX: '1500', TND: null }, ',': '1.5' },
  'millions grouped by points': { '.': { KES: '1500', UGX: '1500', TND: null }, ',': '1.5' },
  'a point and a comma before decimals': { '.': { KES: '1500', UGX: '1500', TND: null }, ',': null },
  'three digits after a point': { '.': { KES: '1500', UGX: '1500', TND: '1500' }, ',': null },
  'three decimals': { '.': { KES: '1500', UGX: '1500', TND: '1500' }, ',': null },
};

const mirrored = (text: string) => text.replace(/[.,]/g, (sign) => (sign === '.' ? ',' : '.'));
const currencies = Object.keys(rowOf) as Currency[];
const columnNames = Object.keys(columns) as Column[];

describe('an amount with one separator and three digits after it', () => {
  for (const name of columnNames) {
    for (const currency of currencies) {
      for (const turn of [(text: string) => text, mirrored]) {
        const doubtful = turn('1,500');
        const others = columns[name].map((amount) => [turn(amount), 'KES'] as const);
        const expected = isThousands[name][currency] ? '1500' : asked;

        test(`such as ${doubtful} of ${currency} beside ${name} (${others.map(([amount]) => amount).join(' ')}): ${expected}`, async () => {
          for (const forms of [[doubtful], [`${currency} ${doubtful}`], [doubtful, doubtful]]) {
            const cells = forms.map((amount) => [amount, currency] as const);
            const before = (await read([...cells, ...others])).amounts.slice(0, cells.length);
            const after = (await read([...others, ...cells])).amounts.slice(others.length);
            assert.deepEqual(before, Array(cells.length).fill(expected));
            assert.deepEqual(after, before);
          }
        });

        test(`such as ${doubtful} of ${currency} beside ${name} is read by the decimal sign that a person gives`, async () => {
          const point = turn('.') as Sign;
          const comma = turn(',') as Sign;
          const cells = [[doubtful, currency] as const, ...others];
          assert.equal((await read(cells, point)).amounts[0], bySign[name]['.'][currency] ?? asked);
          const decimal = bySign[name][','];
          // UGX has no cents, so the decimal reading is refused for its decimals.
          const ofCurrency = decimal !== null && currency === 'UGX' ? 'AMOUNT_DECIMALS' : decimal;
          assert.equal((await read(cells, comma)).amounts[0], ofCurrency ?? asked);
        });
      }
    }
  }

  for (const [cells, expected] of [
    [
      ['500,00', '5,000'],
      ['500', asked],
    ],
    [
      ['99.50', '1.500'],
      ['99.5', asked],
    ],
    [
      ['99,50', '1,500', '2,000', '12,345'],
      ['99.5', asked, asked, asked],
    ],
    [
      ['99,50', '5,000/='],
      ['99.5', '5000'],
    ],
    [
      ['99,50', '5.000/-'],
      ['99.5', '5000'],
    ],
    [
      ['99.50', '5.000,-'],
      ['99.5', '5000'],
    ],
    [['0.500'], [asked]],
    [['1234.500'], [asked]],
    [['1,234.500'], [asked]],
    [['1 234,500'], [asked]],
    [['.500'], [asked]],
    [['1234.5000'], ['1234.5']],
    [
      ['1,234.50', '1.234,50', '12,34,567.50'],
      ['1234.5', '1234.5', '1234567.5'],
    ],
  ] as const) {
    test(`is a question in ${cells.join(' | ')} of KES if it is not a plain thousand`, async () => {
      assert.deepEqual((await read(cells.map((amount) => [amount, 'KES']))).amounts, expected);
    });
  }

  test('is never read as a few units of a currency without decimals', async () => {
    const read5000 = await read([
      ['5000.00', 'UGX'],
      ['5.000', 'UGX'],
    ]);
    assert.deepEqual(read5000.amounts, ['5000', asked]);
    assert.deepEqual((await read([['5.000', 'UGX']])).amounts, ['5000']);
    assert.deepEqual((await read([['5000.000', 'UGX']])).amounts, [asked]);
  });

  test('is a question whose text names both readings, the reason with its line, and the option', async () => {
    const { checked } = await read([
      ['99,50', 'KES'],
      ['1,500', 'KES'],
    ]);
    const [problem] = checked[1]?.problems ?? [];
    assert.equal(
      problem?.message,
      'The amount can be 1500 or 1.5: line 2 has a decimal comma, and three digits after a sign are thousands in most files.',
    );
    assert.equal(
      problem?.suggestion,
      'Write 1500 or 1.5. Or name the decimal sign of the whole file: --decimal . (then it is 1500) or --decimal , (then it is 1.5).',
    );
  });

  test('gets a note if the column mixes decimal points and commas', async () => {
    const mixed = await read([
      ['99,50', 'KES'],
      ['100.25', 'KES'],
    ]);
    assert.equal(mixed.findings.file.decimal_sign, 'both');
    assert.match(
      mixed.findings.warnings.join(),
      /decimal point \(first in line 3\) and others a decimal comma \(first in line 2\)/,
    );
    for (const [amount, sign] of [
      ['99.50', '.'],
      ['99,50', ','],
      ['100', null],
    ] as const) {
      const { findings } = await read([[amount, 'KES']]);
      assert.deepEqual([findings.file.decimal_sign, findings.warnings], [sign, []]);
    }
  });
});

/** How people of a place write an amount: its sign between groups, its decimal sign, and how long its groups are. */
interface Style {
  group: string;
  sign: Sign;
  isIndian?: boolean;
  end?: string;
}

const styles: readonly Style[] = [
  { group: ',', sign: '.' },
  { group: '.', sign: ',' },
  { group: ' ', sign: ',' },
  { group: '\u202F', sign: ',' },
  { group: "'", sign: '.' },
  { group: '', sign: '.' },
  { group: '', sign: ',' },
  { group: ',', sign: '.', isIndian: true },
  { group: ',', sign: '.', end: '/=' },
  { group: '.', sign: ',', end: ',-' },
];

const decimalsOf: Record<Currency, number> = { KES: 2, UGX: 0, TND: 3 };

/** An amount in its smallest unit as somebody of that style writes it; `isFull`: with all decimals, else whole. */
function written(minor: number, currency: Currency, { group, sign, isIndian, end }: Style, isFull: boolean): string {
  const decimals = end === undefined && isFull ? decimalsOf[currency] : 0;
  const digits = String(minor).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const grouped = whole.replace(isIndian ? /\B(?=(?:\d{2})*\d{3}$)/g : /\B(?=(?:\d{3})+$)/g, group);
  return `${grouped}${decimals === 0 ? '' : sign + digits.slice(-decimals)}${end ?? ''}`;
}

function valueMeant(minor: number, currency: Currency, style: Style, isFull: boolean): string {
  const decimals = style.end === undefined && isFull ? decimalsOf[currency] : 0;
  return String(minor / 10 ** decimals);
}

const amount = fc.record({
  minor: fc.oneof(
    fc.integer({ min: 1, max: 9_999_999 }),
    fc.integer({ min: 1, max: 9_999 }).map((n) => n * 1_000),
  ),
  currency: fc.constantFrom(...currencies),
  isFull: fc.boolean(),
});

describe('a column of amounts', () => {
  test('with mixed styles is never read 100 or 1000 times too small or too large: a row is read as meant, or is a question', async () => {
    const mixed = fc.array(fc.tuple(amount, fc.constantFrom(...styles)), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(mixed, async (rows) => {
        const cells = rows.map(
          ([{ minor, currency, isFull }, style]) => [written(minor, currency, style, isFull), currency] as const,
        );
        const { amounts } = await read(cells);
        for (const [index, [{ minor, currency, isFull }, style]] of rows.entries()) {
          if (amounts[index] === asked) continue;
          assert.equal(amounts[index], valueMeant(minor, currency, style, isFull), JSON.stringify(cells));
        }
      }),
      { numRuns: 400 },
    );
  });

  test('of one style is read without a question as soon as one amount shows its decimals', async () => {
    const ofStyle = fc.tuple(fc.array(amount, { maxLength: 6 }), fc.constantFrom(...styles.filter(({ end }) => !end)));
    await fc.assert(
      fc.asyncProperty(ofStyle, async ([given, style]) => {
        const rows = given.filter(({ currency }) => currency !== 'TND');
        const all = [...rows, { minor: 123_450, currency: 'KES' as const, isFull: true }];
        const cells = all.map(
          ({ minor, currency, isFull }) => [written(minor, currency, style, isFull), currency] as const,
        );
        const { amounts } = await read(cells);
        assert.deepEqual(
          amounts,
          all.map(({ minor, currency, isFull }) => valueMeant(minor, currency, style, isFull)),
        );
      }),
      { numRuns: 150 },
    );
  });

  test('of one style is read as a person says, three decimals included', async () => {
    const ofStyle = fc.tuple(fc.array(amount, { minLength: 1, maxLength: 6 }), fc.constantFrom(...styles.slice(0, 7)));
    await fc.assert(
      fc.asyncProperty(ofStyle, async ([rows, style]) => {
        const cells = rows.map(
          ({ minor, currency, isFull }) => [written(minor, currency, style, isFull), currency] as const,
        );
        const { amounts } = await read(cells, style.sign);
        assert.deepEqual(
          amounts,
          rows.map(({ minor, currency, isFull }) => valueMeant(minor, currency, style, isFull)),
        );
      }),
      { numRuns: 150 },
    );
  });
});

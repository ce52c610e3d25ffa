import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Big from 'big.js';
import fc from 'fast-check';
import { fromMinorUnits, MinorSums, minorUnits, plainDecimal, readAmount } from '../../../src/intake/cells/amount.ts';

/** What is written, and its value; a currency beside it, and the decimal sign that it proves. */
const read: [written: string, value: string, currency?: string | null, sign?: '.' | ','][] = [
  ['1000', '1000'],
  ['1,234.50', '1234.5', null, '.'],
  ['1.234,50', '1234.5', null, ','],
  ['1 234,50', '1234.5', null, ','],
  ['1\u00A0234,50', '1234.5', null, ','],
  ['1\u202F234\u202F567', '1234567'],
  ["1'234.50", '1234.5', null, '.'],
  ['1’234.50', '1234.5', null, '.'],
  ['1,234,567', '1234567', null, '.'],
  ['1.234.567', '1234567', null, ','],
  ['12,34,567.89', '1234567.89', null, '.'],
  ['10.5', '10.5', null, '.'],
  ['10,5', '10.5', null, ','],
  ['10.50', '10.5', null, '.'],
  ['0.125', '0.125', null, '.'],
  ['.5', '0.5', null, '.'],
  ['1234.567', '1234.567', null, '.'],
  ['007', '7'],
  ['+5', '5'],
  ['KES 1,234.50', '1234.5', 'KES', '.'],
  ['1234.50 kes', '1234.5', 'KES', '.'],
  ['KES1000', '1000', 'KES'],
  ['1000KES', '1000', 'KES'],
  ['KSh 500', '500', 'KES'],
  ['Ksh. 500', '500', 'KES'],
  ['₦5,000.00', '5000', 'NGN', '.'],
  ['GH₵ 60', '60', 'GHS'],
  ['€ 12,50', '12.5', 'EUR', ','],
  ['R 99.90', '99.9', 'ZAR', '.'],
  ['$ 10', '10'],
  ['3000 FCFA', '3000', 'FCFA'],
  ['CFA 3000', '3000', 'FCFA'],
  ['3000 fcfa', '3000', 'FCFA'],
  ['ksh 500', '500', 'KES'],
  ['5 000 FC', '5000', 'CDF'],
  ['300,50 MT', '300.5', 'MZN', ','],
  ['Kz 1.500,00', '1500', 'AOA', ','],
  ['2 000Frw', '2000', 'RWF'],
  ['500 Tshs', '500', 'TZS'],
  ['5 000 F CFA', '5000', 'FCFA'],
  ['5\u202F000\u00A0F\u00A0CFA', '5000', 'FCFA'],
  ['5 000 F.CFA.', '5000', 'FCFA'],
  ['5000F CFA', '5000', 'FCFA'],
  ['F CFA 5 000,50', '5000.5', 'FCFA', ','],
  ['5000 francs CFA', '5000', 'FCFA'],
  ['5 000 Frs CFA', '5000', 'FCFA'],
  ['٥٠٠', '500'],
  ['١٬٢٣٤٫٥٠', '1234.5', null, '.'],
  ['５００', '500'],
  ['="500"', '500'],
  ["'500", '500'],
  ['500/-', '500'],
  ['500/=', '500'],
  ['KES 500/=', '500', 'KES'],
  ['500,-', '500'],
];

const none = [
  '',
  '-',
  '.',
  ',',
  'much',
  `1${' '.repeat(200_000)}x`,
  '1E+3',
  '1.5E+03',
  'five hundred',
  '1,2,3',
  '1.2.3',
  '12,345,67',
  '1,23,45',
  '1 23',
  '1.234,567.8',
  '12 34 567',
  '5OO',
  '10 %',
  '10%',
  '5-10',
  '1e400',
  '1.23E-2',
  '1.2345E+2',
  '#VALUE!',
  'KES KES 5',
  'KES 5 KES',
  'XYZ 5',
  '0x10',
  '٥.٥.٥',
  '1/2',
  '--5',
];

describe('an amount', () => {
  for (const [written, value, currency = null, sign = null] of read) {
    test(`written ${JSON.stringify(written)} is ${value}`, () => {
      const reading = readAmount(written);
      assert.deepEqual(reading, { kind: 'read', value, negative: false, currency, decimalSign: sign });
    });
  }

  for (const written of none) {
    test(`is not ${JSON.stringify(written.slice(0, 40))}`, () => assert.equal(readAmount(written).kind, 'none'));
  }

  for (const [written, grouped, decimal] of [
    ['1,234', '1234', '1.234'],
    ['1.234', '1234', '1.234'],
    ['123.400', '123400', '123.4'],
    ['KES 12,345', '12345', '12.345'],
  ] as const) {
    test(`written ${JSON.stringify(written)} can be ${grouped} or ${decimal}`, () => {
      const reading = readAmount(written);
      assert.ok(reading.kind === 'ambiguous');
      assert.deepEqual([reading.grouped, reading.decimal], [grouped, decimal]);
    });
  }

  for (const written of ['-5', '(5)', '−5', 'KES -5', '-KES 5', '5-', '(KES 5.00)']) {
    test(`written ${JSON.stringify(written)} is negative`, () => {
      const reading = readAmount(written);
      assert.ok(reading.kind === 'read' && reading.negative, JSON.stringify(reading));
      assert.equal(reading.value, '5');
    });
  }

  test('is read exactly, however it is grouped', () => {
    const cents = fc.bigInt({ min: 1n, max: 10n ** 13n - 1n });
    fc.assert(
      fc.property(cents, fc.constantFrom(',', ' ', "'", '\u00A0'), (minor, group) => {
        const value = fromMinorUnits(minor, 2);
        const [whole = '', fraction = ''] = value.split('.');
        const written = `${whole.replace(/\B(?=(\d{3})+$)/g, group)}.${fraction.padEnd(2, '0')}`;
        const reading = readAmount(written);
        assert.ok(reading.kind === 'read', written);
        assert.equal(reading.value, value);
        assert.equal(minorUnits(reading.value, 2), minor);
      }),
    );
  });

  test('is read the same with and without signs that must be removed first', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{0,18}[.,]?[0-9]{0,4}$/), (written) => {
        assert.deepEqual(readAmount(written), readAmount(` ${written}`));
      }),
      { numRuns: 3_000 },
    );
  });

  test('is never another number than its digits say', () => {
    const text = fc.string({ unit: fc.constantFrom(..."0123456789.,' -+()KESe/=".split('')), maxLength: 14 });
    fc.assert(
      fc.property(text, (written) => {
        const reading = readAmount(written);
        if (reading.kind === 'none') return;
        const digits = (value: string) => value.replace(/[^0-9]/g, '').replace(/^0+|0+$/g, '');
        const values = reading.kind === 'read' ? [reading.value] : [reading.grouped, reading.decimal];
        for (const value of values) {
          assert.match(value, /^(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/);
          if (!/e/i.test(written)) assert.equal(digits(value), digits(written));
        }
      }),
      { numRuns: 3_000 },
    );
  });
});

test('a decimal has one canonical form', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.integer({ min: 0, max: 4 }), (units, decimals) => {
      const plain = fromMinorUnits(units, decimals);
      assert.equal(plain, new Big(String(units)).div(new Big(10).pow(decimals)).toFixed());
      assert.equal(plainDecimal(plain), plain);
    }),
  );
});

test('sums are exact, however large the sums and their parts are', () => {
  const part = fc.tuple(
    fc.constantFrom('KES', 'UGX', 'BHD', 'XXX'),
    fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.bigInt({ min: 10n ** 14n, max: 10n ** 15n })),
  );
  const decimals: Record<string, number> = { KES: 2, UGX: 0, BHD: 3, XXX: 0 };
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const [sums, others] = [new MinorSums(), new MinorSums()];
      const expected: Record<string, bigint> = {};
      for (const [index, [currency, minor]] of parts.entries()) {
        const value = fromMinorUnits(minor, decimals[currency] ?? 0);
        (index % 3 === 0 ? others : sums).add(currency, value);
        expected[currency] = (expected[currency] ?? 0n) + minor;
      }
      sums.addAll(others);
      for (const currency of Object.keys(decimals)) {
        assert.equal(sums.of(currency), fromMinorUnits(expected[currency] ?? 0n, decimals[currency] ?? 0));
      }
      assert.deepEqual(Object.keys(sums.toObject()), Object.keys(expected).sort());
    }),
    { numRuns: 1_000 },
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { intakeSettings } from '../../../src/intake/columns/settings.ts';
import { makeRowCheck } from '../../../src/intake/mending/check-one.ts';
import { type FixName, fixes, fixesFor } from '../../../src/intake/mending/fixes.ts';

const header = ['phone_number', 'network_id', 'amount', 'currency'];
const { context } = makeRowCheck({
  ...{ header, sample: [], settings: intakeSettings({ country: 'KE' }), delimiter: ',', fromSheet: null },
  catalog: null,
  findEvidence: () => Promise.reject(new Error('no amount is doubtful')),
});

test('strip_signs makes no number of a date', () => {
  const inMauritania = { ...context, settings: { ...context.settings, country: 'MR' } };
  const cells = ['2026-11-05', '1', '5', 'KES'];
  assert.equal(fixes.strip_signs.mend(cells, inMauritania, ''), null);
});

for (const [name, cells, value, expected] of [
  ['add_country_code', ['0712345678', '1', '5', 'KES'], 'KE', ['+254712345678', '1', '5', 'KES']],
  ['add_country_code', ['12', '1', '5', 'KES'], 'KE', null],
  ['strip_signs', ['tel 0712 345 678 (home)', '1', '5', 'KES'], '', ['+254712345678', '1', '5', 'KES']],
  ['strip_signs', ['07I2345678', '1', '5', 'KES'], '', null],
  ['swap_cells', ['500', '1', '+254712345678', 'KES'], '', ['+254712345678', '1', '500', 'KES']],
  ['swap_cells', ['500', '1', '700', 'KES'], '', null],
  ['read_decimal', ['0712345678', '1', '1,234', 'KES'], '.', ['0712345678', '1', '1234', 'KES']],
  ['read_decimal', ['0712345678', '1', '1,234', 'KES'], ',', ['0712345678', '1', '1.234', 'KES']],
  ['read_decimal', ['0712345678', '1', '1.234,500', 'KES'], ',', ['0712345678', '1', '1234.5', 'KES']],
  ['keep_amount', ['0712345678', '1', '750', 'KES'], '', ['0712345678', '1', '750.00', 'KES']],
  ['keep_amount', ['0712345678', '1', 'KES 750', ''], '', ['0712345678', '1', 'KES 750.00', '']],
  ['keep_amount', ['0712345678', '1', '1,234', 'KES'], '', null],
  ['set_currency', ['0712345678', '1', '5'], 'KES', ['0712345678', '1', '5', 'KES']],
  ['set_country', ['0712345678', '1', '5', 'KES'], 'KE', null],
  ['exclude_rows', ['x'], '', 'exclude'],
] as [FixName, string[], string, string[] | 'exclude' | null][])
  test(`${name} of ${cells.join(' | ')} (${value}) is ${expected === null ? 'left to a person' : expected}`, () => {
    assert.deepEqual(fixes[name].mend(cells, context, value), expected);
  });

test('a fix is offered for its problems if the file has the column', () => {
  assert.deepEqual(fixesFor('CURRENCY_MISSING', context.plan), ['set_currency', 'exclude_rows']);
  assert.deepEqual(fixesFor('CURRENCY_MISSING', { phone_number: 0 }), ['exclude_rows']);
  assert.deepEqual(fixesFor('AMOUNT_AMBIGUOUS', context.plan, 'sign'), ['read_decimal', 'exclude_rows']);
  assert.deepEqual(fixesFor('AMOUNT_AMBIGUOUS', context.plan, 'split'), ['keep_amount', 'exclude_rows']);
  assert.deepEqual(fixesFor('PHONE_DIGITS_LOST', context.plan), ['exclude_rows']);
});

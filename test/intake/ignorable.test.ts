import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { check, csv, goodRow, problemCodes, testCatalog } from './support.ts';

/** One of each kind of Unicode's Default_Ignorable_Code_Point. */
const ignorable = [
  ...['\u00AD', '\u034F', '\u061C', '\u115F', '\u17B4', '\u180B', '\u180E', '\u200B', '\u200D', '\u202E'],
  ...['\u2060', '\u2065', '\u206F', '\u3164', '\uFE0F', '\uFEFF', '\uFFA0', '\u{1D173}', '\u{E0001}', '\u{E0100}'],
];

describe('invisible characters are ignored', () => {
  for (const character of ignorable) {
    const name = `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
    const within = (text: string) => `${text.slice(0, 2)}${character}${text.slice(2)}${character}`;

    test(`in numbers, amounts, currencies, networks and headers: ${name}`, async () => {
      const row = goodRow({ network_id: 'Safaricom', phone_number: within('+254712345678') });
      const hidden = { ...row, amount: within('1250.50'), currency: within('KES'), network_id: within('Safaricom') };
      const { rows } = await check(csv([hidden]).replace('amount', within('amount')), { catalog: testCatalog });
      const { phone_number, amount, currency, network_id, status } = rows[0] ?? {};
      assert.deepEqual(
        { phone_number, amount, currency, network_id, status },
        { phone_number: '+254712345678', amount: '1250.5', currency: 'KES', network_id: 1, status: 'ready' },
      );
    });

    test(`in references: ${name}`, async () => {
      const second = { reference: within('NOV-1'), phone_number: '+254712345679' };
      const { rows } = await check(csv([goodRow({ reference: 'NOV-1' }), goodRow(second)]));
      // Control and format characters make a reference one that cannot be used, so that no other row can be meant by
      // it.
      const isRefused = /\p{C}/u.test(character);
      assert.deepEqual(
        rows.map(problemCodes),
        isRefused ? [[], ['REFERENCE_INVALID']] : [['REFERENCE_TWICE'], ['REFERENCE_TWICE']],
      );
      const empty = await check(csv([goodRow({ reference: character }), goodRow({ ...second, reference: character })]));
      assert.deepEqual(
        empty.rows.map(({ has_reference, status }) => [has_reference, status]),
        [
          [false, 'ready'],
          [false, 'ready'],
        ],
      );
    });
  }
});

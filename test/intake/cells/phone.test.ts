import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type PhoneHint, readPhone } from '../../../src/intake/cells/phone.ts';
import { check, csv, goodRow, problemCodes } from '../support.ts';

const noHint: PhoneHint = { country: null, isOfRow: false };
const kenya: PhoneHint = { country: 'KE', isOfRow: false };
const kenyaInRow: PhoneHint = { country: 'KE', isOfRow: true };

const understood: [written: string, hint: PhoneHint, number: string][] = [
  ['+254712345678', noHint, '+254712345678'],
  ['254712345678', noHint, '+254712345678'],
  ['00254712345678', noHint, '+254712345678'],
  ['+254 712 345 678', noHint, '+254712345678'],
  ['+254-712-345-678', noHint, '+254712345678'],
  ['(+254) 712.345.678', noHint, '+254712345678'],
  ['+254 (0)712 345 678', noHint, '+254712345678'],
  ['254 0712 345678', noHint, '+254712345678'],
  ["'+254712345678", noHint, '+254712345678'],
  ['’0712345678', kenya, '+254712345678'],
  ['0712345678', kenya, '+254712345678'],
  ['712345678', kenya, '+254712345678'],
  ['0712/345/678', kenya, '+254712345678'],
  ['254712345678.0', noHint, '+254712345678'],
  ['254712345678,00', noHint, '+254712345678'],
  ['2.54712345678E+11', noHint, '+254712345678'],
  ['2,54712345678E+11', noHint, '+254712345678'],
  ['7.12345678E+08', kenya, '+254712345678'],
  ['\u200E+254\u00A0712\u202F345\u2009678\u200B', noHint, '+254712345678'],
  ['+254‑712‑345‑678', noHint, '+254712345678'],
  ['٠٧١٢٣٤٥٦٧٨', kenya, '+254712345678'],
  ['+۲۵۴۷۱۲۳۴۵۶۷۸', noHint, '+254712345678'],
  ['＋２５４７１２３４５６７８', noHint, '+254712345678'],
  ['२५४७१२३४५६७८', noHint, '+254712345678'],
  ['tel:+254712345678', noHint, '+254712345678'],
  ['"+254712345678"', noHint, '+254712345678'],
  ['="+254712345678"', noHint, '+254712345678'],
  ['=“0712345678”', kenya, '+254712345678'],
  ['+256772123456', kenya, '+256772123456'],
  ['0748123456', { country: 'UG', isOfRow: false }, '+256748123456'],
];

const refused: [written: string, hint: PhoneHint, code: string][] = [
  ['', noHint, 'PHONE_MISSING'],
  ['-', noHint, 'PHONE_MISSING'],
  ['n/a', noHint, 'PHONE_NOT_A_NUMBER'],
  ['#REF!', noHint, 'PHONE_NOT_A_NUMBER'],
  ['+254712345678 ext. 5', noHint, 'PHONE_NOT_A_NUMBER'],
  ['2.54713E+11', noHint, 'PHONE_DIGITS_LOST'],
  ['2,54713E11', noHint, 'PHONE_DIGITS_LOST'],
  ['2.54712E+11', kenya, 'PHONE_DIGITS_LOST'],
  ['########', noHint, 'PHONE_DIGITS_LOST'],
  ['254712000000.5', noHint, 'PHONE_NOT_A_NUMBER'],
  ['0712345678', noHint, 'PHONE_NEEDS_COUNTRY'],
  ['771234569', noHint, 'PHONE_NEEDS_COUNTRY'],
  ['2026-11-05', { country: 'MR', isOfRow: false }, 'PHONE_NOT_A_NUMBER'],
  ['5/11/2026', { country: 'GM', isOfRow: false }, 'PHONE_NOT_A_NUMBER'],
  // A number of Tanzania without its first 0, or one of Cameroon: as an international one, of New Caledonia or Tuvalu.
  ['687912345', noHint, 'PHONE_NEEDS_COUNTRY'],
  ['688901234', noHint, 'PHONE_NEEDS_COUNTRY'],
  ['0712345678 / 0722345678', kenya, 'PHONE_SEVERAL'],
  ['+254712345678, +254722345678', noHint, 'PHONE_SEVERAL'],
  ['0712345678 or 0722345678', kenya, 'PHONE_SEVERAL'],
  ['0712345678 0722345678', kenya, 'PHONE_SEVERAL'],
  ['+25471234567', noHint, 'PHONE_INVALID'],
  ['+2547123456789', noHint, 'PHONE_INVALID'],
  ['+999712345678', noHint, 'PHONE_INVALID'],
  ['0', kenya, 'PHONE_INVALID'],
  ['1'.repeat(100), noHint, 'PHONE_INVALID'],
  ['1'.repeat(200_000), noHint, 'PHONE_NOT_A_NUMBER'],
  ['+254202345678', noHint, 'PHONE_NOT_MOBILE'],
  ['+27800123456', noHint, 'PHONE_NOT_MOBILE'],
  ['+256772123456', kenyaInRow, 'PHONE_OTHER_COUNTRY'],
];

describe('a phone number', () => {
  test('is read the same with and without signs that must be removed first', () => {
    const hint = fc.constantFrom<PhoneHint>(noHint, kenya, kenyaInRow, { country: 'UG', isOfRow: true });
    const start = fc.constantFrom('+2547', '+25677', '+234803', '+1', '+44', '+', '', '07');
    fc.assert(
      fc.property(start, fc.stringMatching(/^[0-9]{4,14}$/), hint, (prefix, digits, of) => {
        const [plain, written] = [readPhone(`${prefix}${digits}`, of), readPhone(` ${prefix}${digits}`, of)];
        assert.deepEqual(plain, written);
      }),
      { numRuns: 5_000 },
    );
  });

  for (const [written, hint, number] of understood) {
    test(`written ${JSON.stringify(written)}${hint.country ? ` in ${hint.country}` : ''} is ${number}`, () => {
      const phone = readPhone(written, hint);
      assert.deepEqual('code' in phone ? phone : phone.number, number);
    });
  }

  for (const [written, hint, code] of refused) {
    test(`written ${JSON.stringify(written.slice(0, 40))}${hint.country ? ` in ${hint.country}` : ''} is refused (${code})`, () => {
      const phone = readPhone(written, hint);
      assert.equal('code' in phone ? phone.code : phone.number, code);
    });
  }

  test('that can be read nationally and internationally is a question, not a guess', () => {
    // Nine digits that are a mobile number of Zambia as they stand, and one of another country after a lost "+".
    const found: string[] = [];
    for (const country of ['ZM', 'UG', 'TZ', 'RW', 'SN', 'CI', 'BR', 'MX', 'CN', 'IN', 'DE']) {
      for (const written of [
        '966123456',
        '712345678',
        '31612345678',
        '491511234567',
        '919876543210',
        '8613800138000',
      ]) {
        const phone = readPhone(written, { country, isOfRow: false });
        if ('code' in phone && phone.code === 'PHONE_AMBIGUOUS') found.push(phone.message);
      }
    }
    assert.notEqual(found.length, 0);
    for (const message of found) assert.match(message, /can be read as \+\d+ or as \+\d+/);
  });

  test('is stored as understood, together with what was written', async () => {
    const { rows } = await check(csv([goodRow({ phone_number: '(0712) 345-678', country: 'Kenya' })]));
    assert.equal(rows[0]?.phone_number, '+254712345678');
    assert.equal((JSON.parse(rows[0]?.input ?? '') as string[])[0], '(0712) 345-678');
  });

  for (const country of ['KE', 'ke', 'Kenya', 'KENYA', '254', '+254', 'Kenya (KE)', 'KEN', 'ken']) {
    test(`is read in the country of its row: ${country}`, async () => {
      const { rows } = await check(csv([goodRow({ phone_number: '0712345678', country })]));
      assert.deepEqual([rows[0]?.phone_number, problemCodes(rows[0])], ['+254712345678', []]);
    });
  }

  for (const [country, written, number] of [
    ['Côte d’Ivoire', '0701020304', '+2250701020304'],
    ["Cote d'Ivoire", '0701020304', '+2250701020304'],
    ['Afrique du Sud', '0821234567', '+27821234567'],
    ['Südafrika', '0821234567', '+27821234567'],
    ['Moçambique', '821234567', '+258821234567'],
    ['Uingereza', '07400123456', '+447400123456'],
    ['Tanzania', '0754123456', '+255754123456'],
    ['Ivory Coast', '0701020304', '+2250701020304'],
    ['DR Congo', '0812345678', '+243812345678'],
    ['USA', '2015550123', '+12015550123'],
  ] as const) {
    test(`is read in a country given by its name: ${country}`, async () => {
      const { rows } = await check(csv([goodRow({ phone_number: written, country })]));
      assert.deepEqual([rows[0]?.phone_number, problemCodes(rows[0])], [number, []]);
    });
  }
});

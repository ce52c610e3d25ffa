import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { knownMobile, knownNationalMobile } from '../../../src/intake/cells/known-mobile.ts';

/** What the library says of a number: its E.164 and country where it is one that airtime can go to, else null. */
function byLibrary(text: string, country?: string): { number: string; country: string } | null {
  const phone = parsePhoneNumberFromString(text, country as CountryCode | undefined);
  if (!phone?.isValid() || phone.country === undefined) return null;
  const type = phone.getType();
  if (type !== undefined && type !== 'MOBILE' && type !== 'FIXED_LINE_OR_MOBILE') return null;
  return { number: phone.number, country: phone.country };
}

const callingCodes = [...new Set(getCountries().map((country) => getCountryCallingCode(country)))];
const national = fc.stringMatching(/^[0-9]{4,12}$/);
/** Near the numbers that exist: an example of a country with a few digits changed, added or left out. */
const nearExample = fc
  .tuple(
    fc.constantFrom(...getCountries().filter((country) => examples[country])),
    fc.array(fc.tuple(fc.nat(14), fc.nat(9)), { maxLength: 3 }),
    fc.constantFrom(-1, 0, 0, 0, 0, 1),
  )
  .map(([country, changes, longer]) => {
    const digits = [...String(examples[country])];
    for (const [at, digit] of changes) if (at < digits.length) digits[at] = String(digit);
    if (longer < 0) digits.pop();
    if (longer > 0) digits.push('7');
    return { country, digits: digits.join('') };
  });

describe('the fast check of a mobile number', () => {
  test('claims nothing that the library denies, for any digits after any calling code', () => {
    fc.assert(
      fc.property(fc.constantFrom(...callingCodes), national, (code, digits) => {
        const known = knownMobile(`+${code}${digits}`);
        if (known) assert.deepEqual(known, byLibrary(`+${code}${digits}`));
      }),
      { numRuns: 20_000 },
    );
  });

  test('agrees with the library on numbers that are, or nearly are, those of a country', () => {
    let short = 0;
    fc.assert(
      fc.property(nearExample, ({ country, digits }) => {
        const international = `${getCountryCallingCode(country)}${digits}`;
        const known = knownMobile(`+${international}`);
        if (known) {
          short += 1;
          assert.deepEqual(known, byLibrary(`+${international}`));
        }
        const dialled = knownNationalMobile(`0${digits}`, country);
        if (dialled) assert.deepEqual(dialled, byLibrary(`0${digits}`, country));
      }),
      { numRuns: 20_000 },
    );
    assert.ok(short > 5_000, `${short} of 20,000 went the short way`);
  });

  test('covers the countries that most airtime goes to, also with their dialling prefixes', () => {
    for (const [country, dialled, number] of [
      ['KE', '0712345678', '+254712345678'],
      ['NG', '08031234567', '+2348031234567'],
      ['TZ', '0712345678', '+255712345678'],
      ['UG', '0712345678', '+256712345678'],
      ['GH', '0241234567', '+233241234567'],
      ['ZA', '0711234567', '+27711234567'],
      ['RW', '0788123456', '+250788123456'],
    ] as const) {
      assert.deepEqual(knownMobile(number), { number, country });
      assert.deepEqual(knownNationalMobile(dialled, country), { number, country });
    }
  });
});

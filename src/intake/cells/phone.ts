import {
  type CountryCode,
  getCountryCallingCode,
  type PhoneNumber,
  type PhoneNumberType,
  parsePhoneNumberFromString,
  validatePhoneNumberLength,
} from 'libphonenumber-js/max';
import type { ProblemCode, ProblemValues } from '../../core/state/problem-table.ts';
import { countryName } from './country.ts';
import { knownMobile, knownNationalMobile, mobileLengths } from './known-mobile.ts';
import { plainText } from './plain-text.ts';
import { shortened } from './problems.ts';

/** A number understood: E.164, and the country it belongs to. */
export interface Phone {
  number: string;
  /** ISO 3166 two-letter code. */
  country: string;
}

export interface Fault {
  code: ProblemCode;
  message: string;
  suggestion: string;
  values?: ProblemValues;
}

export interface PhoneHint {
  /** The country that numbers without a country code belong to, or null where none is known. */
  country: string | null;
  /** Whether the row itself names that country: then a number of another country contradicts it. */
  isOfRow: boolean;
}

/** Digits, with what people write between them, and a "+" only at the start. */
const numberForm = /^\+?[0-9 ().\-/]+$/;
const spreadsheetExponent = /^([0-9])(?:[.,]([0-9]+))?[eE]\+?([0-9]{1,2})$/;
const severalNumbers = /[0-9]\s*(?:[,;/|&]|\bor\b|\band\b|\bou\b|\bo\b)\s*\+?[0-9]|[0-9]{9,}[ /.-]+\+?[0-9]{9,}/i;
/** "254,712,405,118": one number, grouped like an amount. */
const groupedAsAmount = /^\+?[0-9]{1,3}(?:,[0-9]{3}){2,}(?:\.0+)?$/;
/** What a spreadsheet shows if a column is too narrow for its number. */
const narrowColumn = /^#{3,}$/;
/** A number with a fraction: a spreadsheet has calculated with it. Dots between groups of digits are something else. */
const fraction = /^\+?[0-9]{8,}[.,][0-9]{1,2}$/;
/** "2026-11-05", "5/11/2026": in a country with short numbers, its digits could be one. */
const date = /^(?:(?:19|20)[0-9]{2}([-/.])[01]?[0-9]\1[0-3]?[0-9]|[0-3]?[0-9]([-/.])[0-3]?[0-9]\2(?:19|20)[0-9]{2})$/;

/** Whether a plain text is a date. */
export function isDate(text: string): boolean {
  return date.test(text);
}

const digitsMax = 15;
/** No cell with one or a few numbers is longer; a cell may contain a whole book. */
const phoneLengthMax = 200;

/**
 * Whether a spreadsheet may have rounded the number: it shows 254713123456 as 2.54713E+11, which becomes 254713000000
 * when saved and opened again. A spreadsheet treats a number with "+" or a leading 0 as text, and keeps its digits.
 */
export function mayBeRounded(cell: string): boolean {
  return cell.includes('00000') && /^[1-9][0-9 ]*00000(?:[.,]0+)?$/.test(plainText(cell));
}

/** Reads a phone number as people and spreadsheets write it. */
export function readPhone(cell: string, hint: PhoneHint): Phone | Fault {
  // Most files have this form.
  const plain = cell.startsWith('+') ? internationalMobile(cell, hint) : null;
  return plain ?? readWritten(cell, hint);
}

function readWritten(cell: string, hint: PhoneHint): Phone | Fault {
  const written = plainText(cell)
    .replace(/^tel:/i, '')
    .replace(/^\(\+([0-9]{1,3})\)/, '+$1');
  if (!/[\p{L}\p{N}#]/u.test(written)) {
    return fault(
      'PHONE_MISSING',
      'The phone number is missing.',
      'Fill in the phone number with its country code; delete a line that is not a payment, such as a total.',
    );
  }
  if (written.length > phoneLengthMax) return notANumber('');
  const exponent = spreadsheetExponent.exec(written);
  const text = exponent ? wholeNumber(exponent) : written.replace(/^(\+?[0-9]{6,})[.,]0+$/, '$1');
  if (text === null || narrowColumn.test(text)) {
    return fault(
      'PHONE_DIGITS_LOST',
      `"${shortened(written)}" has lost digits: a spreadsheet shortened the number when it saved it.`,
      'Get the number from its source again, and format the column as text before saving. The lost digits cannot be restored.',
    );
  }
  if (!numberForm.test(text) || fraction.test(text) || isDate(text)) return notANumber(text);
  const digits = text.replace(/[^0-9]/g, '');
  const known = text.startsWith('+') ? internationalMobile(`+${digits}`, hint) : mobileWithoutPlus(digits, hint);
  if (known) return known;
  if (digits.length > digitsMax && severalNumbers.test(text)) return several();
  if (text.startsWith('+')) return checked(parse(`+${digits}`), `+${digits}`, hint);
  if (digits.startsWith('00')) return checked(parse(`+${digits.slice(2)}`), `+${digits.slice(2)}`, hint);
  return readWithoutPlus(digits, hint);
}

/** The number of an ordinary cell, written with "+" and its country code; null if it needs a closer look. */
function internationalMobile(text: string, { country, isOfRow }: PhoneHint): Phone | null {
  const known = knownMobile(text);
  return isOfRow && known?.country !== country ? null : known;
}

/** The same without a "+", if no other country could be meant. */
function mobileWithoutPlus(digits: string, { country }: PhoneHint): Phone | null {
  const national = country === null ? null : knownNationalMobile(digits, country);
  if (national) return national;
  if (country === null && mayBeNational(digits)) return null;
  const known = digits.startsWith('0') ? null : knownMobile(`+${digits}`);
  return country !== null && known?.country !== country ? null : known;
}

/** The number of a spreadsheet's short form if that has all of its digits, else null. */
function wholeNumber([, first = '', decimals = '', exponent = '']: RegExpExecArray): string | null {
  return decimals.length >= Number(exponent) ? first + decimals.slice(0, Number(exponent)) : null;
}

function notANumber(text: string): Fault {
  if (isDate(text)) {
    return fault(
      'PHONE_NOT_A_NUMBER',
      `"${text}" is a date, not a phone number.`,
      'Check that it is in the right column, and write the number with its country code, such as +254712345678.',
    );
  }
  if (groupedAsAmount.test(text)) {
    return fault(
      'PHONE_NOT_A_NUMBER',
      'The number has commas between its digits: a spreadsheet shows it as an amount.',
      `Format the column as text. If it is one number, write it as +${text.replace(/[^0-9]/g, '')}.`,
    );
  }
  if (severalNumbers.test(text)) return several();
  return fault(
    'PHONE_NOT_A_NUMBER',
    'This is not a phone number: it contains characters that are not digits.',
    'Write the number with its country code and digits only, such as +254712345678; delete a line that is not a payment, such as a total.',
  );
}

function several(): Fault {
  return fault('PHONE_SEVERAL', 'The cell holds more than one phone number.', 'Give each number a row of its own.');
}

/** Digits without a country code. With one, hardly any mobile number is this short. */
const nationalDigitsMax = 9;

/**
 * Whether digits without "+" may lack their country code: 687912345 is a number of Tanzania that has lost its first 0,
 * or one of New Caledonia that has lost its "+".
 */
function mayBeNational(digits: string): boolean {
  return digits.startsWith('0') || digits.length <= nationalDigitsMax;
}

/** Without "+", a number may be a national one, or have lost its "+". If both are possible, a person must decide. */
function readWithoutPlus(digits: string, hint: PhoneHint): Phone | Fault {
  const { country } = hint;
  if (country === null && mayBeNational(digits)) {
    return fault(
      'PHONE_NEEDS_COUNTRY',
      'The number is written without its country code, and no country is known for it.',
      'Write it with "+" and its country code, add a column "country" (such as KE), or name the country of all such numbers: --country KE.',
    );
  }
  const national = country === null ? undefined : parse(digits, country);
  const international = parse(`+${digits}`);
  const isNational = national?.isValid() === true;
  const isInternational = international?.isValid() === true;
  // If the row names its country, a reading as a number of another country is excluded.
  const isOther = hint.isOfRow && isNational && international?.country !== national.country;
  if (isNational && isInternational && !isOther && national.number !== international.number) {
    return fault(
      'PHONE_AMBIGUOUS',
      `The number can be read as ${national.number} or as ${international.number}.`,
      'Write it with "+" and its country code.',
      { one: national.number, other: international.number },
    );
  }
  if (isNational) return checked(national, digits, hint);
  if (isInternational) return checked(international, `+${digits}`, hint);
  if (country !== null && !digits.startsWith(getCountryCallingCode(country as CountryCode))) {
    return checked(national, digits, hint);
  }
  return checked(international, `+${digits}`, hint);
}

function parse(text: string, country?: string): PhoneNumber | undefined {
  return parsePhoneNumberFromString(text, country === undefined ? undefined : (country as CountryCode));
}

const typeNames: Record<Exclude<PhoneNumberType, 'MOBILE' | 'FIXED_LINE_OR_MOBILE'>, string> = {
  FIXED_LINE: 'a fixed line',
  PREMIUM_RATE: 'a premium-rate number',
  TOLL_FREE: 'a toll-free number',
  SHARED_COST: 'a shared-cost number',
  VOIP: 'an internet telephone',
  PERSONAL_NUMBER: 'a personal number',
  PAGER: 'a pager',
  UAN: 'a company number',
  VOICEMAIL: 'a voice mailbox',
};

function checked(phone: PhoneNumber | undefined, text: string, hint: PhoneHint): Phone | Fault {
  if (!phone?.isValid() || phone.country === undefined) return invalid(phone, text, hint);
  if (hint.isOfRow && hint.country !== null && phone.country !== hint.country) {
    return fault(
      'PHONE_OTHER_COUNTRY',
      `The number belongs to ${countryName(phone.country)}, but the row says ${countryName(hint.country)}.`,
      'Correct the number or the country.',
      { country: phone.country, row_country: hint.country },
    );
  }
  const type = phone.getType();
  if (type !== undefined && type !== 'MOBILE' && type !== 'FIXED_LINE_OR_MOBILE') {
    return fault(
      'PHONE_NOT_MOBILE',
      `The number is ${typeNames[type]} of ${countryName(phone.country)}: airtime goes to mobile phones only.`,
      "Ask for the person's mobile number.",
    );
  }
  return { number: phone.number, country: phone.country };
}

function invalid(phone: PhoneNumber | undefined, text: string, hint: PhoneHint): Fault {
  const country = phone?.country ?? phone?.getPossibleCountries()[0] ?? (text.startsWith('+') ? null : hint.country);
  const wrongLength = phone && country ? notOfMobileLength(phone, text, country) : null;
  if (wrongLength) return wrongLength;
  const length = validatePhoneNumberLength(text, (country ?? undefined) as CountryCode | undefined);
  const where = country ? ` for ${countryName(country)}` : '';
  if (length === 'TOO_SHORT') {
    const message = `The number is too short${where}: a digit may be missing.`;
    return fault('PHONE_INVALID', message, 'Complete the number.', { why: 'short' });
  }
  if (length === 'TOO_LONG') {
    const message = `The number is too long${where}: it may have a digit too many.`;
    return fault('PHONE_INVALID', message, 'Correct the number.', { why: 'long' });
  }
  if (length === 'INVALID_COUNTRY' || length === 'NOT_A_NUMBER') {
    return fault('PHONE_INVALID', 'No country has numbers like this.', 'Write it with "+" and its country code.', {
      why: 'nowhere',
    });
  }
  const message = `There is no such number${country ? ` in ${countryName(country)}` : ''}: its first digits belong to no network.`;
  return fault('PHONE_INVALID', message, 'Check the number with the person.', { why: 'unknown' });
}

/**
 * Refuses a mobile number with a missing digit. Where fixed lines are as short, the lengths for numbers of any kind
 * would accept it, since its first digits are right. Null if mobile numbers of the country can have that length, or
 * both shorter and longer ones.
 */
function notOfMobileLength(phone: PhoneNumber, text: string, country: string): Fault | null {
  const lengths = mobileLengths(country);
  const { length } = phone.nationalNumber;
  const isShort = lengths.every((one) => one > length);
  if (lengths.length === 0 || !(isShort || lengths.every((one) => one < length))) return null;
  const spared = text.startsWith('0') ? ' (without its first 0)' : '';
  const whole = `mobile numbers of ${countryName(country)} have ${lengths.join(' or ')}`;
  const has = `after +${phone.countryCallingCode} it has ${length} digits${spared}`;
  const message = `The number is too ${isShort ? 'short' : 'long'}: ${has}, and ${whole}.`;
  return fault('PHONE_INVALID', message, isShort ? 'Complete the number.' : 'Correct the number.', {
    why: isShort ? 'short' : 'long',
  });
}

function fault(code: ProblemCode, message: string, suggestion: string, values?: ProblemValues): Fault {
  return { code, message, suggestion, ...(values === undefined ? {} : { values }) };
}

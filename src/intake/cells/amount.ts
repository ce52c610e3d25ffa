import { assert } from '../../core/basics/assert.ts';
import { currencyDecimals } from '../../core/money/money.ts';
import { cfaFranc, isCfaFranc, withCfaFrancInOneWord } from './cfa-franc.ts';
import { currencyOfSign, signOfSeveral } from './currency-sign.ts';
import { plainText } from './plain-text.ts';

/** An amount, as far as its own cell shows it. `currency` is a code, `cfaFranc`, or null if the cell has none. */
export type AmountReading =
  /** `value` is a plain decimal; `decimalSign` is the sign that this cell proves the file to use, or null. */
  | { kind: 'read'; value: string; negative: boolean; currency: string | null; decimalSign: '.' | ',' | null }
  /** "1,234": 1234 if `separator` groups thousands, and 1.234 if it is the decimal sign. */
  | {
      kind: 'ambiguous';
      separator: '.' | ',';
      grouped: string;
      decimal: string;
      negative: boolean;
      currency: string | null;
    }
  | { kind: 'none' };

const currencyAround =
  /^(-?)\s*([A-Za-z]{1,4}\.|[^\d\s.,'()+-]{1,4})?\s*([-+]?[0-9.,][0-9.,' ]*)\s*([^\d\s.,'()+-]{1,4})?(-?)$/u;

/** How people mark that no decimals follow: "500/=" and "500/-" in East Africa, "500,-" in Europe. */
const nothingMore = /([0-9])(?:\/[=-]|[.,]--?)$/;

/** No amount is longer. A cell may contain a whole book, on which expressions with look-behind would take for ever. */
const amountLengthMax = 64;

/** The usual form of an amount, which has only one reading. With three decimals, it could be thousands. */
const plainForm = /^[1-9][0-9]{0,14}(?:\.[0-9]{1,2})?$/;

/** Reads an amount as people and spreadsheets write it: "KES 1,234.50", "1.234,50", "1 234,50". */
export function readAmount(cell: string): AmountReading {
  if (plainForm.test(cell)) {
    const decimalSign = cell.includes('.') ? '.' : null;
    const value = decimalSign === null ? cell : plainDecimal(cell);
    return { kind: 'read', value, negative: false, currency: null, decimalSign };
  }
  if (cell.length > amountLengthMax) return { kind: 'none' };
  const text = amountText(cell);
  const bracketed = /^\((.*)\)$/s.exec(text);
  const inOneWord = withCfaFrancInOneWord(bracketed?.[1] ?? text);
  const trimmed = inOneWord.trim();
  const number = trimmed.replace(nothingMore, '$1');
  const match = currencyAround.exec(number);
  if (!match) return { kind: 'none' };
  const [, minus = '', before = '', signed = '', after = '', minusAfter = ''] = match;
  const currency = currencyNamed(before, after);
  if (currency === undefined) return { kind: 'none' };
  const signs = [minus, /^[-+]/.exec(signed)?.[0] ?? '', minusAfter].filter((sign) => sign !== '');
  if (signs.length > 1) return { kind: 'none' };
  const negative = bracketed !== null || signs[0] === '-';
  const digits = signed.replace(/^[-+]/, '').replace(/\s+$/, '');
  return readDigits(digits, { negative, currency, isWhole: number !== trimmed });
}

/** The cell with ASCII digits and signs. */
function amountText(cell: string): string {
  return plainText(cell)
    .replace(/[\u066B]/g, '.')
    .replace(/[\u066C\u2019\u02BC]/g, "'");
}

/**
 * Whether an amount has exactly three decimals, zeros included: in most currencies these are thousands, or a mistake.
 */
export function hasThreeDecimals(cell: string, decimalSign: '.' | ','): boolean {
  return threeDecimals[decimalSign].test(amountText(cell));
}

const threeDecimals = { '.': /\.[0-9]{3}(?![0-9.,])/, ',': /,[0-9]{3}(?![0-9.,])/ };

/** All digits of an amount as a whole number: the value of "1.234" if its sign groups thousands. */
export function digitsOnly(cell: string): string {
  return plainDecimal(amountText(cell).replace(/[^0-9]/g, ''));
}

/** The currency of a currency cell: the code for an unambiguous sign, `cfaFranc`, or else the text as a code. */
export function currencyWritten(cell: string): string {
  const text = plainText(cell);
  if (isCfaFranc(text)) return cfaFranc;
  const name = text.replace(/\.$/, '');
  return currencyOfSign(name) ?? text.toUpperCase();
}

/** The currency before or after the digits; null for none, undefined for a text that is not a currency. */
function currencyNamed(before: string, after: string): string | null | undefined {
  if (before !== '' && after !== '') return undefined;
  const name = (before || after).replace(/\.$/, '');
  if (name === '') return null;
  // A sign of several currencies names none of them.
  if (name === signOfSeveral(name)) return null;
  const bySign = currencyOfSign(name);
  if (bySign !== null) return bySign;
  if (isCfaFranc(name)) return cfaFranc;
  const code = name.toUpperCase();
  return decimalsOf(code) === null ? undefined : code;
}

/** `isWhole`: the cell says that no decimals follow ("5,000/="), so its only sign groups thousands. */
function readDigits(
  digits: string,
  { negative, currency, isWhole }: { negative: boolean; currency: string | null; isWhole: boolean },
): AmountReading {
  const read = (value: string, decimalSign: '.' | ',' | null): AmountReading =>
    /^[0-9]*\.?[0-9]+$/.test(value)
      ? { kind: 'read', value: plainDecimal(value), negative, currency, decimalSign }
      : { kind: 'none' };
  if (/^[0-9]+$/.test(digits)) return read(digits, null);
  // Spaces and apostrophes always group digits; the rest has only points and commas.
  const compact = /['\s]/.test(digits) ? withoutSpaces(digits) : digits;
  if (compact === null) return { kind: 'none' };
  if (/^[0-9]+$/.test(compact)) return read(compact, null);
  const last = Math.max(compact.lastIndexOf('.'), compact.lastIndexOf(','));
  const sign = compact[last] as '.' | ',';
  const other = sign === '.' ? ',' : '.';
  const whole = compact.slice(0, last);
  const fraction = compact.slice(last + 1);
  if (whole.includes(other)) {
    const grouped = ungroup(whole, other);
    return grouped === null || whole.includes(sign) ? { kind: 'none' } : read(`${grouped}.${fraction}`, sign);
  }
  if (whole.includes(sign)) {
    const grouped = ungroup(compact, sign);
    return grouped === null ? { kind: 'none' } : read(grouped, other);
  }
  if (fraction.length === 3 && /^[1-9][0-9]{0,2}$/.test(whole) && digits === compact) {
    if (isWhole) return read(whole + fraction, other);
    return {
      kind: 'ambiguous',
      separator: sign,
      grouped: whole + fraction,
      decimal: plainDecimal(`${whole}.${fraction}`),
      negative,
      currency,
    };
  }
  return read(`${whole}.${fraction}`, sign);
}

/** "1 234 567" without its spaces; null if they do not separate groups of three. */
function withoutSpaces(digits: string): string | null {
  const match = /^([0-9]{1,3}(?:['\s][0-9]{3})+)([.,][0-9]+)?$/.exec(digits);
  return match ? (match[1] ?? '').replace(/['\s]/g, '') + (match[2] ?? '') : null;
}

/** Joins groups of three, or Indian groups (12,34,567); null if they are neither. */
function ungroup(text: string, separator: '.' | ','): string | null {
  const groups = text.split(separator);
  const first = groups[0] ?? '';
  const end = groups.at(-1) ?? '';
  const middle = groups.slice(1, -1);
  if (!/^[0-9]{1,3}$/.test(first) || !/^[0-9]{3}$/.test(end)) return null;
  const isOfThree = middle.every((group) => /^[0-9]{3}$/.test(group));
  const isIndian = first.length <= 2 && middle.every((group) => /^[0-9]{2}$/.test(group));
  return isOfThree || isIndian ? groups.join('') : null;
}

/** Without redundant zeros: "007.50" is "7.5". */
export function plainDecimal(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  const digits = whole.replace(/^0+(?=[0-9])/, '') || '0';
  const decimals = fraction.replace(/0+$/, '');
  return decimals === '' ? digits : `${digits}.${decimals}`;
}

interface Currency {
  code: string;
  decimals: number;
}

/** Currencies seen so far. A file may contain anything in its currency column, so only real currencies are kept. */
const currencies = new Map<string, Currency>();

/** The number of decimals of a currency, or null if there is no such currency. */
export function decimalsOf(code: string): number | null {
  const known = currencies.get(code);
  if (known) return known.decimals;
  const decimals = currencyDecimals(code);
  if (decimals !== null) currencies.set(code, { code, decimals });
  return decimals;
}

/**
 * The currency of a cell that was seen before with exactly this text, as in nearly every row. Then all rows share one
 * string, which is faster to look up than a new one for each row.
 */
export function metCurrency(cell: string): string | undefined {
  return currencies.get(cell)?.code;
}

/** The number of decimals of a plain decimal text. */
export function decimalPlaces(value: string): number {
  const point = value.indexOf('.');
  return point < 0 ? 0 : value.length - point - 1;
}

/** A plain decimal text in the smallest unit of its currency: "12.5" of KES is 1250. It must not have more decimals. */
export function minorUnits(value: string, decimals: number): bigint {
  const places = decimalPlaces(value);
  assert(places <= decimals, 'an amount was checked against the decimals of its currency');
  return BigInt(value.replace('.', '') + '0'.repeat(decimals - places));
}

/**
 * With this many digits, a whole number of smallest units is exact as a `number`, and so is the sum of two of them and
 * `smallMax`.
 */
const smallDigitsMax = 15;
const smallMax = 2 ** 52;

const point = 0x2e;

/** The same as `minorUnits`, for an amount with so few digits that it is exact as a `number`. */
function smallMinorUnits(value: string, decimals: number): number {
  let minor = 0;
  let missing = decimals;
  let isFraction = false;
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index);
    if (code === point) {
      isFraction = true;
      continue;
    }
    minor = minor * 10 + (code - 0x30);
    if (isFraction) missing -= 1;
  }
  assert(missing >= 0, 'an amount was checked against the decimals of its currency');
  for (; missing > 0; missing--) minor *= 10;
  return minor;
}

/** A sum in smallest units: `small` plus `large`. Amounts are added to `small` while that is exact. */
interface MinorSum {
  large: bigint;
  small: number;
  decimals: number;
}

/**
 * Exact sums by currency, in whole numbers of smallest units: many times as fast as decimals, over millions of rows.
 */
export class MinorSums {
  readonly #sums = new Map<string, MinorSum>();

  /** Adds a checked amount: not negative, and with no more decimals than its currency. */
  add(currency: string, value: string): void {
    const sum = this.#sumOf(currency);
    if (value.length + sum.decimals > smallDigitsMax) {
      sum.large += minorUnits(value, sum.decimals);
      return;
    }
    sum.small += smallMinorUnits(value, sum.decimals);
    if (sum.small < smallMax) return;
    sum.large += BigInt(sum.small);
    sum.small = 0;
  }

  addAll(others: MinorSums): void {
    for (const [currency, { large, small }] of others.#sums) this.#sumOf(currency).large += large + BigInt(small);
  }

  /** A sum as a plain decimal; "0" if nothing was added. */
  of(currency: string): string {
    const sum = this.#sums.get(currency);
    return sum ? fromMinorUnits(sum.large + BigInt(sum.small), sum.decimals) : '0';
  }

  #sumOf(currency: string): MinorSum {
    let sum = this.#sums.get(currency);
    if (!sum) {
      sum = { large: 0n, small: 0, decimals: decimalsOf(currency) ?? 0 };
      this.#sums.set(currency, sum);
    }
    return sum;
  }

  /** The sums in alphabetical order of their currencies, as plain decimals. */
  toObject(): Record<string, string> {
    return Object.fromEntries([...this.#sums.keys()].sort().map((currency) => [currency, this.of(currency)]));
  }
}

/** The inverse of `minorUnits`. */
export function fromMinorUnits(minor: bigint, decimals: number): string {
  const digits = String(minor).padStart(decimals + 1, '0');
  return decimals === 0 ? digits : plainDecimal(`${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`);
}

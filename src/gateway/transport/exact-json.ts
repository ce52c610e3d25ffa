import Big from 'big.js';

/**
 * A number whose literal says more than a binary float holds, character by character: "9007199254740993.10", "1e3",
 * "42.0".
 */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** A number of an answer: money must never be changed by a binary float on its way in. */
export type JsonNumeric = number | JsonNumber;

/** How the number was written; a plain one in the shortest way. */
export function numberText(value: JsonNumeric): string {
  return typeof value === 'number' ? String(value) : value.source;
}

/** The exact value as a plain canonical decimal ("1250.5"), or null where it has more digits than any money has. */
export function numberDecimal(value: JsonNumeric): string | null {
  return exactDecimal(numberText(value));
}

/** The value where it is written as a whole number that a JavaScript number holds exactly, else null. */
export function numberInteger(value: JsonNumeric): number | null {
  const text = numberText(value);
  const integer = Number(text);
  return Number.isSafeInteger(integer) && /^-?[0-9]+$/.test(text) ? integer : null;
}

/**
 * No amount of any currency has more digits than this before or after its point; "1e999999" must not fill the memory.
 */
const digitsMax = 40;

/** Without an exponent, and without zeros that say nothing. */
const isCanonical = /^(?:0|-?(?:[1-9][0-9]*|0(?=\.))(?:\.[0-9]*[1-9])?)$/;

/**
 * The canonical plain decimal of a JSON number literal (exponents allowed), or null where `text` is none, or too long.
 */
export function exactDecimal(text: string): string | null {
  if (isCanonical.test(text) && text.length <= digitsMax) return text;
  const match = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE]([+-]?[0-9]{1,4}))?$/.exec(text);
  if (!match || text.length > digitsMax || Math.abs(Number(match[1] ?? 0)) > digitsMax) return null;
  const value = new Big(text);
  return value.eq(0) ? '0' : value.toFixed();
}

/** `JSON.parse` with source text access (ES2026), which the type library does not know yet. */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

/**
 * A number that a binary float changes, or whose literal says more: one of 16 digits and more (up to 15 survive), with
 * an exponent, of no more than zeros behind its point, or minus zero.
 */
const unusualNumber = String.raw`(?:-0|-?[0-9](?:[0-9.]{15}|[0-9.]*(?:[eE]|\.0+(?:[\s,\]}]|$))))`;
const isUnusual = new RegExp(`^${unusualNumber}`);
/**
 * Every number within a text stands behind one of these. Where a text within quotes looks the same, no harm is done.
 */
const holdsUnusual = new RegExp(String.raw`[:,[ \n\r\t]${unusualNumber}`);

/**
 * Parses a JSON text: a number comes as it is where nothing is lost by that, else as its literal. Throws where it is
 * no JSON, or must be walked and is nested too deeply for that. The walk calls back for every value, so answers
 * without unusual numbers (nearly all) are spared it.
 */
export function parseExactJson(text: string): unknown {
  if (!isUnusual.test(text) && !holdsUnusual.test(text)) return JSON.parse(text);
  return (JSON.parse as ParseWithSource)(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && isUnusual.test(source) ? new JsonNumber(source) : value,
  );
}

/** A decimal text as the value of a JSON member, so that it is written as that very literal. */
export function rawNumber(decimal: string): unknown {
  const canonical = exactDecimal(decimal);
  if (canonical === null) throw new RangeError('not a decimal that can be written as a JSON number');
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(canonical);
}

import Big from 'big.js';

/** A number whose literal has more information than a binary float can hold: "9007199254740993.10", "1e3", "42.0". */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** A number of an answer. A binary float must never change an amount of money that comes in. */
export type JsonNumeric = number | JsonNumber;

export function isNumeric(value: unknown): value is JsonNumeric {
  return typeof value === 'number' || value instanceof JsonNumber;
}

/** How the number was written; an ordinary one in its shortest form. */
export function numberText(value: JsonNumeric): string {
  return typeof value === 'number' ? String(value) : value.source;
}

/** The exact value as a plain canonical decimal ("1250.5"), or null if it has more digits than any amount of money. */
export function numberDecimal(value: JsonNumeric): string | null {
  return exactDecimal(numberText(value));
}

/** The value if it is written as a whole number that a JavaScript number holds exactly, else null. */
export function numberInteger(value: JsonNumeric): number | null {
  const text = numberText(value);
  const integer = Number(text);
  return Number.isSafeInteger(integer) && /^-?[0-9]+$/.test(text) ? integer : null;
}

/**
 * No amount of any currency has more digits than this before or after its point. Expanding "1e999999" would fill the
 * memory.
 */
const digitsMax = 40;

/** No exponent, no redundant zeros. */
const isCanonical = /^(?:0|-?(?:[1-9][0-9]*|0(?=\.))(?:\.[0-9]*[1-9])?)$/;

/**
 * The canonical plain decimal of a JSON number literal (exponents allowed), or null if `text` is not one or is too
 * long.
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
 * A number that a binary float changes, or whose literal has more information: 16 or more digits (up to 15 survive), an
 * exponent, only zeros after its point, or minus zero.
 */
const unusualNumber = String.raw`(?:-0|-?[0-9](?:[0-9.]{15}|[0-9.]*(?:[eE]|\.0+(?:[\s,\]}]|$))))`;
const isUnusual = new RegExp(`^${unusualNumber}`);
/** Every number in a JSON text follows one of these characters. A match inside a quoted string does no harm. */
const holdsUnusual = new RegExp(String.raw`[:,[ \n\r\t]${unusualNumber}`);

/**
 * Parses a JSON text. A number becomes a JavaScript number if that loses nothing, else a `JsonNumber`. Throws if the
 * text is not JSON, or has an unusual number and is nested too deeply. The reviver is called for every value, so
 * answers without unusual numbers (nearly all) are parsed without it.
 */
export function parseExactJson(text: string): unknown {
  if (!isUnusual.test(text) && !holdsUnusual.test(text)) return JSON.parse(text);
  return (JSON.parse as ParseWithSource)(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && isUnusual.test(source) ? new JsonNumber(source) : value,
  );
}

/** Makes `JSON.stringify` write the decimal text as exactly that literal. */
export function rawNumber(decimal: string): unknown {
  const canonical = exactDecimal(decimal);
  if (canonical === null) throw new RangeError('not a decimal that can be written as a JSON number');
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(canonical);
}

import Big from 'big.js';

/** A number of a JSON text as it was written, so that money never passes through a binary float. */
export class ExactNumber {
  /** The literal, character by character. */
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** The value as a plain canonical decimal ("1250.5"), or null if it has more digits than any amount of money. */
  decimal(): string | null {
    return canonicalDecimal(this.source);
  }

  /** The value if it is a whole number that JavaScript holds exactly, else null. */
  integer(): number | null {
    const decimal = this.decimal();
    // "1.0" and "1e0" are whole numbers, too: in JSON, the notation means nothing.
    if (decimal === null || !/^-?[0-9]+$/.test(decimal)) return null;
    const value = Number(decimal);
    return Number.isSafeInteger(value) ? value : null;
  }

  /** Writes the literal that was read: metadata is "returned as stored" (spec section 2.2). */
  toJSON(): unknown {
    return rawLiteral(this.source);
  }
}

/** No amount of money has more characters than this. Expanding "1e999999" would fill the memory. */
const literalLengthMax = 40;

/** The canonical plain decimal of a JSON number literal, or null if `text` is not one or has too many digits. */
function canonicalDecimal(text: string): string | null {
  const match = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE]([+-]?[0-9]{1,3}))?$/.exec(text);
  if (!match || text.length > literalLengthMax || Math.abs(Number(match[1] ?? 0)) > literalLengthMax) return null;
  const value = new Big(text);
  return value.eq(0) ? '0' : value.toFixed();
}

/** `JSON.parse` with source text access and `JSON.rawJSON` (ES2026), which the type library does not know yet. */
const json = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
};

/** Parses a JSON text with every number as an `ExactNumber`. Throws a `SyntaxError` if it is not JSON. */
export function parseExact(text: string): unknown {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? new ExactNumber(source) : value,
  );
}

function rawLiteral(source: string): unknown {
  return json.rawJSON(source);
}

/** Makes `JSON.stringify` write the decimal text as exactly that number. */
export function exactNumber(decimal: string): ExactNumber {
  return new ExactNumber(new Big(decimal).toFixed());
}

export const plus = (a: string, b: string): string => new Big(a).plus(b).toFixed();
export const minus = (a: string, b: string): string => new Big(a).minus(b).toFixed();
export const isLess = (a: string, b: string): boolean => new Big(a).lt(b);
export const sum = (values: Iterable<string>): string => {
  let total = new Big(0);
  for (const value of values) total = total.plus(value);
  return total.toFixed();
};

/** The number of digits after the point of a canonical decimal. */
export function decimalsOf(decimal: string): number {
  return decimal.split('.')[1]?.length ?? 0;
}

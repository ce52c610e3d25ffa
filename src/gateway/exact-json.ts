import Big from 'big.js';

/** A number of a JSON text as it was written there: money must never pass through a binary float on its way in. */
export class JsonNumber {
  /** The literal, character by character: "1250.50", "1e3". */
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** The exact value as a plain canonical decimal ("1250.5"), or null where it has more digits than any money has. */
  decimal(): string | null {
    return exactDecimal(this.source);
  }

  /** The value where it is a whole number that a JavaScript number holds exactly, else null. */
  integer(): number | null {
    const value = Number(this.source);
    return Number.isSafeInteger(value) && /^-?[0-9]+$/.test(this.source) ? value : null;
  }
}

/** No amount of any currency has more digits than this before or after its point; "1e999999" must not fill the memory. */
const digitsMax = 40;

/** The canonical plain decimal of a JSON number literal (exponents allowed), or null where `text` is none, or too long. */
export function exactDecimal(text: string): string | null {
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

/** Parses a JSON text with every number as a `JsonNumber`. Throws where it is no JSON, or is nested too deeply to walk. */
export function parseExactJson(text: string): unknown {
  return (JSON.parse as ParseWithSource)(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? new JsonNumber(source) : value,
  );
}

/** A decimal text as the value of a JSON member, so that it is written as that very literal. */
export function rawNumber(decimal: string): unknown {
  const canonical = exactDecimal(decimal);
  if (canonical === null) throw new RangeError('not a decimal that can be written as a JSON number');
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(canonical);
}

import { z } from 'zod';
import { withoutSecrets } from '../../core/text/redact.ts';
import { exactDecimal, isNumeric, JsonNumber, numberDecimal, numberInteger, parseExactJson } from './exact-json.ts';

/** Shapes that the answers of both versions use. */

/** A number as it comes from `parseExactJson`. */
export const wireNumber = z.union([z.number(), z.instanceof(JsonNumber)]);

/** A shape that accepts each value for which `read` returns something, and refuses the others with `fault`. */
export function readable<Value>(read: (value: unknown) => Value | null, fault: string) {
  return z.unknown().transform((value, context): Value => {
    const found = read(value);
    if (found !== null) return found;
    context.addIssue({ code: 'custom', message: fault });
    return z.NEVER;
  });
}

/** An exact amount as a canonical decimal text; also accepted in quotes (V1 writes either, spec section 2.5). */
export const wireDecimal = readable(readDecimal, 'is not a decimal');

/** A whole number. */
export const wireInteger = readable(readInteger, 'is not a whole number');

/** As `readTime`, for a key that may be missing. */
export const wireTime = z.unknown().optional().transform(readTime);

/** As `readText`, for a key that may be missing. */
export const wireText = z.unknown().optional().transform(readText);

/** An exact amount as a canonical decimal text, also from a decimal in quotes; null if the value is neither. */
export function readDecimal(value: unknown): string | null {
  if (typeof value === 'string') return exactDecimal(value);
  return isNumeric(value) ? numberDecimal(value) : null;
}

/** A whole number, or null if the value is not one. */
export function readInteger(value: unknown): number | null {
  return isNumeric(value) ? numberInteger(value) : null;
}

/** An ISO 8601 time as epoch milliseconds; null if it is missing or cannot be read (no decision depends on it). */
export function readTime(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** Texts for people are cut here: the ledger keeps one for each row, and spreadsheets show them in cells. */
export const textLengthMax = 300;

/** A text that people read and no decision depends on, shortened; null if it is missing or not a text. */
export function readText(value: unknown): string | null {
  return isText(value) ? value.slice(0, textLengthMax) : null;
}

/** No honest id or status is longer. */
export const wordLengthMax = 255;

/** Whether the value can be an id or a status, on which decisions depend. */
export function isWord(value: unknown): value is string {
  return isText(value) && value.length <= wordLengthMax;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/**
 * The JSON of an answer, or undefined if it is not JSON. A service may repeat the credentials that it was sent: they
 * are removed from every text of the answer. U+FFFD stands for U+0000, which no text in PostgreSQL has.
 */
export function parseAnswer(text: string, secrets: readonly string[] = []): unknown {
  try {
    const json = parseExactJson(text);
    // Escapes (`\u0061`) hide what a text says.
    const mayHold = text.includes('\\') || secrets.some((secret) => text.includes(secret));
    return mayHold ? storableIn(json, secrets) : json;
  } catch {
    return undefined;
  }
}

function storableIn(json: unknown, secrets: readonly string[]): unknown {
  if (typeof json === 'string') return withoutSecrets(json, secrets).replaceAll('\0', '\ufffd');
  if (Array.isArray(json)) return json.map((value) => storableIn(value, secrets));
  if (typeof json !== 'object' || json === null || json instanceof JsonNumber) return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, storableIn(value, secrets)]));
}

/** The value in this shape, or null if it does not have it. */
export function read<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> | null {
  const result = shape.safeParse(value);
  return result.success ? result.data : null;
}

import { z } from 'zod';
import { ExactNumber, isLess } from '../parts/exact.ts';

/** Shapes that validate requests, and from which the OpenAPI document is made. Numbers arrive as `ExactNumber`. */

/** An amount: a JSON number above 0, kept as an exact decimal. */
export const exactDecimal = z
  .custom<ExactNumber>((value) => value instanceof ExactNumber, 'must be a number')
  .refine((value) => {
    const decimal = value.decimal();
    return decimal !== null && isLess('0', decimal);
  }, 'must be greater than 0')
  .meta({ type: 'number', exclusiveMinimum: 0 });

/** A whole number. */
export const exactInteger = z
  .custom<ExactNumber>((value) => value instanceof ExactNumber && value.integer() !== null, 'must be a whole number')
  .meta({ type: 'integer' });

/** A whole number in a query or a path. */
export const queryInteger = z
  .string()
  .regex(/^[0-9]{1,9}$/, 'must be a whole number')
  .meta({ type: 'integer' });

const isoDate = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const isoDateTime =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)(Z|[+-][0-9]{2}:?[0-9]{2})?$/;

/**
 * An ISO 8601 date or time as epoch milliseconds; NaN if it is neither. Without a zone it is UTC, like every time of
 * the service.
 */
function timeOf(text: string): number {
  if (isoDate.test(text)) return Date.parse(text);
  // An unescaped "+" in a query means a space.
  const [, date, time, zone = 'Z'] = isoDateTime.exec(text.replace(' ', '+')) ?? [];
  return date === undefined ? Number.NaN : Date.parse(`${date}T${time}${zone}`);
}

const queryTime = (read: (text: string) => number) =>
  z
    .string()
    .refine((text) => !Number.isNaN(timeOf(text)), 'must be an ISO 8601 date or time')
    .transform(read)
    .meta({ type: 'string', format: 'date-time' });

/** A date or time in a query, as epoch milliseconds. */
export const queryFrom = queryTime(timeOf);

const dayMs = 24 * 60 * 60_000;

/** The same as the end of a period: a date includes its whole day. */
export const queryTo = queryTime((text) => timeOf(text) + (isoDate.test(text) ? dayMs - 1 : 0));

/** Money in an answer: a number that is written as its exact literal. */
export const money = z
  .custom<ExactNumber>((value) => value instanceof ExactNumber || typeof value === 'number', 'must be a number')
  .meta({ type: 'number' });

/** A time in an answer, with milliseconds (spec section 2.2). */
export const isoTime = z
  .string()
  .refine((text) => /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z$/.test(text), 'must be in UTC, with milliseconds')
  .meta({ type: 'string', format: 'date-time' });

/** A number in an answer: Version 2 writes its "+", Version 1 does not (spec section 9). */
export const e164 = z.string().refine((text) => /^\+[1-9][0-9]{6,14}$/.test(text), 'must be E.164');
export const digitsOnly = z.string().refine((text) => /^[1-9][0-9]{6,14}$/.test(text), 'must have no "+"');

/** An object in a body. An `ExactNumber` is an object only in this program, and is refused. */
export function jsonObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.preprocess((value) => (value instanceof ExactNumber ? Number(value.source) : value), z.object(shape));
}

/** An optional field with the value null counts as missing. `metadata` belongs to the caller, and stays unchanged. */
export function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof ExactNumber) return value;
  const given = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(given.map(([name, member]) => [name, name === 'metadata' ? member : withoutNulls(member)]));
}

/** What is wrong with a request, as text: `amount.value must be greater than 0`. */
export function faultsIn(error: z.ZodError): string {
  return error.issues
    .map((issue) => `${issue.path.length > 0 ? `${issue.path.join('.')} ` : ''}${sentence(issue)}`)
    .join('; ');
}

function sentence({ code, message, path, ...issue }: z.core.$ZodIssue): string {
  if (code !== 'invalid_type' || !('expected' in issue))
    return message.replace(/^Invalid (input|option): /, 'is invalid: ');
  if (message.endsWith('received undefined')) return 'is missing';
  const expected = issue.expected === 'record' ? 'object' : issue.expected;
  return `${path.length > 0 ? '' : 'the body '}must be ${/^[aeio]/.test(expected) ? 'an' : 'a'} ${expected}`;
}

import { z } from 'zod';
import { ExactNumber, isLess } from './exact.ts';

/** Shapes that requests are validated by, and that the OpenAPI document is made of. Numbers arrive as `ExactNumber`. */

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

/** An ISO 8601 date or time in a query. */
export const queryTime = z
  .string()
  .refine(
    (text) => /^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(text) && !Number.isNaN(Date.parse(text)),
    'must be an ISO 8601 date',
  )
  .meta({ type: 'string', format: 'date-time' });

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

/** What is wrong with a request, in words: `amount.value must be greater than 0`. */
export function faultsIn(error: z.ZodError): string {
  return error.issues
    .map((issue) => `${issue.path.length > 0 ? `${issue.path.join('.')} ` : ''}${sentence(issue.message)}`)
    .join('; ');
}

function sentence(message: string): string {
  return message.replace(/^Invalid input: /, 'is invalid: ');
}

import { z } from 'zod';
import { currencyDecimals, isDecimal } from './money.ts';

/** Settings are compared with rows letter by letter: a limit for "kes" would have no effect. */
function isCode(text: string): boolean {
  return text === text.toUpperCase() && currencyDecimals(text) !== null;
}

/** A currency in settings. */
export const currencyCode = z.string().refine(isCode, {
  error: ({ input }) => {
    const capitals = String(input).toUpperCase();
    return isCode(capitals)
      ? `"${input}" is written ${capitals}`
      : `"${input}" is not a currency code, which has three letters (ISO 4217), such as KES`;
  },
});

const decimal = z
  .string()
  .refine((text) => isDecimal(text) && !text.startsWith('-'), 'is a decimal text such as "50.00"');

/** Values by currency. */
export function byCurrency<Value extends z.ZodType>(value: Value) {
  return z.record(currencyCode, value, {
    // Otherwise zod says that a key is invalid, but not why.
    error: (issue) => (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined),
  });
}

/** Amounts by currency in settings; a currency that is not named has none. */
export const amountsByCurrency = byCurrency(decimal);

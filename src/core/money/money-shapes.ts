import { z } from 'zod';
import { currencyDecimals, isDecimal } from './money.ts';

/** Settings are compared with what rows have letter for letter: a limit for "kes" would limit nothing. */
function isCode(text: string): boolean {
  return text === text.toUpperCase() && currencyDecimals(text) !== null;
}

/** A currency as settings name it. */
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

/** An amount for each currency, as settings write it; a currency that is not named has none. */
export const amountsByCurrency = z.record(currencyCode, decimal, {
  // Else it would say of a key that it is invalid, and not why.
  error: (issue) => (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined),
});

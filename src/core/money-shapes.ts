import { z } from 'zod';
import { currencyDecimals, isDecimal } from './money.ts';

/** A currency as settings name it. */
export const currencyCode = z.string().refine((code) => currencyDecimals(code) !== null, {
  error: ({ input }) => `"${input}" is no currency code: it has three letters (ISO 4217), such as KES`,
});

const decimal = z
  .string()
  .refine((text) => isDecimal(text) && !text.startsWith('-'), 'is a decimal text such as "50.00"');

/** An amount for each currency, as settings write it; a currency that is not named has none. */
export const amountsByCurrency = z.record(currencyCode, decimal, {
  // Else it would say of a key that it is invalid, and not why.
  error: (issue) => (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined),
});

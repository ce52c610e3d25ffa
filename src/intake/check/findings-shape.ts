import { z } from 'zod';
import { type ProblemCode, problemTable } from '../../core/state/problem-table.ts';
import { fields } from '../cells/fields.ts';

const sums = z.record(z.string(), z.string());

/** The findings of a file's check. */
export const findings = z.strictObject({
  file: z.strictObject({
    name: z.string(),
    bytes: z.int(),
    /** SHA-256 (hex) of its bytes. */
    sha256: z.string(),
    format: z.string(),
    encoding: z.string().nullable(),
    delimiter: z.string().nullable(),
    sheet: z.string().nullable(),
    /** The decimal sign of its amounts; null if no amount shows one. */
    decimal_sign: z.enum(['.', ',', 'both']).nullable(),
  }),
  /** `rows` is the sum of the others: `valid` rows are ready to be sent. */
  counts: z.strictObject({
    rows: z.int(),
    valid: z.int(),
    invalid: z.int(),
    held: z.int(),
    skipped: z.int(),
  }),
  /** What the valid rows ask for, by currency, as decimal texts. */
  sums,
  /** The same by country of the number. */
  countries: z.record(z.string(), z.strictObject({ rows: z.int(), sums })),
  /** Valid rows that buy a product. Only the service knows its price. */
  product_rows: z.int(),
  /** Valid rows with a text message. */
  text_rows: z.int(),
  /** Amounts of valid rows that a person should check, with some of the lines that ask for them. */
  unusual: z.array(
    z.strictObject({ currency: z.string(), amount: z.string(), usual: z.string(), lines: z.array(z.int()) }),
  ),
  /** The most frequent problem first; `count` is the number of rows. */
  problems: z.array(
    z.strictObject({
      code: z.enum(Object.keys(problemTable) as ProblemCode[]),
      count: z.int(),
      examples: z.array(
        z.strictObject({
          row: z.int(),
          line: z.int(),
          column: z.string().nullable(),
          value: z.string().nullable(),
          message: z.string(),
          suggestion: z.string(),
          values: z.record(z.string(), z.string()).optional(),
        }),
      ),
    }),
  ),
  /** How each column of the header was understood. If `field` is null, the column is kept but not read. */
  understood: z.array(z.strictObject({ column: z.string(), field: z.enum(fields).nullable() })),
  /** What could not be checked, in a sentence each. */
  warnings: z.array(z.string()),
});
export type Findings = z.output<typeof findings>;

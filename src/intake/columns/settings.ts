import { z } from 'zod';
import { configFaults } from '../../core/basics/errors.ts';
import { amountsByCurrency, currencyCode } from '../../core/money/money-shapes.ts';
import { faultTexts, shapeFaults } from '../../core/text/shape-faults.ts';
import { fields } from '../cells/fields.ts';
import { isAnswer, smsLengthMax } from './sms-message.ts';

/** Titles take a few lines: a header that is further down is a slip. */
const headerLineMax = 1_000;

const countryCode = z.string().regex(/^[A-Z]{2}$/, 'is a two-letter country code such as "KE"');
/** A limit for each currency; a currency that is not named has none. */
const byCurrency = amountsByCurrency.default({});

const guardsShape = z.strictObject({
  /** The countries whose numbers may be paid; null: all. */
  countries: z.array(countryCode).nullable().default(null),
  /** Least and greatest amount of one row. */
  amountMin: byCurrency,
  amountMax: byCurrency,
  /** Greatest sum that one number gets in a file; the rows beyond it are held. */
  numberMax: byCurrency,
  /** Greatest sum of a file; a file beyond it is rejected. */
  batchMax: byCurrency,
  /** Greatest number of rows of a file. */
  rowsMax: z.number().int().positive().default(20_000_000),
  /**
   * The word with which the file's last line begins, when every file must have one: `TOTAL,40,12500.00` is a trailer
   * for 40 rows whose amounts add up to 12500. Null: no trailer is expected.
   */
  trailer: z.string().min(1).nullable().default(null),
  /** The number of rows that the file is known to have; null: it is not known. */
  expectedRows: z.number().int().nonnegative().nullable().default(null),
  /** What its amounts are known to add up to, by currency; a currency that is not named is not compared. */
  expectedSums: byCurrency,
});

const limitsShape = z.strictObject({
  /** Bytes of the file as it is stored. Ten million rows are about 1 GB. */
  fileBytesMax: z
    .number()
    .int()
    .positive()
    .default(16 * 2 ** 30),
  /** Bytes after unpacking (gzip, XLSX). */
  unpackedBytesMax: z
    .number()
    .int()
    .positive()
    .default(32 * 2 ** 30),
  /** How many times its own size a packed file may unpack to: CSV packs 5 to 20 times, a bomb 1,000 times. */
  unpackRatioMax: z.number().positive().default(200),
  /** Bytes of a workbook (.xlsx), which is read into memory as it is stored. */
  workbookBytesMax: z
    .number()
    .int()
    .positive()
    .default(64 * 2 ** 20),
  /** Bytes of one row. A quote left open makes the rest of the file one row: this is where reading it ends. */
  rowBytesMax: z
    .number()
    .int()
    .positive()
    .default(256 * 1024),
});

/** Settings as people write them. */
export const intakeShape = z.strictObject({
  /** The country of numbers that are written nationally, where the file does not say. */
  country: countryCode.nullable().default(null),
  /** The currency of amounts, where the file does not say. */
  currency: currencyCode.nullable().default(null),
  /** The network of numbers, where the file does not say. */
  networkId: z.number().int().nonnegative().nullable().default(null),
  /** The text message that goes with the airtime, where the file has none; at most 459 characters. */
  smsMessage: z
    .string()
    .trim()
    .min(1)
    .max(smsLengthMax)
    .refine((text) => !isAnswer(text), 'is the text itself, not whether one is sent')
    .nullable()
    .default(null),
  /** The file's own names of the columns, by what they mean; whatever is not named is found by its header. */
  columns: z.partialRecord(z.enum(fields), z.string().min(1)).default({}),
  /** The sheet of an XLSX file; null: the first. */
  sheet: z.string().min(1).nullable().default(null),
  /** The line of the file that is its header, where others stand above it; null: the first that is not empty. */
  headerLine: z.number('is a number of a line').int().min(1).max(headerLineMax).nullable().default(null),
  /**
   * What becomes of a line that adds up those above it: an invalid row, or one that is compared with their sum and
   * skipped.
   */
  totalLine: z.enum(['invalid', 'skip'], 'is "skip" or "invalid"').default('invalid'),
  /** The decimal sign of amounts such as "1.234", which can be read in two ways. */
  decimalSign: z.enum(['auto', '.', ','], 'is ".", "," or "auto"').default('auto'),
  /** Whether networks and products are checked against the service's catalog; names of networks need it. */
  catalog: z.enum(['check', 'ignore']).default('check'),
  /** What becomes of a row whose number gets the same amount or product in an earlier row of the file. */
  duplicates: z.enum(['allow', 'hold', 'reject']).default('hold'),
  guards: guardsShape.prefault({}),
  limits: limitsShape.prefault({}),
});

/** What intake takes for granted and what it refuses, with every default filled in. */
export type IntakeSettings = z.output<typeof intakeShape>;
/** The same as people write them: whatever is left out has its default. */
export type IntakeSettingsInput = z.input<typeof intakeShape>;

/**
 * Checks settings as the configuration holds them. Throws `CONFIG_INVALID` with the names of the fields that are
 * wrong.
 */
export function intakeSettings(given: Readonly<Record<string, unknown>> = {}): IntakeSettings {
  const parsed = intakeShape.safeParse(given);
  if (parsed.success) return parsed.data;
  const faults = faultTexts(shapeFaults(intakeShape, given), 'intake', ['intake']);
  throw configFaults('the configuration', faults);
}

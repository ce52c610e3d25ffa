import { z } from 'zod';
import { configFaults } from '../../core/basics/errors.ts';
import { amountsByCurrency, currencyCode } from '../../core/money/money-shapes.ts';
import { faultTexts, shapeFaults } from '../../core/text/shape-faults.ts';
import { fields } from '../cells/fields.ts';
import { isAnswer, smsLengthMax } from './sms-message.ts';

/** Titles take a few lines: a larger number is a mistake. */
const headerLineMax = 1_000;

export const countryCode = z.string().regex(/^[A-Z]{2}$/, 'is a two-letter country code such as "KE"');
/** A limit for each currency; a currency that is not named has none. */
const byCurrency = amountsByCurrency.default({});

const guardsShape = z.strictObject({
  /** The countries whose numbers may be paid; null for all. */
  countries: z.array(countryCode).nullable().default(null),
  /** The least and the greatest amount of one row. */
  amountMin: byCurrency,
  amountMax: byCurrency,
  /** The greatest sum for one number in a file; further rows are held. */
  numberMax: byCurrency,
  /** The greatest sum of a file; a file with more is rejected. */
  batchMax: byCurrency,
  /** The greatest number of rows of a file. */
  rowsMax: z.number().int().positive().default(20_000_000),
  /**
   * The first word of the last line, if every file must end with a trailer: `TOTAL,40,12500.00` means 40 rows whose
   * amounts add up to 12500. Null: no trailer.
   */
  trailer: z.string().min(1).nullable().default(null),
  /** The known number of rows of the file; null if unknown. */
  expectedRows: z.number().int().nonnegative().nullable().default(null),
  /** The known sums of its amounts, by currency; other currencies are not compared. */
  expectedSums: byCurrency,
});

const limitsShape = z.strictObject({
  /** The most bytes of the file as stored. Ten million rows are about 1 GB. */
  fileBytesMax: z
    .number()
    .int()
    .positive()
    .default(16 * 2 ** 30),
  /** The most bytes after unpacking (gzip, XLSX). */
  unpackedBytesMax: z
    .number()
    .int()
    .positive()
    .default(32 * 2 ** 30),
  /**
   * How many times its own size a packed file may unpack to: a CSV unpacks to 5 to 20 times, a compression bomb to
   * 1,000 times.
   */
  unpackRatioMax: z.number().positive().default(200),
  /** The most bytes of a workbook (.xlsx), which is read into memory as stored. */
  workbookBytesMax: z
    .number()
    .int()
    .positive()
    .default(64 * 2 ** 20),
  /** The most bytes of one row. An open quote makes the rest of the file one row: reading ends here. */
  rowBytesMax: z
    .number()
    .int()
    .positive()
    .default(256 * 1024),
});

/** Settings as people write them. */
export const intakeShape = z.strictObject({
  /** The country of numbers in national form, if the file does not say. */
  country: countryCode.nullable().default(null),
  /** The currency of amounts, if the file does not say. */
  currency: currencyCode.nullable().default(null),
  /** The network of numbers, if the file does not say. */
  networkId: z.number().int().nonnegative().nullable().default(null),
  /** The text message that goes with the airtime, if the file has none; at most 459 characters. */
  smsMessage: z
    .string()
    .trim()
    .min(1)
    .max(smsLengthMax)
    .refine((text) => !isAnswer(text), 'is the text itself, not whether one is sent')
    .nullable()
    .default(null),
  /** The file's own column names, by field; other fields are found by their headers. */
  columns: z.partialRecord(z.enum(fields), z.string().min(1)).default({}),
  /** The sheet of an XLSX file; null: the first. */
  sheet: z.string().min(1).nullable().default(null),
  /** The line of the header, if other lines are above it; null: the first line that is not empty. */
  headerLine: z.number('is a number of a line').int().min(1).max(headerLineMax).nullable().default(null),
  /** How to treat a line that adds up those above it: as an invalid row, or compare it with their sum and skip it. */
  totalLine: z.enum(['invalid', 'skip'], 'is "skip" or "invalid"').default('invalid'),
  /** The decimal sign of amounts such as "1.234", which have two readings. */
  decimalSign: z.enum(['auto', '.', ','], 'is ".", "," or "auto"').default('auto'),
  /** Whether networks and products are checked against the service's catalog; names of networks need it. */
  catalog: z.enum(['check', 'ignore']).default('check'),
  /** How to treat a row whose number gets the same amount or product in an earlier row of the file. */
  duplicates: z.enum(['allow', 'hold', 'reject']).default('hold'),
  guards: guardsShape.prefault({}),
  limits: limitsShape.prefault({}),
});

/** The settings of intake, with every default filled in. */
export type IntakeSettings = z.output<typeof intakeShape>;
/** The settings as people write them: missing fields get their defaults. */
export type IntakeSettingsInput = z.input<typeof intakeShape>;

/** Checks settings as in the configuration. Throws `CONFIG_INVALID` with the names of the wrong fields. */
export function intakeSettings(given: Readonly<Record<string, unknown>> = {}): IntakeSettings {
  const parsed = intakeShape.safeParse(given);
  if (parsed.success) return parsed.data;
  const faults = faultTexts(shapeFaults(intakeShape, given), 'intake', ['intake']);
  throw configFaults('the configuration', faults);
}

import { z } from 'zod';
import { isRunId } from '../../core/identity/ids.ts';
import { fields } from '../../intake/cells/fields.ts';
import { intakeShape } from '../../intake/columns/settings.ts';
import type { ReadWith } from '../../ledger/batches/batches.ts';
import { accountName, moment, priority } from '../base/fields.ts';

const { country, currency, sheet, headerLine, totalLine, decimalSign, columns, guards } = intakeShape.shape;
const { expectedRows, expectedSums } = guards.unwrap().shape;

/** A file, the account against whose catalog it is checked, and settings that override the configuration. */
export const fileInput = z.strictObject({
  /** An absolute path, or "-" for standard input. */
  file: z.string(),
  account: accountName.optional(),
  /** The file's column names, by their meaning. */
  map: z
    .partialRecord(z.enum(fields), columns.unwrap().valueType, {
      // The checker's types do not include that a record may have an unknown key.
      error: (issue: { code: string; keys?: string[] }) =>
        issue.code === 'unrecognized_keys'
          ? `has no field "${issue.keys?.[0]}"; it takes ${fields.join(', ')}`
          : undefined,
    })
    .optional(),
  sheet: sheet.unwrap().unwrap().optional(),
  header_line: headerLine.unwrap().unwrap().optional(),
  total_line: totalLine.unwrap().optional(),
  country: country.unwrap().unwrap().optional(),
  currency: currency.unwrap().unwrap().optional(),
  decimal: decimalSign.unwrap().optional(),
  /** The file is rejected if it has another number of rows. */
  expect_rows: expectedRows.unwrap().unwrap().optional(),
  /** The file is rejected if its amounts add up to another sum, by currency. */
  expect_sum: expectedSums.unwrap().optional(),
});
export type FileInput = z.output<typeof fileInput>;

/** A file that becomes a batch. */
export const batchInput = fileInput.extend({
  /** The run id, within which a row is paid only once. If it is left out, it is derived from the file. */
  run_id: z
    .string()
    .refine(isRunId, { error: ({ input }) => `"${input}" is not a run id`, params: { code: 'RUN_ID_INVALID' } })
    .optional(),
  priority: priority.default('normal'),
  /** When every row should have ended. */
  finish_by: moment.optional(),
});

export type BatchInput = z.output<typeof batchInput>;

/** The configured intake settings, overridden by the input. */
export function settingsWith(
  settings: Readonly<Record<string, unknown>>,
  { map, sheet, header_line, total_line, country, currency, decimal, expect_rows, expect_sum }: FileInput,
): Record<string, unknown> {
  const own = (name: string) => (settings[name] ?? {}) as Record<string, unknown>;
  const said = {
    ...{ sheet, headerLine: header_line, totalLine: total_line, country, currency, decimalSign: decimal },
  };
  return {
    ...settings,
    ...withoutUndefined(said),
    columns: { ...own('columns'), ...map },
    guards: { ...own('guards'), ...withoutUndefined({ expectedRows: expect_rows, expectedSums: expect_sum }) },
  };
}

function withoutUndefined(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/**
 * The options with which a person reads a file of corrections, as the batch stores them: in the names of the command
 * line.
 */
export function readWithOf({ account, map = {}, sheet, header_line, ...input }: FileInput): ReadWith {
  const { total_line, country, currency, decimal } = input;
  const columns = Object.entries(map).map(([field, column]) => `${field}=${column}`);
  return withoutUndefined({
    ...{ account, sheet, 'header-line': header_line?.toString(), 'total-line': total_line },
    ...{ country, currency, decimal, map: columns.length === 0 ? undefined : columns },
  }) as ReadWith;
}

import { resolve } from 'node:path';
import type { z } from 'zod';
import { currencyDecimals } from '../../core/money/money.ts';
import { isoTime } from '../../core/time/clock.ts';
import type { Priority } from '../../operations/base/fields.ts';
import type { batchInput, fileInput } from '../../operations/files/file-input.ts';
import type { CommandContext } from '../base/command.ts';
import { momentOf } from '../base/dates.ts';
import { pairs } from '../base/pairs.ts';
import { wholeNumber } from '../base/whole-number.ts';

/** The options of every command that reads a file. */
export interface FileOptions {
  account?: string;
  map?: string[];
  sheet?: string;
  headerLine?: string;
  totalLine?: string;
  country?: string;
  currency?: string;
  decimal?: string;
  expectRows?: string;
  expectSum?: string[];
}

/** The options of every command that makes a batch from a file. */
export interface BatchOptions extends FileOptions {
  runId?: string;
  priority?: Priority;
  finishBy?: string;
}

/** A file and its options as the input of an operation. The operation checks the values. */
export function fileInputOf({ cwd }: CommandContext, file: string, options: FileOptions): z.input<typeof fileInput> {
  const { account, map, sheet, totalLine, country, currency, decimal, expectSum } = options;
  const said = {
    file: file === '-' ? '-' : resolve(cwd, file),
    account,
    map: map && pairs('--map', 'amount="Net pay"', map),
    sheet,
    header_line: wholeNumber('--header-line', options.headerLine),
    total_line: totalLine,
    country: country?.toUpperCase(),
    currency: currency && currencyCode(currency),
    decimal,
    expect_rows: wholeNumber('--expect-rows', options.expectRows),
    expect_sum: expectSum && pairs('--expect-sum', 'KES=12500.00', expectSum),
  };
  return said as z.input<typeof fileInput>;
}

/** The same for a file that becomes a batch. */
export function batchInputOf(context: CommandContext, file: string, options: BatchOptions): z.input<typeof batchInput> {
  const { runId: run_id, priority, finishBy } = options;
  const finish_by = finishBy === undefined ? undefined : isoTime(momentOf('--finish-by', finishBy));
  return { ...fileInputOf(context, file, options), run_id, priority, finish_by };
}

/** A currency code in upper case. Any other text stays as it was typed, so that the error shows it unchanged. */
function currencyCode(text: string): string {
  const code = text.toUpperCase();
  return currencyDecimals(code) === null ? text : code;
}

import { AirbatchError } from '../../core/basics/errors.ts';
import { rejectedFile } from '../../core/basics/rejected-file.ts';
import { compareAmounts, moneyText } from '../../core/money/money.ts';
import { plainName } from '../../core/text/plain-name.ts';
import { currencyWritten, decimalPlaces, decimalsOf, MinorSums, readAmount } from '../cells/amount.ts';
import { cfaFranc } from '../cells/cfa-franc.ts';
import { type Field, fields } from '../cells/fields.ts';
import { plainText } from '../cells/plain-text.ts';
import { meaningOf } from '../columns/column-names.ts';
import { type ColumnPlan, type PlannedColumns, planColumns } from '../columns/columns.ts';
import type { IntakeSettings } from '../columns/settings.ts';
import type { RecordChunk } from '../file/record-chunk.ts';
import type { Source } from '../file/source.ts';
import { openTable, type TableForm } from '../table/table.ts';
import { asShown } from '../workbook/shown-cells.ts';

/** What a sheet would pay, for people. */
export interface CountedSheet {
  name: string;
  /** Rows that have a number and something to pay, and their sum if it is clear. */
  rows: number;
  sums: MinorSums;
  /** Whether it was open when the workbook was saved. */
  isActive: boolean;
}

/** How many sheets are checked in addition to the first. The first ones represent a workbook with more. */
const sheetsReadMax = 20;

/**
 * Throws `FILE_REJECTED` if no sheet is named and more than one visible sheet has rows to pay. Only a person knows
 * which sheet is meant.
 */
export async function refuseSeveralPayable(
  source: Source,
  settings: IntakeSettings,
  form: TableForm,
  signal?: AbortSignal,
): Promise<void> {
  const [first, ...others] = await countSheets(source, settings, form, signal);
  const payable = [first, ...others].filter((one) => one !== undefined && one.rows > 0) as CountedSheet[];
  if (payable.length < 2 || first?.rows === 0) return;
  const named = payable.map(
    (one) => `"${one.name}" (${sumText(one)}${one.isActive ? '; open when it was saved' : ''})`,
  );
  const options = payable.map(({ name }) => `--sheet "${name}"`);
  throw rejectedFile(
    'SHEET_UNCLEAR',
    { sheets: payable.map(({ name }) => `"${name}"`).join(', ') },
    `more than one sheet has rows to pay: ${named.join(', ')}`,
    {
      hint: `Say which one you mean: ${options.join(' or ')}, or intake.sheet in the configuration. To pay several, run the workbook once for each, with a run id each. Nothing was sent.`,
    },
  );
}

/**
 * What each visible sheet of a workbook would pay, the one that was read first. Empty if a sheet is named, or if there
 * is only one.
 */
export async function countSheets(
  source: Source,
  settings: IntakeSettings,
  { sheet, otherSheets, activeSheet }: TableForm,
  signal?: AbortSignal,
): Promise<CountedSheet[]> {
  if (settings.sheet !== null || sheet === null || otherSheets.length === 0) return [];
  const counted: CountedSheet[] = [];
  for (const name of [sheet, ...otherSheets.slice(0, sheetsReadMax)]) {
    const ofSheet = { ...settings, sheet: name };
    const found = await payableIn(source, ofSheet, signal);
    // The line of the header applies to the first sheet.
    const isReadAnew = found.rows === 0 && settings.headerLine !== null && name !== sheet;
    const { rows, sums } = isReadAnew ? await payableIn(source, { ...ofSheet, headerLine: null }, signal) : found;
    counted.push({ name, rows, sums, isActive: name === activeSheet });
  }
  return counted;
}

function sumText({ rows, sums }: CountedSheet): string {
  const amounts = Object.entries(sums.toObject()).filter(([, sum]) => compareAmounts(sum, '0') > 0);
  return [rows === 1 ? '1 row' : `${rows} rows`, ...amounts.map(([currency, sum]) => moneyText(currency, sum))].join(
    ', ',
  );
}

/** The rows of a sheet that have a number and something to pay, and their sum if it is clear. */
async function payableIn(
  source: Source,
  settings: IntakeSettings,
  signal: AbortSignal | undefined,
): Promise<Pick<CountedSheet, 'rows' | 'sums'>> {
  const { header, hiddenColumns, chunks } = await openTable(source, settings, signal).then(
    ({ header, rows, form }) => ({ header, chunks: rows, hiddenColumns: form.hiddenColumns }),
    noTable,
  );
  const columns = plannedOrLikely(header, settings, hiddenColumns);
  const { plan } = columns;
  const found = { rows: 0, sums: new MinorSums() };
  if (plan.phone_number === undefined || (plan.amount === undefined && plan.product_id === undefined)) return found;
  const cellOf = (cells: readonly string[], field: Field) => plainText(cells[plan[field] ?? -1] ?? '');
  for await (const { records } of asShown(chunks, plan, { count: 0, first: null })) {
    for (const cells of records) {
      if (!/[0-9]/.test(cellOf(cells, 'phone_number'))) continue;
      if (cellOf(cells, 'amount') === '' && cellOf(cells, 'product_id') === '') continue;
      found.rows += 1;
      addAmount(found.sums, cellOf(cells, 'amount'), cellOf(cells, 'currency'), columns, settings);
    }
  }
  return found;
}

/** A sheet without content, such as one of pictures, has no header either. */
function noTable(error: unknown): {
  header: string[];
  chunks: AsyncGenerator<RecordChunk>;
  hiddenColumns: Set<number>;
} {
  if (error instanceof AirbatchError && error.code === 'FILE_REJECTED')
    return { header: [], chunks: noRows(), hiddenColumns: new Set() };
  throw error;
}

export async function* noRows(): AsyncGenerator<never> {}

export type Planned = Pick<PlannedColumns, 'plan' | 'amountCurrency'>;

/** How the columns of a table are read. If a person would have to choose, the columns that could be meant. */
export function plannedOrLikely(
  header: readonly string[],
  settings: IntakeSettings,
  hidden: ReadonlySet<number>,
): Planned {
  try {
    return planColumns(header, settings.columns, settings, { hidden });
  } catch (error) {
    if (!(error instanceof AirbatchError)) throw error;
    const plan: ColumnPlan = {};
    for (const field of fields) {
      const mapped = settings.columns[field];
      const isMeant = (name: string) =>
        mapped === undefined ? meaningOf(name) === field : plainName(name) === plainName(mapped);
      const index = header.findIndex(isMeant);
      if (index >= 0) plan[field] = index;
    }
    const lacksNetwork = plan.network_id === undefined && settings.networkId === null;
    return { plan: lacksNetwork ? {} : plan, amountCurrency: null };
  }
}

function addAmount(sums: MinorSums, cell: string, written: string, columns: Planned, settings: IntakeSettings): void {
  const reading = readAmount(cell);
  const stated = written === '' ? null : currencyWritten(written);
  const currency =
    stated ?? (reading.kind === 'none' ? null : reading.currency) ?? settings.currency ?? columns.amountCurrency;
  if (reading.kind === 'none' || reading.negative || currency === null || currency === cfaFranc) return;
  const value = reading.kind === 'read' ? reading.value : reading.grouped;
  const decimals = decimalsOf(currency);
  if (decimals !== null && decimalPlaces(value) <= decimals) sums.add(currency, value);
}

import { contentRowRef, rowRefProblem } from '../../core/identity/ids.ts';
import { withoutSpreadsheetGuard } from '../../core/money/spreadsheet-safe.ts';
import { canBeReleased } from '../../core/state/problem-table.ts';
import { withoutIgnorable } from '../../core/text/ignorable.ts';
import { countryCodeOf, countryName } from '../cells/country.ts';
import { fields } from '../cells/fields.ts';
import { mayBeRounded, readPhone } from '../cells/phone.ts';
import { plainText } from '../cells/plain-text.ts';
import { shortened } from '../cells/problems.ts';
import type { QuoteDoubt } from '../file/record-chunk.ts';
import { readMoney } from './check-amount.ts';
import { readNetwork, readProduct } from './check-network.ts';
import { readSmsMessage } from './check-sms-message.ts';
import type { CheckedRow } from './file-rows.ts';
import type { RowsUnderCheck, RowUnderCheck } from './row-under-check.ts';
import { hasSum, isTotalLine, offeredTotal } from './total-line.ts';

/** The understood cells of a row. A cell that could not be understood is null. */
export interface UnderstoodCells {
  /** The file's own reference, or null if there is none that can be used. */
  reference: string | null;
  phoneNumber: string | null;
  country: string | null;
  networkId: number | null;
  amount: string | null;
  currency: string | null;
  productId: string | null;
  smsMessage: string | null;
}

export interface RowPlace {
  /** 1 for the first row below the header. */
  rowNo: number;
  line: number;
  /** Whether the row is the last of the file and has no line break. */
  endsFile: boolean;
  doubt: QuoteDoubt | null;
}

/**
 * Checks one row by itself; `row` is reused from the row checked before. Collects everything that is wrong with the
 * row. Fills its `needs` if something must be loaded first.
 */
export function checkRow(row: RowsUnderCheck, cells: readonly string[], place: RowPlace): CheckedRow {
  row.take(cells, place.line);
  const isReadable = checkShape(row, cells, place) && checkFormulas(row, cells);
  const isTotal = isReadable && mayBeTotal(row) && isTotalLine(row, cells);
  if (isTotal && row.context.settings.totalLine === 'skip' && hasSum(row)) return skippedTotal(row, place);
  const understood = isReadable ? readCells(row, isTotal) : nothing;
  const problems = row.problems();
  const isValid = canBeReleased(problems);
  return {
    row_no: place.rowNo,
    line: place.line,
    row_ref: understood.reference ?? (isValid ? firstContentRef(understood) : null),
    has_reference: understood.reference !== null,
    before: null,
    status: problems.length === 0 ? 'ready' : isValid ? 'held' : 'invalid',
    phone_number: understood.phoneNumber,
    country: understood.country,
    network_id: understood.networkId,
    amount: understood.amount,
    currency: understood.currency,
    product_id: understood.productId,
    sms_message: understood.smsMessage,
    problems,
  };
}

/** Nearly every phone number contains a digit, so the row is no total. */
function mayBeTotal({ cell: { phone_number: number } }: RowUnderCheck): boolean {
  const last = number.charCodeAt(number.length - 1);
  return !(last >= 0x30 && last < 0x3a);
}

/** A line that pays nobody. Its sum is compared with the rows of the file (`total-line.ts`). */
function skippedTotal(row: RowsUnderCheck, { rowNo, line }: RowPlace): CheckedRow {
  row.blame('amount', {
    code: 'TOTAL_LINE',
    message: 'This line is the total of the rows: it equals their sum, and pays nobody.',
    suggestion: 'Nothing to do.',
  });
  return {
    ...{ row_no: rowNo, line, row_ref: null, has_reference: false, before: null, status: 'skipped' },
    ...{ phone_number: null, country: null, network_id: null, amount: null, currency: null },
    ...{ product_id: null, sms_message: null, problems: row.problems() },
  };
}

const nothing: UnderstoodCells = {
  reference: null,
  phoneNumber: null,
  country: null,
  networkId: null,
  amount: null,
  currency: null,
  productId: null,
  smsMessage: null,
};

function readCells(row: RowUnderCheck, isTotal: boolean): UnderstoodCells {
  const { settings } = row.context;
  const country = readCountry(row);
  const phone = readPhone(row.cell.phone_number, {
    country: country ?? settings.country,
    isOfRow: country !== null,
  });
  if ('code' in phone) row.blame('phone_number', isTotal ? offeredTotal(phone) : phone);
  const number = 'code' in phone ? null : phone;
  if (number && mayBeRounded(row.cell.phone_number)) {
    row.blame('phone_number', {
      code: 'PHONE_ROUNDED',
      message: 'The number is written without "+" and ends in five zeros or more: a spreadsheet may have rounded it.',
      suggestion:
        'Compare it with its source. Release it if it is right ("airbatch release"); skip it if not ("airbatch skip").',
    });
  }
  if (number && settings.guards.countries?.includes(number.country) === false) {
    row.blame('phone_number', {
      code: 'COUNTRY_NOT_ALLOWED',
      values: { country: number.country },
      message: `${countryName(number.country)} is not one of the countries that may be paid.`,
      suggestion: 'Remove the row, or add the country to intake.guards.countries.',
    });
  }
  const network = readNetwork(row, number?.country ?? null);
  const productId = readProduct(row, network?.networkId ?? null);
  const money = readMoney(row, productId !== null, network?.currency ?? null, number?.country ?? null);
  return {
    reference: readReference(row),
    phoneNumber: number?.number ?? null,
    country: number?.country ?? null,
    networkId: network?.networkId ?? null,
    amount: money?.value ?? null,
    currency: money?.currency ?? null,
    productId,
    smsMessage: readSmsMessage(row),
  };
}

/**
 * What the row asks for is its identity if the file gives none. Network and message are left out: a file in which only
 * they were corrected must not pay again.
 */
function firstContentRef({ phoneNumber, amount, currency, productId }: UnderstoodCells): string {
  return contentRowRef([phoneNumber, amount, currency, productId], 1);
}

/**
 * False if the values may stand in the wrong columns. Values that are read from there mean nothing, and would be
 * reported as wrong though they are right.
 */
function checkShape(
  { blame, context, needs }: RowUnderCheck,
  cells: readonly string[],
  { endsFile, doubt }: RowPlace,
): boolean {
  const columns = context.header.length;
  if (doubt === 'swallowed') {
    blame(null, {
      code: 'ROW_SWALLOWED',
      message: `Each of its ${linesIn(cells)} lines has as many cells as the header: quotes (") seem to have joined several rows into one.`,
      suggestion: 'Remove the quote that is not closed, so that each row is on its own line.',
    });
    return false;
  }
  if (doubt === 'stray') {
    blame(null, {
      code: 'QUOTE_STRAY',
      message: 'A quote (") at the beginning or the end of a cell has no partner: it is unclear where the cell ends.',
      suggestion: 'Remove the quote, or double it if the cell is in quotes.',
    });
    return false;
  }
  const hasMore = cells.length > columns && cells.slice(columns).some((cell) => cell.trim() !== '');
  if (cells.length > columns && !hasMore && context.evidence === null) {
    needs.evidence = true;
    return false;
  }
  // If every row has empty cells beyond the header, no value has moved. If a single row has them, another of its cells
  // was split.
  if (hasMore || (cells.length > columns && context.evidence?.width !== cells.length)) {
    blame(null, {
      code: 'ROW_TOO_LONG',
      values: { cells: String(cells.length), columns: String(columns) },
      message: `The row has ${cells.length} cells, but the file has ${columns} columns: values may be in the wrong ones.`,
      suggestion: 'Put a cell that holds a separator (such as the comma in 1,234) in quotation marks.',
    });
    return false;
  }
  if (endsFile && cells.length < columns) {
    blame(null, {
      code: 'ROW_CUT_SHORT',
      values: { cells: String(cells.length), columns: String(columns) },
      message: `The file ends in the middle of this row: it has ${cells.length} of ${columns} cells.`,
      suggestion: 'Export the file again: more rows may be missing.',
    });
    return false;
  }
  return true;
}

/** A formula, or the beginning of one. But ="0712345678" is a text: it is written this way to keep its zero. */
const formulaForm = /^[\s']*=(?!["\u201C\u201D][^"]*["\u201C\u201D]\s*$)\s*[^=\s]/;
/**
 * Nearly every cell begins with something other than an equals sign, an apostrophe or a space, and needs no closer
 * look.
 */
function mayBeFormula(text: string): boolean {
  const code = text.charCodeAt(0);
  return code === 0x3d || code === 0x27 || code === 0x20 || code === 0x09;
}

/** False if a cell with a meaning contains a formula: the text of a formula is no number or amount. */
function checkFormulas({ blame, cell }: RowUnderCheck, cells: readonly string[]): boolean {
  if (!cells.some(mayBeFormula)) return true;
  const found = fields.filter((field) => formulaForm.test(cell[field]));
  for (const field of found)
    blame(field, {
      code: 'FORMULA_WITHOUT_VALUE',
      message: `The cell holds a formula (${shortened(withoutSpreadsheetGuard(cell[field].trim()))}), not its value.`,
      suggestion:
        'Open the file in the spreadsheet program, check what the cell shows, save it there and use that file; or replace the formulas with their values.',
    });
  return found.length === 0;
}

function linesIn(cells: readonly string[]): number {
  return cells.reduce((lines, cell) => lines + cell.split(/\r\n|\n|\r/).length - 1, 1);
}

function readCountry(row: RowUnderCheck): string | null {
  const text = plainText(row.cell.country);
  if (text === '') return null;
  const code = countryCodeOf(text);
  if (code !== null) return code;
  row.blame('country', {
    code: 'COUNTRY_UNKNOWN',
    message: `"${shortened(text)}" is not a country.`,
    suggestion: 'Write the two-letter code, such as KE for Kenya.',
  });
  return null;
}

function readReference(row: RowUnderCheck): string | null {
  const reference = withoutSpreadsheetGuard(row.cell.reference.trim());
  if (withoutIgnorable(reference).trim() === '') return null;
  const problem = rowRefProblem(reference);
  if (problem === null) return reference;
  row.blame('reference', {
    code: 'REFERENCE_INVALID',
    message: `The reference ${problem}.`,
    suggestion: 'Give the row another reference, or leave the cell empty.',
  });
  return null;
}

import { rejectedFile } from '../../core/basics/rejected-file.ts';
import { withoutNumbers } from '../../core/text/redact.ts';
import type { Field } from '../cells/fields.ts';
import { nearColumns, type Sample, valuesText } from './column-choice.ts';
import { meaningOf } from './column-names.ts';

/** Columns that our own files add; they belong to an earlier import. */
const ownColumns = new Set(['problem', 'suggestion']);

/** Whether a column is one of those, or one of the results workbook that repeats the file: "File: Amount". */
export function isOwnColumn(name: string): boolean {
  return ownColumns.has(name.trim()) || /^File: ./.test(name);
}

/** A header that is enough for most files. */
const exampleHeader = 'phone_number,network_id,amount,currency';

/**
 * Throws `FILE_REJECTED` if the header lacks a column that every row needs, and names the columns that could be meant.
 */
export function refuseMissing(
  header: readonly string[],
  plan: Partial<Record<Field, number>>,
  {
    defaults,
    unread,
    sample,
    headerBelow,
  }: {
    defaults: { networkId: number | null };
    unread: readonly number[];
    sample: Sample;
    headerBelow: number | null;
  },
): void {
  const missing: Field[] = [];
  if (plan.phone_number === undefined) missing.push('phone_number');
  if (plan.network_id === undefined && defaults.networkId === null) missing.push('network_id');
  if (plan.amount === undefined && plan.product_id === undefined) missing.push('amount');
  if (missing.length === 0) return;
  if (headerBelow === null) refuseTableInColumn(header);
  const help =
    headerBelow === null
      ? `${proposals(header, missing, unread, sample)}${missingHint(header, missing)}`
      : headerOffer(headerBelow);
  const names = missing.map((field) => (field === 'amount' ? 'amount (or product_id)' : field));
  throw rejectedFile(
    'COLUMN_MISSING',
    { fields: missing.join(','), header: isRow(header) ? '' : namesOf(header) },
    `the file has no column for ${anyOf(names)}; ${readAs(header)}`,
    { hint: `${help} Nothing was sent.` },
  );
}

/** How to read a file whose header is below other lines. */
export function headerOffer(line: number): string {
  return `Line ${line} looks like the header: to read the file from there, add --header-line ${line} (in the configuration, intake.headerLine). The lines above it are then shown, and not read.`;
}

/** The columns that could be meant, with their values: people will pay what they copy from here. */
function proposals(
  header: readonly string[],
  missing: readonly Field[],
  unread: readonly number[],
  sample: Sample,
): string {
  return missing
    .flatMap((field) =>
      nearColumns(header, field, unread, sample).map((index) => {
        const name = `"${header[index]?.trim()}"`;
        return `Did you mean ${name} for ${field} (${valuesText(header, field, index, sample)})? Then add --map ${field}=${name}. `;
      }),
    )
    .join('');
}

/** Possible delimiters within a line that became one cell. */
const separators = [',', ';', '\t', '|'] as const;

/** Refuses a table whose lines are quoted, or were pasted into one column of a sheet. */
function refuseTableInColumn(header: readonly string[]): void {
  const [only = '', ...others] = header.filter((name) => name.trim() !== '');
  if (others.length > 0) return;
  const isTable = separators.some((sign) => {
    const names = only.split(sign).map((name) => name.replaceAll('"', ''));
    return names.filter((name) => meaningOf(name) !== null).length > 1;
  });
  if (!isTable) return;
  throw rejectedFile('ONE_COLUMN', {}, 'the whole table is in one column: each line is a single cell', {
    hint: 'In a spreadsheet, select the column, choose "Text to Columns" in the menu "Data", and save it again; in a text file, remove the quotes around each line. Nothing was sent.',
  });
}

function missingHint(header: readonly string[], missing: readonly Field[]): string {
  if (isRow(header)) return `Put a line above it that names the columns, such as ${exampleHeader}.`;
  const mapping = missing.map((field) => `--map ${field}="..."`).join(' ');
  return `The first line must name the columns: delete the lines above them (such as a title), correct a name, or say which column is meant, by its name in the file: ${mapping}.`;
}

function anyOf(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' or ');
}

/** The header as text, or that it is none. */
export function readAs(header: readonly string[]): string {
  if (isRow(header)) return 'its first line has a number as a row does: it is not a header';
  const names = namesOf(header);
  return `its header reads ${names === '' ? 'empty' : names}`;
}

function namesOf(header: readonly string[]): string {
  const found = header.filter((name) => name.trim() !== '' && !isOwnColumn(name));
  const names = found.slice(0, 12).map((name) => `"${name.trim()}"`);
  if (found.length > 12) names.push('...');
  return names.join(', ');
}

/**
 * Whether a first line has a person's data instead of column names. The reason of a rejection is stored and sent, and
 * must not quote it then.
 */
function isRow(header: readonly string[]): boolean {
  return header.some((cell) => withoutNumbers(cell) !== cell);
}

import { rejectedFile } from '../../core/basics/rejected-file.ts';
import { listText } from '../../core/text/list-text.ts';
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
    headerLine,
  }: {
    defaults: { networkId: number | null };
    unread: readonly number[];
    sample: Sample;
    headerBelow: number | null;
    headerLine: number | null;
  },
): void {
  const missing: Field[] = [];
  if (plan.phone_number === undefined) missing.push('phone_number');
  if (plan.network_id === undefined && defaults.networkId === null) missing.push('network_id');
  if (plan.amount === undefined && plan.product_id === undefined) missing.push('amount');
  if (missing.length === 0) return;
  if (headerBelow === null) refuseTableInColumn(header);
  const names = missing.map((field) => (field === 'amount' ? 'amount (or product_id)' : field));
  const isUncut = isOneCell(header) && sample.length > 0 && sample.every(isOneCell) && sample.some(isRow);
  const about = { missing, names, isHeader: Object.keys(plan).length > 0, headerLine };
  const help =
    headerBelow !== null
      ? headerOffer(headerBelow)
      : isUncut
        ? 'Each line is a single cell: put commas, semicolons or tabs between the cells, as a spreadsheet does when it saves a CSV.'
        : `${proposals(header, missing, unread, sample)}${missingHint(header, about)}`;
  throw rejectedFile(
    'COLUMN_MISSING',
    { fields: missing.join(','), header: isRow(header) ? '' : namesOf(header) },
    `the file has no column for ${listText(names, 'or')}; ${readAs(header, headerLine)}`,
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
  if (!isOneCell(header)) return;
  const only = header.find((name) => name.trim() !== '') ?? '';
  const isTable = separators.some((sign) => {
    const names = only.split(sign).map((name) => name.replaceAll('"', ''));
    return names.filter((name) => meaningOf(name) !== null).length > 1;
  });
  if (!isTable) return;
  throw rejectedFile('ONE_COLUMN', {}, 'the whole table is in one column: each line is a single cell', {
    hint: 'In a spreadsheet, select the column, choose "Text to Columns" in the menu "Data", and save it again; in a text file, remove the quotes around each line. Nothing was sent.',
  });
}

function isOneCell(cells: readonly string[]): boolean {
  return cells.filter((cell) => cell.trim() !== '').length <= 1;
}

/** `isHeader`: whether a column of the header was understood, so that it is the header. */
function missingHint(
  header: readonly string[],
  {
    missing,
    names,
    isHeader,
    headerLine,
  }: { missing: readonly Field[]; names: readonly string[]; isHeader: boolean; headerLine: number | null },
): string {
  if (isRow(header))
    return headerLine === null
      ? `Put a line above it that names the columns, such as ${exampleHeader}.`
      : 'Give the number of the line that has the column names (--header-line, or intake.headerLine), or leave it out if that is the first one.';
  const mapping = missing.map((field) => `--map ${field}="..."`).join(' ');
  if (isHeader) {
    const [columns, them, other, ones] =
      missing.length === 1
        ? ['column', 'it', 'another name', 'one it is']
        : ['columns', 'them', 'other names', 'ones they are'];
    return `Add the ${columns} ${listText(names, 'and')}, or, if the file has ${them} under ${other}, say which ${ones}: ${mapping}.`;
  }
  return `The first line must name the columns: delete the lines above them (such as a title), correct a name, or say which column is meant, by its name in the file: ${mapping}.`;
}

/** The header as text, or that it is none. */
export function readAs(header: readonly string[], headerLine: number | null): string {
  const line = headerLine === null ? 'its first line' : `line ${headerLine}, which is named as the header,`;
  if (isRow(header)) return `${line} has a number as a row does: it is not a header`;
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

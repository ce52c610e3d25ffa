import { type FileNote, fileNote } from '../../core/basics/rejected-file.ts';
import { shortened } from '../cells/problems.ts';
import type { CatalogCache } from '../rows/network-catalog.ts';
import type { CheckContext } from '../rows/row-under-check.ts';
import { aboveWarning } from '../table/header-line.ts';
import type { Table } from '../table/table.ts';
import type { NamedDates } from '../workbook/shown-cells.ts';
import type { MarkedRows } from '../workbook/xlsx-rows.ts';

/** What a person should know about a file as a whole, one sentence each. */
export function warningsOf(
  catalog: CatalogCache,
  { form, header }: Table,
  { signs: { proof }, settings, otherNames }: CheckContext,
  dates: NamedDates,
): string[] {
  const warnings = aboveWarning(form, settings.headerLine).map(({ message }) => message);
  if (proof['.'] !== null && proof[','] !== null) {
    warnings.push(
      `Some amounts have a decimal point (first in line ${proof['.']}) and others a decimal comma (first in line ${proof[',']}): check them.`,
    );
  }
  if (catalog.failed()) {
    warnings.push(
      'The service did not give its list of networks: network ids and products were not checked, and network names could not be read.',
    );
  }
  for (const { name, network, line } of otherNames.values())
    warnings.push(
      `"${shortened(name)}" is read as network ${network} (first in line ${line}): check that it is meant.`,
    );
  const names = header.map((name) => name.trim()).filter((name) => name !== '');
  for (const name of new Set(names.filter((name, index) => names.indexOf(name) !== index)))
    warnings.push(`More than one column is named "${name}": none of them is read, and all are kept.`);
  warnings.push(...[...sheetWarnings(form), ...dateWarning(dates)].map(({ message }) => message));
  return warnings;
}

/** What a person should know about the sheet that was read. */
export function sheetWarnings(form: Table['form']): FileNote[] {
  const warnings: FileNote[] = [];
  if (form.otherSheets.length > 0) {
    const others = form.otherSheets.map(
      (name) => `"${name}"${name === form.activeSheet ? ' (open when it was saved)' : ''}`,
    );
    const message = `Only the sheet "${form.sheet}" was read; not read: ${others.join(', ')}.`;
    const sheets = form.otherSheets.map((name) => `"${name}"`).join(', ');
    warnings.push(fileNote('SHEETS_UNREAD', { sheet: form.sheet ?? '', sheets }, message));
  }
  warnings.push(...markedWarning('ROWS_HIDDEN', form.hiddenRows, 'hidden in the sheet'));
  warnings.push(...markedWarning('ROWS_STRUCK', form.struckRows, 'struck through in the sheet'));
  return warnings;
}

/** Which references are dates in the sheet. */
export function dateWarning({ count, first }: NamedDates): FileNote[] {
  if (!first) return [];
  const [what, it] = count === 1 ? ['1 reference is a date', 'it'] : [`${count} references are dates`, 'them'];
  const message = `${what} in the sheet, and read as the sheet shows ${it} (line ${first.line}: "${first.text}"): spreadsheets make dates of texts such as "1-24".`;
  return [fileNote('DATES', { count, line: first.line, text: first.text }, message)];
}

function markedWarning(code: 'ROWS_HIDDEN' | 'ROWS_STRUCK', rows: MarkedRows | null, how: string): FileNote[] {
  if (rows === null || rows.count === 0) return [];
  const { count, first } = rows;
  const which =
    count === 1
      ? `1 row is ${how} (line ${first}), and is`
      : `${count} rows are ${how} (first in line ${first}), and are`;
  return [fileNote(code, { count, line: first }, `${which} read like the others: remove what should not be paid.`)];
}

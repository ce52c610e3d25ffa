import { dayMs } from '../core/clock.ts';
import { AirbatchError } from '../core/errors.ts';
import { columnsMax } from './columns.ts';
import type { RecordChunk } from './record-chunk.ts';
import type { IntakeSettings } from './settings.ts';
import type { Source } from './source.ts';
import { plainCharacters, readDateStyles, readTexts, readWorkbook, type Workbook } from './workbook.ts';
import { type XmlHandlers, xmlSteps } from './xml-reader.ts';
import { damagedWorkbook, openZip, type ZipArchive } from './zip-archive.ts';

/** Rows that a sheet does not show, by a filter or by hand: certain when the sheet was read to its end. */
export interface HiddenRows {
  count: number;
  /** The line of the first of them. */
  first: number;
}

/** A sheet of a workbook, opened as a table. */
export interface OpenSheet {
  name: string;
  hidden: HiddenRows;
  /** The sheets of the workbook that people see besides. */
  others: string[];
  records: AsyncGenerator<RecordChunk>;
}

/** Excel's own limit is 32,767 characters. */
const cellLengthMax = 100_000;

/**
 * Opens the sheet that the settings name, or the first one that is not hidden. Throws `FILE_REJECTED` where there is no such
 * sheet, or where the workbook is damaged, too large, or made to do harm.
 */
export async function openSheet(source: Source, settings: IntakeSettings, signal?: AbortSignal): Promise<OpenSheet> {
  const { limits } = settings;
  if (source.bytes > limits.workbookBytesMax) {
    throw new AirbatchError('FILE_REJECTED', `the workbook is larger than ${limits.workbookBytesMax} bytes`, {
      hint: 'Save the sheet as "CSV UTF-8", which is read in any size. Nothing was sent.',
    });
  }
  const parts: Buffer[] = [];
  for await (const chunk of source.chunks(signal)) parts.push(chunk);
  const archive = openZip(Buffer.concat(parts), limits);
  const workbook = await readWorkbook(archive);
  const visible = workbook.sheets.filter(({ isHidden }) => !isHidden);
  const sheet = settings.sheet === null ? visible[0] : workbook.sheets.find(({ name }) => name === settings.sheet);
  if (!sheet) {
    const has = visible.map(({ name }) => JSON.stringify(name)).join(', ') || 'none';
    const message = `the workbook has no sheet ${JSON.stringify(settings.sheet ?? '')}; its sheets are ${has}`;
    throw new AirbatchError('FILE_REJECTED', message, {
      hint: 'Name one of its sheets with --sheet, or as intake.sheet in the configuration. Nothing was sent.',
    });
  }
  const cells = await cellReader(archive, workbook);
  const hidden: HiddenRows = { count: 0, first: 0 };
  return {
    name: sheet.name,
    hidden,
    others: visible.flatMap(({ name }) => (name === sheet.name ? [] : [name])),
    records: sheetRows(archive.read(sheet.path), cells, hidden, { bytes: source.bytes, signal }),
  };
}

/** A cell as it stands in the sheet: its type, its style, and what is in its `v` or `is`. */
interface RawCell {
  column: number;
  type: string;
  style: number;
  text: string;
  /** Whether it has a value at all, be it an empty text. */
  hasValue: boolean;
  /** The beginning of its formula, "" where another cell has that; null where it has none. */
  formula: string | null;
}

type CellReader = (cell: RawCell) => string;

async function cellReader(archive: ZipArchive, { textsPath, stylesPath, from1904 }: Workbook): Promise<CellReader> {
  const texts = textsPath === null ? [] : await readTexts(archive, textsPath);
  const dates = stylesPath === null ? [] : await readDateStyles(archive, stylesPath);
  const firstDay = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  return ({ type, style, text }) => {
    if (type === 's') {
      const shared = texts[Number(text)];
      if (shared === undefined) throw damagedWorkbook('a cell refers to a text that is not there');
      return shared;
    }
    if (type === 'str' || type === 'inlineStr') return plainCharacters(text);
    if (type === 'b') return text === '1' || text === 'true' ? 'TRUE' : 'FALSE';
    const number = text === '' || (type !== '' && type !== 'n') ? Number.NaN : Number(text);
    if (Number.isNaN(number)) return text;
    return dates[style] === true ? dateText(firstDay, number) : numberText(number);
  };
}

function dateText(firstDay: number, days: number): string {
  const date = new Date(firstDay + Math.round(days * dayMs));
  if (Number.isNaN(date.getTime())) return String(days);
  const text = date.toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
}

/**
 * A number as its sheet shows it: to 15 digits, where 3 times 1250.55 is stored as 3751.6499999999996. What looks like "1.234" as text
 * could be 1234; a number in a sheet cannot, and one zero more says so.
 */
function numberText(value: number): string {
  const text = String(Number.isInteger(value) ? value : Number(value.toPrecision(15)));
  return /^-?[0-9]+\.[0-9]{3}$/.test(text) ? `${text}0` : text;
}

interface SheetRow {
  line: number;
  isHidden: boolean;
  cells: string[];
}

async function* sheetRows(
  xml: AsyncIterable<Buffer>,
  readCell: CellReader,
  hidden: HiddenRows,
  { bytes, signal }: { bytes: number; signal: AbortSignal | undefined },
): AsyncGenerator<RecordChunk> {
  const rows: SheetRow[] = [];
  let columns = 0;
  for await (const _ of xmlSteps(xml, sheetHandlers(readCell, rows))) {
    signal?.throwIfAborted();
    const taken = rows.splice(0).filter(({ cells }) => lastFilled(cells) >= 0);
    const [first] = taken;
    if (!first) continue;
    // The header pays nobody.
    noteHidden(hidden, columns === 0 ? taken.slice(1) : taken);
    if (columns === 0) columns = lastFilled(first.cells) + 1;
    yield {
      records: taken.map(({ cells }) => ofWidth(cells, columns)),
      lines: taken.map(({ line }) => line),
      bytes,
      doubts: new Map(),
      endsOpen: false,
    };
  }
}

function noteHidden(hidden: HiddenRows, rows: readonly SheetRow[]): void {
  for (const { line, isHidden } of rows) {
    if (!isHidden) continue;
    if (hidden.count === 0) hidden.first = line;
    hidden.count += 1;
  }
}

/** How much of a formula is kept: enough to know it by. */
const formulaLengthMax = 80;

/**
 * The text of a cell. A formula whose value was never stored (a program wrote the workbook, and no spreadsheet has opened it since) stands
 * for itself: an empty cell would mean something else.
 */
function textOf(cell: RawCell, readCell: CellReader): string {
  if (cell.text !== '') return readCell(cell);
  if (cell.formula === null || (cell.type === 'str' && cell.hasValue)) return '';
  return `=${cell.formula || '…'}`;
}

/** Gathers the rows of a sheet in `rows`. What is not of a cell (formats, comments) is read over. */
function sheetHandlers(readCell: CellReader, rows: SheetRow[]): XmlHandlers {
  let line = 0;
  let isHidden = false;
  let cells: string[] = [];
  let cell: RawCell | null = null;
  let isValue = false;
  let isFormula = false;
  let next = 0;
  return {
    open(name, { r = '', t = '', s = '', hidden = '' }) {
      if (name === 'row') {
        const given = r === '' ? line + 1 : Number(r);
        if (!Number.isSafeInteger(given) || given <= line) throw damagedWorkbook('its rows are not in order');
        line = given;
        isHidden = hidden === '1' || hidden === 'true';
        cells = [];
        next = 0;
      } else if (name === 'c') {
        const column = r === '' ? next : columnOf(r);
        next = column + 1;
        cell = { column, type: t, style: Number(s), text: '', hasValue: false, formula: null };
      } else if (cell && (name === 'v' || name === 't')) {
        isValue = true;
        cell.hasValue = true;
      } else if (cell && name === 'f') {
        isFormula = true;
        cell.formula = '';
      } else if (name === 'rPh') isValue = false;
    },
    text(piece) {
      if (cell && isFormula) cell.formula = `${cell.formula}${piece}`.slice(0, formulaLengthMax);
      if (!cell || !isValue) return;
      cell.text += piece;
      if (cell.text.length > cellLengthMax) throw damagedWorkbook('it has a cell that is longer than any');
    },
    close(name) {
      if (name === 'v' || name === 't') isValue = false;
      else if (name === 'f') isFormula = false;
      else if (name === 'c' && cell) {
        put(cells, cell.column, textOf(cell, readCell));
        cell = null;
      } else if (name === 'row') rows.push({ line, isHidden, cells });
    },
  };
}

function put(cells: string[], column: number, text: string): void {
  if (text === '') return;
  // A sheet can have 16,384 columns: a single cell in the last of them would make a row of so many.
  if (column >= columnsMax) {
    throw new AirbatchError('FILE_REJECTED', `the sheet has something beyond its column ${columnsMax}`, {
      hint: 'Remove it, or save the sheet as "CSV UTF-8". Nothing was sent.',
    });
  }
  if (cells[column]) throw damagedWorkbook('it has a cell twice');
  while (cells.length <= column) cells.push('');
  cells[column] = text;
}

/** The number of a column by its letters: "A1" is in column 0, "AB7" in column 27. */
function columnOf(reference: string): number {
  const letters = /^([A-Z]{1,3})[0-9]+$/.exec(reference)?.[1];
  if (letters === undefined) throw damagedWorkbook('it has a cell that is nowhere');
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** A row as wide as the header: what a sheet has beyond it counts only where something stands in it. */
function ofWidth(cells: string[], columns: number): string[] {
  if (cells.length < columns) return [...cells, ...Array<string>(columns - cells.length).fill('')];
  return cells.slice(0, Math.max(columns, lastFilled(cells) + 1));
}

function lastFilled(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== '');
}

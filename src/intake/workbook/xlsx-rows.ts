import { rejectedFile } from '../../core/basics/rejected-file.ts';
import { columnsMax } from '../columns/columns.ts';
import type { IntakeSettings } from '../columns/settings.ts';
import type { RecordChunk, ShownCell } from '../file/record-chunk.ts';
import type { Source } from '../file/source.ts';
import { refuseBomb } from '../file/unpack.ts';
import { type CellReader, makeCellReader, type RawCell } from './sheet-cells.ts';
import { cellLengthMax, readWorkbook, tooLongCell } from './workbook-parts.ts';
import { type XmlHandlers, xmlSteps } from './xml-reader.ts';
import { damagedWorkbook, openZip } from './zip-archive.ts';

/** Rows with a property, such as being hidden: complete after the sheet was read to its end. */
export interface MarkedRows {
  count: number;
  /** The line of the first of them. */
  first: number;
}

/** A sheet of a workbook, opened as a table. */
export interface OpenSheet {
  name: string;
  /** Rows that the sheet hides, by a filter or by hand. */
  hidden: MarkedRows;
  /** Rows with a cell that is struck through. */
  struck: MarkedRows;
  /** The columns that the sheet hides: complete after the first record was read. */
  hiddenColumns: ReadonlySet<number>;
  /** The records above the header, if the settings name its line. */
  above: readonly (readonly string[])[];
  /** The other visible sheets of the workbook. */
  others: string[];
  /** The sheet that was active when the workbook was saved; null if it does not say. */
  active: string | null;
  records: AsyncGenerator<RecordChunk>;
}

/**
 * Opens the sheet that the settings name, or the first visible one. Throws `FILE_REJECTED` if there is no such sheet,
 * or if the workbook is damaged, too large, or made to do harm.
 */
export async function openSheet(source: Source, settings: IntakeSettings, signal?: AbortSignal): Promise<OpenSheet> {
  const { limits } = settings;
  if (source.bytes > limits.workbookBytesMax) {
    throw rejectedFile(
      'TOO_LARGE',
      { bytes: limits.workbookBytesMax },
      `the workbook is larger than ${limits.workbookBytesMax} bytes`,
      {
        hint: 'Save the sheet as "CSV UTF-8", which is read in any size. Nothing was sent.',
      },
    );
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
    throw rejectedFile('SHEET_UNKNOWN', { sheet: settings.sheet ?? '', sheets: has }, message, {
      hint: 'Name one of its sheets with --sheet, or as intake.sheet in the configuration. Nothing was sent.',
    });
  }
  const cells = await makeCellReader(archive, workbook);
  const hidden: MarkedRows = { count: 0, first: 0 };
  const struck: MarkedRows = { count: 0, first: 0 };
  const hiddenColumns = new Set<number>();
  const above: string[][] = [];
  return {
    name: sheet.name,
    active: workbook.sheets.find(({ isActive }) => isActive)?.name ?? null,
    hidden,
    struck,
    hiddenColumns,
    above,
    others: visible.flatMap(({ name }) => (name === sheet.name ? [] : [name])),
    records: sheetRows(
      archive.read(sheet.path),
      cells,
      { hidden, struck, hiddenColumns, above },
      { bytes: source.bytes, headerLine: settings.headerLine ?? 1, limits, signal },
    ),
  };
}

interface SheetRow {
  line: number;
  isHidden: boolean;
  isStruck: boolean;
  cells: string[];
  /** By column, the cells that are shown in another way than in `cells`; null for none. */
  shown: Map<number, ShownCell> | null;
}

/** Facts of a sheet that are collected while it is read. */
interface Noted {
  hidden: MarkedRows;
  struck: MarkedRows;
  hiddenColumns: Set<number>;
  above: string[][];
}

async function* sheetRows(
  xml: AsyncIterable<Buffer>,
  reader: CellReader,
  { hidden, struck, hiddenColumns, above }: Noted,
  { bytes, headerLine, limits, signal }: ReadSheet,
): AsyncGenerator<RecordChunk> {
  const rows: SheetRow[] = [];
  let columns = 0;
  let unpacked = 0;
  for await (const _ of xmlSteps(xml, sheetHandlers(reader, rows, hiddenColumns))) {
    signal?.throwIfAborted();
    const filled = rows.splice(0).filter(({ cells }) => lastFilled(cells) >= 0);
    // A cell may only name a text that many others name, too.
    for (const row of filled) unpacked += lengthOf(row, limits.rowBytesMax) + emptyCellBytes * columns;
    refuseBomb(unpacked, bytes, limits);
    const taken = filled.filter(({ line }) => line >= headerLine);
    if (taken.length < filled.length)
      above.push(...filled.filter(({ line }) => line < headerLine).map(({ cells }) => cells));
    const [first] = taken;
    if (!first) continue;
    // The header is not a row.
    const below = columns === 0 ? taken.slice(1) : taken;
    mark(
      hidden,
      below.filter(({ isHidden }) => isHidden),
    );
    mark(
      struck,
      below.filter(({ isStruck }) => isStruck),
    );
    if (columns === 0) columns = lastFilled(first.cells) + 1;
    yield {
      records: taken.map(({ cells }) => ofWidth(cells, columns)),
      lines: taken.map(({ line }) => line),
      bytes,
      doubts: new Map(),
      shown: new Map(taken.flatMap(({ shown }, index) => (shown === null ? [] : [[index, shown] as const]))),
      endsOpen: false,
    };
  }
}

interface ReadSheet {
  /** The bytes of the workbook. */
  bytes: number;
  headerLine: number;
  limits: IntakeSettings['limits'];
  signal: AbortSignal | undefined;
}

/** What an empty cell takes where a row is stored. */
const emptyCellBytes = 3;

function lengthOf({ line, cells }: SheetRow, rowBytesMax: number): number {
  const length = cells.reduce((sum, cell) => sum + cell.length, 0);
  if (length > rowBytesMax) throw damagedWorkbook(`its row ${line} is longer than ${rowBytesMax} bytes`);
  return length;
}

function mark(marked: MarkedRows, rows: readonly SheetRow[]): void {
  if (marked.count === 0) marked.first = rows[0]?.line ?? 0;
  marked.count += rows.length;
}

/** How much of a formula is kept: enough to recognise it. */
const formulaLengthMax = 80;

function isOn(attribute = ''): boolean {
  return attribute === '1' || attribute === 'true';
}

/** Collects the columns of a `col` element that are hidden, or too narrow to be seen. */
function noteHiddenColumns(columns: Set<number>, { hidden, width, min, max }: Readonly<Record<string, string>>): void {
  if (!isOn(hidden) && Number(width ?? Number.NaN) !== 0) return;
  const last = Math.min(Number(max), columnsMax);
  for (let column = Math.max(Number(min), 1); column <= last; column++) columns.add(column - 1);
}

/** Collects the rows of a sheet in `rows`. Everything but cells (formats, comments) is ignored. */
function sheetHandlers(reader: CellReader, rows: SheetRow[], hiddenColumns: Set<number>): XmlHandlers {
  let line = 0;
  let isHidden = false;
  let isStruck = false;
  let cells: string[] = [];
  let shown: SheetRow['shown'] = null;
  let cell: RawCell | null = null;
  let isValue = false;
  let isFormula = false;
  let next = 0;
  return {
    open(name, { r = '', t = '', s = '', hidden = '', ...attributes }) {
      if (name === 'col') noteHiddenColumns(hiddenColumns, { hidden, ...attributes });
      else if (name === 'row') {
        const given = r === '' ? line + 1 : Number(r);
        if (!Number.isSafeInteger(given) || given <= line) throw damagedWorkbook('its rows are not in order');
        line = given;
        isHidden = isOn(hidden);
        isStruck = false;
        cells = [];
        shown = null;
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
      if (cell.text.length > cellLengthMax) throw tooLongCell();
    },
    close(name) {
      if (name === 'v' || name === 't') isValue = false;
      else if (name === 'f') isFormula = false;
      else if (name === 'c' && cell) {
        put(cells, cell.column, reader.text(cell));
        const otherwise = reader.shown(cell);
        if (otherwise) shown = (shown ?? new Map()).set(cell.column, otherwise);
        isStruck ||= reader.isStruck(cell);
        cell = null;
      } else if (name === 'row') rows.push({ line, isHidden, isStruck, cells, shown });
    },
  };
}

function put(cells: string[], column: number, text: string): void {
  if (text === '') return;
  // A sheet can have 16,384 columns: a single cell in the last one would make a row of that length.
  if (column >= columnsMax) {
    throw rejectedFile('TOO_WIDE', { columns: columnsMax }, `the sheet has content beyond column ${columnsMax}`, {
      hint: 'Remove it, or save the sheet as "CSV UTF-8". Nothing was sent.',
    });
  }
  if (cells[column]) throw damagedWorkbook('it has a cell twice');
  while (cells.length <= column) cells.push('');
  cells[column] = text;
}

/** The index of a column from its letters: "A1" is in column 0, "AB7" in column 27. */
function columnOf(reference: string): number {
  const letters = /^([A-Z]{1,3})[0-9]+$/.exec(reference)?.[1];
  if (letters === undefined) throw damagedWorkbook('it has a cell without a place');
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** A row as wide as the header; cells beyond it are kept only if they have content. */
function ofWidth(cells: string[], columns: number): string[] {
  if (cells.length < columns) return [...cells, ...Array<string>(columns - cells.length).fill('')];
  return cells.slice(0, Math.max(columns, lastFilled(cells) + 1));
}

function lastFilled(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== '');
}

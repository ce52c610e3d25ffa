import { rejectedFile } from '../../core/basics/rejected-file.ts';
import { plainName } from '../../core/text/plain-name.ts';
import type { IntakeSettings } from '../columns/settings.ts';
import { firstBytes, withFirst, withoutEndMark } from '../file/chunks.ts';
import { csvRows } from '../file/csv-rows.ts';
import { type Decoded, decodeText } from '../file/decode.ts';
import { delimiterOf } from '../file/delimiter.ts';
import { type Format, formatOf } from '../file/format.ts';
import type { RecordChunk } from '../file/record-chunk.ts';
import type { Source } from '../file/source.ts';
import { gunzip } from '../file/unpack.ts';
import type { MarkedRows } from '../workbook/xlsx-rows.ts';

/** A file opened as a table: its first record is the header, the others are rows. */
export interface Table {
  header: string[];
  /** The records below the header. */
  rows: AsyncGenerator<RecordChunk>;
  /** The first rows, and the lines where they begin. */
  sample: readonly (readonly string[])[];
  sampleLines: readonly number[];
  form: TableForm;
}

/** How the file was read, for people. */
export interface TableForm {
  format: Format;
  /** Null for a workbook. It is certain after the file was read to its end. */
  encoding: Decoded | null;
  /** The character between the cells; null for a workbook. */
  delimiter: string | null;
  /** The sheet that was read; null for text. */
  sheet: string | null;
  /** The sheets of the workbook that were not read. */
  otherSheets: string[];
  /** The sheet that was active when the workbook was saved, if it says so. */
  activeSheet: string | null;
  /** Rows that the sheet hides, and rows that are struck through; null for text. */
  hiddenRows: MarkedRows | null;
  struckRows: MarkedRows | null;
  /** The columns that the sheet hides. */
  hiddenColumns: ReadonlySet<number>;
  /** The records above the header, if the settings name its line. */
  above: readonly (readonly string[])[];
}

/** How much of the text is used to detect the delimiter: no header is longer. */
const headerBytesMax = 64 * 1024;

/** Opens a file of any format as a table. Throws `FILE_REJECTED` if it is not one, or has no rows. */
export async function openTable(source: Source, settings: IntakeSettings, signal?: AbortSignal): Promise<Table> {
  const format = formatOf(source.head);
  const { records, form } = await (format === 'xlsx'
    ? openWorkbook(source, settings, signal)
    : openText(source, format, settings, signal));
  const first = await records.next();
  const [header, ...rest] = first.done ? [] : first.value.records;
  if (settings.headerLine !== null) requireHeaderOn(settings.headerLine, first.done ? undefined : first.value.lines[0]);
  if (!header) throw rejectedFile('EMPTY', {}, 'the file is empty: there is no text in it');
  const ahead = await readAhead(first.value as RecordChunk, rest, records);
  const sample = ahead.flatMap((chunk) => chunk.records).slice(0, sampleRowsMax);
  const sampleLines = ahead.flatMap((chunk) => chunk.lines).slice(0, sampleRowsMax);
  return { header, rows: withAhead(ahead, records), sample, sampleLines, form };
}

/** Throws `FILE_REJECTED` if no record begins on the line that was named as the header; `found` is the next one. */
function requireHeaderOn(headerLine: number, found: number | undefined): void {
  if (found === headerLine) return;
  const message =
    found === undefined
      ? `the file has no line ${headerLine}, which is named as its header (--header-line, or intake.headerLine)`
      : `line ${headerLine}, which is named as the header (--header-line, or intake.headerLine), is empty; the next that is not is line ${found}`;
  throw rejectedFile('HEADER_LINE', { line: headerLine }, message, {
    hint: 'Give the number of the line that has the column names: a spreadsheet shows it on the left. Nothing was sent.',
  });
}

/** The rows by which columns are recognised: enough to see their content, and mostly in the first chunk. */
const sampleRowsMax = 100;

/** The chunks with the first rows below the header. */
async function readAhead(
  first: RecordChunk,
  rest: string[][],
  records: AsyncGenerator<RecordChunk>,
): Promise<RecordChunk[]> {
  const ahead: RecordChunk[] = [];
  if (rest.length > 0)
    ahead.push({
      ...first,
      records: rest,
      lines: first.lines.slice(1),
      doubts: new Map([...first.doubts].map(([index, doubt]) => [index - 1, doubt])),
      shown: new Map([...(first.shown ?? [])].map(([index, cells]) => [index - 1, cells])),
    });
  for (let rows = rest.length; rows < sampleRowsMax; ) {
    const next = await records.next();
    if (next.done) break;
    ahead.push(next.value);
    rows += next.value.records.length;
  }
  return ahead;
}

async function* withAhead(ahead: RecordChunk[], records: AsyncGenerator<RecordChunk>) {
  try {
    for (let chunk = ahead.shift(); chunk; chunk = ahead.shift()) yield chunk;
    for await (const chunk of records) yield chunk;
  } finally {
    await records.return(undefined);
  }
}

interface OpenRecords {
  records: AsyncGenerator<RecordChunk>;
  form: TableForm;
}

async function openWorkbook(source: Source, settings: IntakeSettings, signal?: AbortSignal): Promise<OpenRecords> {
  // Loaded on demand: most files are text, and the reader of workbooks is large.
  const { openSheet } = await import('../workbook/xlsx-rows.ts');
  const opened = await openSheet(source, settings, signal);
  const { name, others, active, hidden, struck, hiddenColumns, above, records } = opened;
  const text = { encoding: null, delimiter: null };
  const marked = { activeSheet: active, hiddenRows: hidden, struckRows: struck, hiddenColumns, above };
  return { records, form: { format: 'xlsx', ...text, sheet: name, otherSheets: others, ...marked } };
}

async function openText(
  source: Source,
  format: Format,
  settings: IntakeSettings,
  signal: AbortSignal | undefined,
): Promise<OpenRecords> {
  const bytes = format === 'gzip' ? unpackedText(source, settings, signal) : source.chunks(signal);
  const encoding: Decoded = { encoding: 'UTF-8' };
  const text = withoutEndMark(decodeText(bytes, encoding));
  const first = await firstBytes(text, headerBytesMax);
  const mapped = new Set(Object.values(settings.columns).map(plainName));
  const start = first.toString('utf8', 0, headerBytesMax);
  const headerLine = settings.headerLine ?? 1;
  const delimiter = delimiterOf(start, headerLine, (column) => mapped.has(plainName(column)));
  const above: string[][] = [];
  const { rowBytesMax } = settings.limits;
  const isOwn = source.fromSheet !== null;
  const records = csvRows(withFirst(first, text), { ...delimiter, headerLine, above, rowBytesMax, isOwn });
  const noSheet = { sheet: null, otherSheets: [], activeSheet: null };
  const marks = { hiddenRows: null, struckRows: null, hiddenColumns: new Set(source.fromSheet?.hiddenColumns) };
  return { records, form: { format, encoding, delimiter: delimiter.delimiter, above, ...noSheet, ...marks } };
}

async function* unpackedText(source: Source, settings: IntakeSettings, signal: AbortSignal | undefined) {
  const chunks = gunzip(source.chunks(signal), settings.limits);
  const first = await firstBytes(chunks, headerBytesMax);
  if (formatOf(first) !== 'text') {
    await chunks.return(undefined);
    throw rejectedFile('PACKED_TWICE', {}, 'the file is packed twice: unpack it once, and run the file inside');
  }
  yield* withFirst(first, chunks);
}

import { finished } from 'node:stream/promises';
import { type CsvError, Parser } from 'csv-parse';
import { AirbatchError } from '../../core/basics/errors.ts';
import { rejectedFile } from '../../core/basics/rejected-file.ts';
import { withFirst } from './chunks.ts';
import { plainRows, type Reader } from './plain-rows.ts';
import type { QuoteDoubt, RecordChunk } from './record-chunk.ts';

export interface CsvOptions {
  delimiter: string;
  rowBytesMax: number;
  /** True if the first line is Excel's `sep=;`, which is not a record. */
  hasSeparatorLine: boolean;
  /** The line of the header. Records above it are added to `above` instead. */
  headerLine: number;
  above: string[][];
  /** True if we have written the file: then no quote is where its writer did not mean it. */
  isOwn: boolean;
}

const recordDelimiters = ['\r\n', '\n', '\r'];

/** The most records in one chunk of bytes (a record has at least a byte): nothing waits in the parser. */
const recordsWaitingMax = 1_000_000;

/**
 * The records of CSV text (UTF-8, without byte order mark). Throws `FILE_REJECTED` with the line if the rows cannot be
 * separated: a quote is never closed, or a row is longer than `rowBytesMax`.
 */
export async function* csvRows(text: AsyncIterable<Buffer>, options: CsvOptions): AsyncGenerator<RecordChunk> {
  const { delimiter, rowBytesMax, hasSeparatorLine, headerLine, above, isOwn } = options;
  const skip = hasSeparatorLine ? 1 : 0;
  const reader: Reader = { delimiter, line: 1, skip, headerLine, above, isOwn, columns: 0, bytes: 0 };
  const iterator = text[Symbol.asyncIterator]();
  try {
    const rest = yield* plainRows(iterator, reader, rowBytesMax);
    if (rest === null) return;
    reader.bytes -= rest.length;
    yield* parsedRows(withFirst(rest, iterator), reader, rowBytesMax);
  } finally {
    await iterator.return?.();
  }
}

/** The records from the first quote on, which need a parser. */
async function* parsedRows(
  text: AsyncIterable<Buffer>,
  reader: Reader,
  rowBytesMax: number,
): AsyncGenerator<RecordChunk> {
  const parser = new Parser({
    delimiter: reader.delimiter,
    record_delimiter: recordDelimiters,
    // A quotation mark in the middle of a cell is an ordinary character. One that leaves a row open is found below.
    relax_quotes: true,
    relax_column_count: true,
    bom: false,
    max_record_size: rowBytesMax,
    // An option of the stream beneath the parser, which its types omit.
    ...{ readableHighWaterMark: recordsWaitingMax },
  });
  const ended = finished(parser);
  ended.catch(() => undefined);
  let last = 0x0a;
  const source = makeRecentText();
  try {
    for await (const part of text) {
      last = part.at(-1) ?? last;
      reader.bytes += part.length;
      source.add(part);
      parser.write(part);
      if (parser.errored) break;
      const chunk = drain(parser, reader, source);
      if (chunk.records.length > 0) yield { ...chunk, bytes: reader.bytes, endsOpen: false };
    }
    if (!parser.errored) parser.end();
    const chunk = drain(parser, reader, source);
    await ended;
    if (chunk.records.length > 0) {
      const endsOpen = last !== 0x0a && last !== 0x0d;
      yield { ...chunk, bytes: reader.bytes, endsOpen };
    }
  } catch (error) {
    throw explained(error, reader.line, rowBytesMax);
  } finally {
    parser.destroy();
  }
}

interface RecentText {
  add(part: Buffer): void;
  /** Whether the cell is in quotes in the text. Cells are asked about in the order of the file. */
  hasQuoted(cell: string): boolean;
}

/** At least this much of the text is kept. If a longer cell ends in a quotation mark, a person is asked about it. */
const recentBytes = 65_536;

/** Keeps the latest text as it is written, because the parser does not say which cells are in quotes. */
function makeRecentText(): RecentText {
  let before: Buffer = Buffer.alloc(0);
  let newest = before;
  let both: Buffer | null = null;
  /** Where the last cell that was found ends, in `both`. */
  let from = 0;
  const joined = () => (both ??= Buffer.concat([before, newest]));
  return {
    add(part) {
      const had = before.length + newest.length;
      before = newest.length < recentBytes ? joined().subarray(-recentBytes) : newest;
      from = Math.max(0, from - (had - before.length));
      newest = part;
      both = null;
    },
    hasQuoted(cell) {
      const written = `"${cell.replaceAll('"', '""')}"`;
      const at = joined().indexOf(written, from);
      if (at < 0) return false;
      from = at + Buffer.byteLength(written);
      return true;
    },
  };
}

function drain(parser: Parser, reader: Reader, source: RecentText): Pick<RecordChunk, 'records' | 'lines' | 'doubts'> {
  const records: string[][] = [];
  const lines: number[] = [];
  const doubts = new Map<number, QuoteDoubt>();
  for (let record = parser.read() as string[] | null; record !== null; record = parser.read() as string[] | null) {
    const line = reader.line;
    reader.line += 1;
    let hasContent = false;
    let hasBreaks = false;
    let isStray = false;
    for (const cell of record) {
      if (cell === '') continue;
      hasContent ||= cell.trim() !== '';
      isStray ||= !reader.isOwn && hasStrayQuote(cell) && !source.hasQuoted(cell);
      if (!cell.includes('\n') && !cell.includes('\r')) continue;
      hasBreaks = true;
      reader.line += cell.split(lineBreak).length - 1;
      if (!reader.isOwn && cell.charCodeAt(0) === quote && cell.includes(`${reader.delimiter}"`)) refuseOpenQuote(line);
    }
    if (reader.skip > 0) {
      reader.skip -= 1;
    } else if (hasContent && line < reader.headerLine) {
      reader.above.push(record);
    } else if (hasContent) {
      if (reader.columns === 0) reader.columns = record.length;
      if (hasBreaks && !reader.isOwn && holdsRows(record, reader)) doubts.set(records.length, 'swallowed');
      else if (isStray) doubts.set(records.length, 'stray');
      records.push(record);
      lines.push(line);
    }
  }
  return { records, lines, doubts };
}

const lineBreak = /\r\n|\n|\r/;
const quote = 0x22;

/** An odd number of quotes, one of them at an end of the cell: if it is not in quotes itself, its end may be wrong. */
function hasStrayQuote(cell: string): boolean {
  if (cell.charCodeAt(0) !== quote && cell.charCodeAt(cell.length - 1) !== quote) return false;
  return cell.split('"').length % 2 === 0;
}

/**
 * Whether each line of the record has as many cells as the header: then it is several rows that were quoted by mistake.
 */
function holdsRows(record: readonly string[], { columns, delimiter }: Reader): boolean {
  const lines = record.join(delimiter).split(lineBreak);
  return columns > 1 && lines.every((line) => line.split(delimiter).length === columns);
}

/**
 * With relaxed quotes, the parser returns a cell that was opened by a quote and never closed as text that begins with
 * one. If the cell has several lines and another opening quote, it is unknown how many rows it has swallowed.
 */
function refuseOpenQuote(line: number): never {
  throw rejectedFile(
    'QUOTE_OPEN',
    { line },
    `a quote (") in the row that begins on line ${line} is not closed before the next row begins`,
  );
}

function explained(error: unknown, line: number, rowBytesMax: number): unknown {
  if (error instanceof AirbatchError || !(error instanceof Error) || !('code' in error)) return error;
  const { code } = error as CsvError;
  if (code === 'CSV_QUOTE_NOT_CLOSED') {
    const message = `the quote (") in the row that begins on line ${line} is never closed: the file was cut short, or there is one quote too many`;
    return rejectedFile('QUOTE_OPEN', { line }, message, { cause: error });
  }
  if (code === 'CSV_MAX_RECORD_SIZE') {
    const message = `the row that begins on line ${line} is longer than ${rowBytesMax} bytes: a quote (") may not be closed there`;
    return rejectedFile('QUOTE_OPEN', { line }, message, { cause: error });
  }
  return error;
}

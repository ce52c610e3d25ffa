import type { RecordChunk } from './record-chunk.ts';

/** The reading position, shared by both ways of reading a file. */
export interface Reader {
  delimiter: string;
  /** The line on which the next record begins. */
  line: number;
  /** How many records are still to be skipped. */
  skip: number;
  /** The line of the header. Records that begin above it are not rows, and go to `above`. */
  headerLine: number;
  above: string[][];
  /** As of `CsvOptions`. */
  isOwn: boolean;
  /** Columns of the header, the first record with content; 0 before it. */
  columns: number;
  /** Bytes of the text read so far. */
  bytes: number;
}

const quote = 0x22;
const lineFeed = 0x0a;
const noDoubts: RecordChunk['doubts'] = new Map();
const nothing: Buffer = Buffer.alloc(0);

/**
 * The records up to the first quote of a text: without quotes a line is a record, which takes a fifth of a parser's
 * time (measured; most files have no quotes). Returns the remaining bytes, which need a parser, or null at the end of
 * the text. A line longer than `rowBytesMax` is also left to the parser, which reports it.
 */
export async function* plainRows(
  text: AsyncIterator<Buffer>,
  reader: Reader,
  rowBytesMax: number,
): AsyncGenerator<RecordChunk, Buffer | null> {
  let carry = nothing;
  for (;;) {
    const next = await text.next();
    if (next.done) {
      const chunk = recordsOf(carry.toString(), reader);
      if (chunk.records.length > 0) yield { ...chunk, bytes: reader.bytes, endsOpen: !endsInBreak(carry) };
      return null;
    }
    const part = carry.length === 0 ? next.value : Buffer.concat([carry, next.value]);
    reader.bytes += next.value.length;
    if (part.length > rowBytesMax) return part;
    const quoteAt = part.indexOf(quote);
    const until = part.lastIndexOf(lineFeed, quoteAt < 0 ? part.length : quoteAt) + 1;
    const chunk = recordsOf(part.toString('utf8', 0, until), reader);
    if (chunk.records.length > 0) yield { ...chunk, bytes: reader.bytes, endsOpen: false };
    carry = part.subarray(until);
    if (quoteAt >= 0) return carry;
  }
}

function endsInBreak(bytes: Buffer): boolean {
  const last = bytes.at(-1);
  return last === 0x0d || last === lineFeed;
}

function recordsOf(text: string, reader: Reader): Pick<RecordChunk, 'records' | 'lines' | 'doubts'> {
  const records: string[][] = [];
  const lines: number[] = [];
  const texts = text.includes('\r') ? text.split(/\r\n|\n|\r/) : text.split('\n');
  // The text after the last line break is empty.
  if (texts.at(-1) === '') texts.pop();
  for (const lineText of texts) {
    const line = reader.line;
    reader.line += 1;
    if (reader.skip > 0) {
      reader.skip -= 1;
      continue;
    }
    const record = lineText.split(reader.delimiter);
    if (!hasContent(record)) continue;
    if (line < reader.headerLine) {
      reader.above.push(record);
      continue;
    }
    if (reader.columns === 0) reader.columns = record.length;
    records.push(record);
    lines.push(line);
  }
  return { records, lines, doubts: noDoubts };
}

function hasContent(record: readonly string[]): boolean {
  // The first cell of nearly every row begins with a visible character.
  const code = record[0]?.charCodeAt(0) ?? 0;
  return (code > 0x20 && code < 0x7f) || record.some((cell) => cell.trim() !== '');
}

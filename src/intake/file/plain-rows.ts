import type { RecordChunk } from './record-chunk.ts';

/** Where reading stands: both ways of reading a file go on from it. */
export interface Reader {
  delimiter: string;
  /** The line on which the next record begins. */
  line: number;
  /** Records that are still to be left out. */
  skip: number;
  /** The line of the header: what begins above it is no row, and is kept in `above`. */
  headerLine: number;
  above: string[][];
  /** Columns of the first record that has content: the header. 0 before it. */
  columns: number;
  /** Bytes of the text read so far. */
  bytes: number;
}

const quote = 0x22;
const lineFeed = 0x0a;
const noDoubts: RecordChunk['doubts'] = new Map();
const nothing: Buffer = Buffer.alloc(0);

/**
 * The records up to the first quote of a text: without quotes a line is a record, and reading it takes a fifth of a
 * parser's time (measured; most files have none at all). Returns the bytes from which on a parser is needed, or null
 * where the text has ended. What is longer than `rowBytesMax` without a line break is the parser's as well, and so are
 * its words for that.
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
  // What follows the last line break is no line of its own.
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
  // The first cell of nearly every row begins with something that can be seen.
  const code = record[0]?.charCodeAt(0) ?? 0;
  return (code > 0x20 && code < 0x7f) || record.some((cell) => cell.trim() !== '');
}

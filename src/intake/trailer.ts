import { AirbatchError } from '../core/errors.ts';
import { addAmounts, compareAmounts } from '../core/money.ts';
import { readAmount } from './amount.ts';
import type { CheckContext } from './check-row.ts';
import type { RecordChunk } from './csv-rows.ts';
import { plainText } from './plain-text.ts';

/** The last record of a file in which every file must end: `TOTAL,40,12500.00`. */
export interface Trailer {
  line: number;
  cells: string[];
}

/** The records without the last one, where that is the trailer; it is then kept in `seen`. */
export async function* withoutTrailer(
  chunks: AsyncIterable<RecordChunk>,
  word: string,
  seen: { trailer: Trailer | null },
): AsyncGenerator<RecordChunk> {
  let held: RecordChunk | null = null;
  for await (const chunk of chunks) {
    const joined: RecordChunk = held === null ? chunk : joinedChunks(held, chunk);
    const last = joined.records.length - 1;
    held = {
      ...joined,
      records: joined.records.slice(last),
      lines: joined.lines.slice(last),
      doubts: moved(joined.doubts, -last),
    };
    if (last > 0) {
      yield { ...joined, records: joined.records.slice(0, last), lines: joined.lines.slice(0, last), endsOpen: false };
    }
  }
  const [cells] = held?.records ?? [];
  const first = plainText(cells?.find((cell) => cell.trim() !== '') ?? '');
  if (cells && first.toLowerCase() === word.toLowerCase()) seen.trailer = { cells, line: held?.lines[0] ?? 0 };
  else if (held) yield held;
}

function joinedChunks(first: RecordChunk, second: RecordChunk): RecordChunk {
  return {
    ...second,
    records: [...first.records, ...second.records],
    lines: [...first.lines, ...second.lines],
    doubts: new Map([...first.doubts, ...moved(second.doubts, first.records.length)]),
  };
}

/** Doubts by where their records stand now; those of records that stand nowhere any more are left out. */
function moved(doubts: RecordChunk['doubts'], by: number): RecordChunk['doubts'] {
  return new Map([...doubts].flatMap(([index, doubt]) => (index + by < 0 ? [] : [[index + by, doubt] as const])));
}

/** Adds up what the trailer speaks of: all rows of the file, right or wrong, and whatever amount stands in them. */
export interface ControlTotal {
  rows: number;
  /** Plain decimal text. */
  sum: string;
}

/** Adds a row's amount to the total. An amount that cannot be read adds nothing, so that a sum that is told will not agree. */
export function addToTotal(total: ControlTotal, context: CheckContext, cells: readonly string[]): void {
  total.rows += 1;
  const value = decimalIn(context, cells[context.plan.amount ?? -1] ?? '');
  if (value !== null) total.sum = addAmounts(total.sum, value);
}

function decimalIn({ decimalSign }: CheckContext, cell: string): string | null {
  const reading = readAmount(cell);
  if (reading.kind === 'none') return null;
  const value =
    reading.kind === 'read' ? reading.value : decimalSign === reading.separator ? reading.decimal : reading.grouped;
  return reading.negative ? `-${value}` : value;
}

/** Throws `FILE_REJECTED` where the trailer is missing, or tells of other rows than the file has. */
export function checkTrailer(trailer: Trailer | null, word: string, total: ControlTotal, context: CheckContext): void {
  const hint = 'Export the file again: it may have been cut short. Nothing was sent.';
  if (trailer === null) {
    throw new AirbatchError('FILE_REJECTED', `the file does not end in a line that begins with "${word}"`, { hint });
  }
  const told = trailer.cells.filter((cell) => cell.trim() !== '').slice(1);
  const [rows = '', sum] = told;
  const plainRows = decimalIn(context, rows);
  if (plainRows === null || compareAmounts(plainRows, String(total.rows)) !== 0) {
    const message = `the last line (${trailer.line}) tells of ${rows.trim() || 'no number of'} rows, and the file has ${total.rows}`;
    throw new AirbatchError('FILE_REJECTED', message, { hint });
  }
  if (sum === undefined) return;
  const plainSum = decimalIn(context, sum);
  if (plainSum === null || compareAmounts(plainSum, total.sum) !== 0) {
    const message = `the last line (${trailer.line}) tells of ${sum.trim()} in all, and the amounts of the file add up to ${total.sum}`;
    throw new AirbatchError('FILE_REJECTED', message, { hint });
  }
}

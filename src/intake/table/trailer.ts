import { plainText } from '../cells/plain-text.ts';
import type { RecordChunk } from '../file/record-chunk.ts';

/** The last record of a file if every file must have one: `TOTAL,40,12500.00`. */
export interface Trailer {
  line: number;
  cells: string[];
}

/** The records without the last one if that is the trailer, which goes to `seen`. */
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

/** Doubts by the new index of their records, without those of records that were removed. */
function moved(doubts: RecordChunk['doubts'], by: number): RecordChunk['doubts'] {
  return new Map([...doubts].flatMap(([index, doubt]) => (index + by < 0 ? [] : [[index + by, doubt] as const])));
}

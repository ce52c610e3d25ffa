import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import type { Problem } from './problems.ts';
import type { Scratch } from './scratch.ts';

/** A row as it was checked by itself, before it is compared with the other rows of its file. */
export interface SpooledRow {
  rowNo: number;
  line: number;
  isValid: boolean;
  /** The row ref; for a row without a reference of its own that of the first occurrence of its content. */
  rowRef: string | null;
  hasReference: boolean;
  phoneNumber: string | null;
  country: string | null;
  networkId: number | null;
  amount: string | null;
  currency: string | null;
  productId: string | null;
  smsMessage: string | null;
  problems: Problem[];
  /** JSON array of the row's cells as they stand in the file. */
  input: string;
}

/** The rows of a file between their check and the verdict on the whole file. Beyond one chunk they are on the disk. */
export interface RowSpool {
  add(row: SpooledRow): void;
  /** The rows in their order, `rowsPerChunk` at a time. */
  read(rowsPerChunk: number): AsyncGenerator<SpooledRow[]>;
  close(): void;
}

/** Rows written at once: some 200 KB of text. */
const rowsPerWrite = 500;

export function makeRowSpool(scratch: Scratch): RowSpool {
  let waiting: SpooledRow[] = [];
  let file: number | null = null;
  const path = () => scratch.path('rows');
  const flush = () => {
    file ??= openSync(path(), 'wx', 0o600);
    writeSync(file, `${waiting.map((row) => JSON.stringify(row)).join('\n')}\n`);
    waiting = [];
  };
  return {
    add(row) {
      if (waiting.length === rowsPerWrite) flush();
      waiting.push(row);
    },
    async *read(rowsPerChunk) {
      if (file !== null) {
        if (waiting.length > 0) flush();
        yield* storedRows(path(), rowsPerChunk);
        return;
      }
      for (let at = 0; at < waiting.length; at += rowsPerChunk) yield waiting.slice(at, at + rowsPerChunk);
    },
    close() {
      if (file !== null) closeSync(file);
      file = null;
    },
  };
}

async function* storedRows(path: string, rowsPerChunk: number): AsyncGenerator<SpooledRow[]> {
  let rows: SpooledRow[] = [];
  let rest = '';
  for await (const text of createReadStream(path, { encoding: 'utf8', highWaterMark: 256 * 1024 })) {
    const lines = (rest + (text as string)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      rows.push(JSON.parse(line) as SpooledRow);
      if (rows.length < rowsPerChunk) continue;
      yield rows;
      rows = [];
    }
  }
  if (rows.length > 0) yield rows;
}

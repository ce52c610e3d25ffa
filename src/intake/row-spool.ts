import type { FileRow } from './file-rows.ts';
import { packRows, unpackRows } from './packed-rows.ts';
import type { Scratch, ScratchFile } from './scratch.ts';

/** The rows of a file between their check and the verdict on the whole file. Beyond a few hundred they are on the disk. */
export interface RowSpool {
  add(rows: readonly FileRow[]): void;
  /** The rows in their order, `rowsPerChunk` at a time. */
  read(rowsPerChunk: number): Generator<FileRow[]>;
}

/** Rows written and read at once: some 200 KB of text. */
const rowsPerBlock = 500;

export function makeRowSpool(scratch: Scratch): RowSpool {
  let waiting: FileRow[] = [];
  let file: ScratchFile | null = null;
  const blocks: { at: number; bytes: number }[] = [];
  function* stored(): Generator<FileRow[]> {
    for (const block of blocks) yield unpackRows((file as ScratchFile).read(block).toString());
    yield waiting;
  }
  return {
    add(rows) {
      for (const row of rows) {
        if (waiting.length === rowsPerBlock) {
          file ??= scratch.file();
          blocks.push(file.append(packRows(waiting)));
          waiting = [];
        }
        waiting.push(row);
      }
    },
    *read(rowsPerChunk) {
      for (const rows of stored()) {
        for (let at = 0; at < rows.length; at += rowsPerChunk) yield rows.slice(at, at + rowsPerChunk);
      }
    },
  };
}

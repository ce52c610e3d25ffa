import type { Scratch, ScratchFile } from '../file/scratch-files.ts';
import type { FileRow } from './file-rows.ts';
import { type PackedRows, unpackRows } from './packed-rows.ts';

/**
 * Holds the rows of a file between their own check and their comparison with the whole file. All but the latest rows
 * are on the disk.
 */
export interface RowSpool {
  add(rows: PackedRows): void;
  /** Reads the rows in their order, at most `rowsPerChunk` at a time. */
  read(rowsPerChunk: number): Generator<FileRow[]>;
}

export function makeRowSpool(scratch: Scratch): RowSpool {
  let last: PackedRows = new Uint8Array(0);
  let file: ScratchFile | null = null;
  const blocks: { at: number; bytes: number }[] = [];
  function* stored(): Generator<FileRow[]> {
    for (const block of blocks) yield unpackRows((file as ScratchFile).read(block));
    yield unpackRows(last);
  }
  return {
    add(rows) {
      if (last.length > 0) {
        file ??= scratch.file();
        blocks.push(file.append(last));
      }
      last = rows;
    },
    *read(rowsPerChunk) {
      for (const rows of stored()) {
        for (let at = 0; at < rows.length; at += rowsPerChunk) yield rows.slice(at, at + rowsPerChunk);
      }
    },
  };
}

import { createHash } from 'node:crypto';
import { makeTextWriter } from '../text/text-writer.ts';
import { sha256 } from './ids.ts';

/** The bytes that are digested at once: see content-digest.ts. */
const bytesAtOnce = 32 * 1024;

/** What a row has of its file, besides what it means. */
export interface RowOfFile {
  row_no: number;
  line: number;
  /** The cells, or a JSON array of them. */
  cells: string | readonly string[];
  /** JSON of the problems that no later decision replaces; null if there are none. */
  problems: string | null;
}

/**
 * The digest (SHA-256) of where the rows stand in their file, of their cells, and of why they are not paid, in file
 * order. The digest of the content (content-digest.ts) does not cover them, and reports show them.
 */
export function makeCellsDigest(): { add(row: RowOfFile): void; hex(): string } {
  const digest = createHash('sha256');
  const lines = makeTextWriter(2 * bytesAtOnce);
  return {
    add({ row_no, line, cells, problems }) {
      lines.write('[');
      lines.writeNumber(row_no, ',');
      lines.writeNumber(line, ',');
      if (typeof cells === 'string') lines.write(cells, ',');
      else {
        const last = cells.length - 1;
        lines.write('[');
        for (let index = 0; index < last; index++) lines.writeJson(cells[index] as string, ',');
        lines.writeJson(cells[last] as string, ']');
        lines.write(',');
      }
      lines.write(problems ?? 'null', ']');
      lines.write('\n');
      if (lines.bytes() >= bytesAtOnce) digest.update(lines.take());
    },
    hex: () => digest.update(lines.take()).digest('hex'),
  };
}

/** What the first moment of a batch says about its file. None of it ever changes. */
interface FileOfBatch {
  file_name: string;
  /** JSON of the names of its columns. */
  columns: string;
  job: string | null;
  /** JSON of what may happen to the batch without a person. */
  policy: string;
}

/** The digest of what intake has stored of a file, for the event that validates the batch. `cells`: of its rows. */
export function storedDigest({ file_name, columns, job, policy }: FileOfBatch, cells: string): string {
  return sha256(JSON.stringify([file_name, columns, job, policy, cells]));
}

/** Whether the problems of a row are stored for good: those of other rows change when somebody decides about them. */
export function hasFinalProblems(status: string): boolean {
  return status === 'invalid' || status === 'skipped';
}

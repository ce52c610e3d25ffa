import { makeContentDigest } from '../../core/identity/content-digest.ts';
import { hasFinalProblems, makeCellsDigest } from '../../core/identity/stored-digest.ts';
import type { CheckedRow } from '../rows/file-rows.ts';
import { makeTally, type Tallied } from './findings.ts';

/** The totals of the rows of a file. */
export interface FileTotals {
  tallied: Tallied;
  contentSha256: string;
  cellsSha256: string;
}

/** Counts and digests rows as they are read, in file order. `cells`: of the row, or JSON of them. */
export function makeTotals(): { add(row: CheckedRow, cells: string | readonly string[]): void; result(): FileTotals } {
  const tally = makeTally();
  const content = makeContentDigest();
  const ofFile = makeCellsDigest();
  return {
    add(row, cells) {
      tally.add(row);
      content.add(row);
      const { row_no, line, status, problems } = row;
      const isFinal = hasFinalProblems(status) && problems.length > 0;
      ofFile.add({ row_no, line, cells, problems: isFinal ? JSON.stringify(problems) : null });
    },
    result: () => ({ tallied: tally.result(), contentSha256: content.hex(), cellsSha256: ofFile.hex() }),
  };
}

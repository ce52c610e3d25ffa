import { makeContentDigest } from '../../core/identity/content-digest.ts';
import type { CheckedRow } from '../rows/file-rows.ts';
import { makeTally, type Tallied } from './findings.ts';

/** The totals of the rows of a file. */
export interface FileTotals {
  tallied: Tallied;
  contentSha256: string;
}

/** Counts and digests rows as they are read, in file order. */
export function makeTotals(): { add(row: CheckedRow): void; result(): FileTotals } {
  const tally = makeTally();
  const digest = makeContentDigest();
  return {
    add(row) {
      tally.add(row);
      digest.add(row);
    },
    result: () => ({ tallied: tally.result(), contentSha256: digest.hex() }),
  };
}

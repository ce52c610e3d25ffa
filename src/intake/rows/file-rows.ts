import type { NewRow } from '../../ledger/rows/rows.ts';
import type { Problem } from '../cells/problems.ts';

/**
 * A row with its verdict: first as it was checked by itself, and then as it was compared with the other rows of its
 * file. In the first case the row ref of a row without a reference of its own is that of the first occurrence of its
 * content.
 */
export interface FileRow extends CheckedRow {
  /** JSON array of its cells as they stand in the file, in file order. */
  input: string;
}

/** The same without its cells. */
export interface CheckedRow extends Omit<NewRow, 'batch_id' | 'problems' | 'status' | 'input'> {
  status: 'ready' | 'held' | 'invalid' | 'skipped';
  problems: Problem[];
  /** Whether the file gives the row a reference of its own. */
  has_reference: boolean;
  /** Its status as it was checked by itself, where the comparison with other rows had something to say; else null. */
  before: CheckedRow['status'] | null;
}

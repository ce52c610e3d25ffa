import type { NewRow } from '../../ledger/rows/rows.ts';
import type { Problem } from '../cells/problems.ts';

/**
 * A row with its result: first of its own check, and then compared with the other rows of its file. After its own
 * check, a row without a reference has the row ref of the first occurrence of its content.
 */
export interface FileRow extends CheckedRow {
  /** A JSON array of the row's cells as they stand in the file, in file order. */
  input: string;
}

/** The same without its cells. */
export interface CheckedRow extends Omit<NewRow, 'batch_id' | 'problems' | 'status' | 'input'> {
  status: 'ready' | 'held' | 'invalid' | 'skipped';
  problems: Problem[];
  /** Whether the file gives the row a reference of its own. */
  has_reference: boolean;
  /** Its status after its own check, if the comparison with other rows has found something; else null. */
  before: CheckedRow['status'] | null;
}

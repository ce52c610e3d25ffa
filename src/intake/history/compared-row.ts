import { decideInFile } from '../../core/duplicates/decision-table.ts';
import { otherContentRef } from '../../core/identity/ids.ts';
import { canBeReleased } from '../../core/state/problem-table.ts';
import { shortened } from '../cells/problems.ts';
import type { ColumnPlan } from '../columns/columns.ts';
import type { IntakeSettings } from '../columns/settings.ts';
import type { FileRow } from '../rows/file-rows.ts';
import type { ComparedInFile } from './file-comparison.ts';

/** The columns to which a row's problems refer. */
export interface FileColumns {
  header: readonly string[];
  plan: ColumnPlan;
}

/** The final result of a row: its own check, and what the row has in common with other rows of the file. */
export function comparedRow(
  row: FileRow,
  shared: ComparedInFile,
  { header, plan }: FileColumns,
  { duplicates, guards: { numberMax } }: IntakeSettings,
): FileRow {
  const found = decideInFile(row, shared, { duplicates, numberMax });
  const problems = found.map(({ field, problem }) => {
    const index = plan[field];
    const column = index === undefined ? null : (header[index] ?? null);
    const value = index === undefined ? null : shortened((JSON.parse(row.input) as string[])[index] ?? '');
    return { ...problem, line: row.line, column, value };
  });
  const isRefused = !canBeReleased(row.problems) || found.some(({ outcome }) => outcome === 'refuse');
  const isHeld = row.status === 'held' || found.some(({ outcome }) => outcome === 'hold');
  const isLater = row.row_ref !== null && !row.has_reference && shared.occurrence > 1;
  return {
    ...row,
    row_ref: isLater ? otherContentRef(row.row_ref ?? '', shared.occurrence) : row.row_ref,
    status: isRefused ? 'invalid' : isHeld ? 'held' : 'ready',
    problems: [...row.problems, ...problems],
    before: row.status,
  };
}

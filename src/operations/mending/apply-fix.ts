import { pagesOf } from '../../core/basics/pages.ts';
import type { ProblemCode } from '../../core/state/problem-table.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { RowCheck } from '../../intake/mending/check-one.ts';
import { type FixName, fixes } from '../../intake/mending/fixes.ts';
import { rowsOfGroup } from '../../ledger/drafts/draft-problems.ts';
import { type DraftRowRecord, splitCells } from '../../ledger/drafts/draft-rows.ts';
import type { DraftRecord } from '../../ledger/drafts/drafts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { type CheckedEdit, checkEdits } from '../mending/change-rows.ts';

/** One fix for the rows with one kind of problem. */
export interface GroupFix {
  code: ProblemCode;
  /** The index of the column; null for a problem of the whole row. */
  column: number | null;
  fix: FixName;
  /** The person's choice; "" if there is nothing to choose. */
  value: string;
  /** Corrects only rows with this cell; null: all rows of the group. */
  only: string | null;
}

/** How many rows of a group are corrected together. */
const rowsPerPage = 500;

/**
 * The rows of a group, page by page: what the fix makes of those that it mends, and how many it leaves. It mends a row
 * if the row then no longer has the problem, and has no other that it did not have before.
 */
export async function* fixedPages(
  { db, clock }: { db: Queryable; clock: Pick<Clock, 'turn'> },
  check: RowCheck,
  draft: DraftRecord,
  group: GroupFix,
): AsyncGenerator<{ edits: CheckedEdit[]; left: number }> {
  const column_no = group.column ?? -1;
  const read = (last: DraftRowRecord | undefined, limit: number) =>
    rowsOfGroup(db, draft.draft_id, { code: group.code, column_no }, { after: last?.row_no ?? 0, limit });
  for await (const page of pagesOf(rowsPerPage, read)) {
    const meant = page.filter((row) => isMeant(row, group));
    const edits: CheckedEdit[] = [];
    for (const row of meant) {
      const edit = await mended(check, draft, row, group);
      if (edit) edits.push(edit);
    }
    yield { edits, left: meant.length - edits.length };
    await clock.turn();
  }
}

function isMeant({ cells }: DraftRowRecord, { only, column }: GroupFix): boolean {
  return only === null || (splitCells(cells)[column ?? -1] ?? '') === only;
}

async function mended(
  check: RowCheck,
  draft: DraftRecord,
  row: DraftRowRecord,
  { code, fix, value }: GroupFix,
): Promise<CheckedEdit | null> {
  const after = fixes[fix].mend(splitCells(row.cells), check.context, value);
  if (after === null) return null;
  const [edit] = await checkEdits(check, draft, [{ before: row, after }]);
  if (!edit || after === 'exclude' || edit.after.problems.length === 0) return edit ?? null;
  const [before] = await checkEdits(check, draft, [{ before: row, after: splitCells(row.cells) }]);
  const known = new Set(before?.after.problems.map((problem) => problem.code));
  const isBetter = edit.after.problems.every((problem) => problem.code !== code && known.has(problem.code));
  return isBetter ? edit : null;
}

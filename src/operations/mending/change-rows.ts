import { AirbatchError } from '../../core/basics/errors.ts';
import type { RowCheck } from '../../intake/mending/check-one.ts';
import {
  addStep,
  type DraftChange,
  type DraftStep,
  insertChanges,
  noteStepCells,
  type StepKind,
  wholeRow,
} from '../../ledger/drafts/draft-changes.ts';
import { replaceProblems } from '../../ledger/drafts/draft-problems.ts';
import { type DraftRowRecord, joinCells, replaceRow, splitCells } from '../../ledger/drafts/draft-rows.ts';
import { type DraftRecord, raiseVersion, requireDraft } from '../../ledger/drafts/drafts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import type { Session } from '../../runtime/session/session.ts';
import { columnsOf } from '../mending/draft-fields.ts';
import { type CheckedDraftRow, checkedByItself } from '../mending/row-checks.ts';

/** The result of an edit: other cells, or a row that is left out. */
export type NewContent = string[] | 'exclude' | 'include';

/** A row before and after an edit. */
export interface RowEdit {
  before: DraftRowRecord;
  after: NewContent;
}

/** An edit, with the row's new check. */
export interface CheckedEdit {
  before: DraftRowRecord;
  after: CheckedDraftRow;
}

/** Checks edited rows, each by itself, before anything is written. */
export async function checkEdits(
  check: RowCheck | null,
  draft: DraftRecord,
  edits: readonly RowEdit[],
): Promise<CheckedEdit[]> {
  const header = columnsOf(draft);
  const checked: CheckedEdit[] = [];
  for (const { before, after } of edits) {
    if (after === 'exclude') {
      checked.push({ before, after: { row: { ...before, state: 'excluded' }, problems: [] } });
      continue;
    }
    const cells = after === 'include' ? before.cells : joinCells(after);
    checked.push({ before, after: await checkedByItself(check, { ...before, cells }, header) });
  }
  return checked;
}

/** The draft has another version than the caller has seen, or is no longer open. */
export function changedMeanwhile({ draft_id }: Pick<DraftRecord, 'draft_id'>): AirbatchError {
  return new AirbatchError('CHANGED_MEANWHILE', `draft ${draft_id} was changed by somebody else meanwhile`);
}

/** Begins a change of the draft in one transaction: its next version, and a step of the person. Returns its number. */
export async function beginStep(
  tx: Queryable,
  { person, clock }: Session,
  draft: DraftRecord,
  { kind, detail, options = draft.options }: { kind: StepKind; detail: string; options?: string },
): Promise<number> {
  const at = clock.now();
  if (!(await raiseVersion(tx, draft, { options, at, isPlanned: false }))) throw changedMeanwhile(draft);
  return addStep(tx, { draft_id: draft.draft_id, kind, detail, cells: 0, done_by: person, done_at: at });
}

/**
 * Ends a change of many pages. A check of the whole file that began in the middle of it saw only a part: it is not the
 * check of this version.
 */
export async function endPages(tx: Queryable, { clock }: Session, { draft_id }: DraftRecord): Promise<void> {
  const { version, options } = await requireDraft(tx, draft_id);
  await raiseVersion(tx, { draft_id, version }, { options, at: clock.now(), isPlanned: true });
}

/**
 * Writes checked edits as part of a step. A row that was changed since it was read is left as it is. Returns how many
 * cells were changed; `total` is that of the step so far.
 */
export async function writeEdits(
  tx: Queryable,
  { draft_id }: DraftRecord,
  step: DraftStep['step'],
  edits: readonly CheckedEdit[],
  total = 0,
): Promise<number> {
  let cells = total;
  for (const { before, after } of edits) {
    if (!(await writeRow(tx, before, after))) continue;
    const changes = changesOf(step, before, after.row);
    await insertChanges(tx, changes);
    cells += changes.length;
  }
  await noteStepCells(tx, draft_id, step, cells);
  return cells;
}

/** Writes a row and its problems. Returns false if it was changed since `before` was read. */
export async function writeRow(
  tx: Queryable,
  before: DraftRowRecord,
  { row, problems }: CheckedDraftRow,
): Promise<boolean> {
  if (!(await replaceRow(tx, before, row))) return false;
  await replaceProblems(tx, row.draft_id, { from: row.row_no, to: row.row_no }, problems);
  return true;
}

function changesOf(step: number, before: DraftRowRecord, after: DraftRowRecord): DraftChange[] {
  const place = { draft_id: before.draft_id, step, row_no: before.row_no };
  const [old, now] = [splitCells(before.cells), splitCells(after.cells)];
  const changed: DraftChange[] = [];
  for (let column_no = 0; column_no < Math.max(old.length, now.length); column_no++) {
    const [one = '', other = ''] = [old[column_no], now[column_no]];
    if (one !== other) changed.push({ ...place, column_no, before: one, after: other });
  }
  const [was, is] = [before, after].map(({ state }) => state === 'excluded');
  if (was !== is && changed.length === 0)
    changed.push({ ...place, column_no: wholeRow, before: inFile(was), after: inFile(is) });
  return changed;
}

export const excludedText = 'excluded';

function inFile(isExcluded = false): string {
  return isExcluded ? excludedText : '';
}

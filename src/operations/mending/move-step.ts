import { isDeepStrictEqual } from 'node:util';
import { pagesOf } from '../../core/basics/pages.ts';
import {
  type DraftChange,
  type DraftStep,
  markStep,
  ofOptions,
  pageChanges,
  stepsToMove,
  wholeRow,
} from '../../ledger/drafts/draft-changes.ts';
import { type DraftRowRecord, findDraftRow, splitCells } from '../../ledger/drafts/draft-rows.ts';
import { type DraftRecord, raiseVersion, rememberMapping, requireDraft } from '../../ledger/drafts/drafts.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import type { Session } from '../../runtime/session/session.ts';
import {
  changedMeanwhile,
  checkEdits,
  endPages,
  excludedText,
  type NewContent,
  type RowEdit,
  writeRow,
} from '../mending/change-rows.ts';
import { optionsOf } from '../mending/draft-fields.ts';
import { rowCheckOf } from '../mending/row-checks.ts';

/** Changes that are undone in one transaction. */
const changesPerUnit = 500;

/**
 * Undoes the last step of a draft, or does the last undone one again. Returns the step; null if there is none, and then
 * nothing changes. `dropPlan`: cancels what was planned of the draft before.
 */
export async function moveStep(
  session: Session,
  account: OpenAccount,
  draft: DraftRecord,
  { way, dropPlan }: { way: 'undo' | 'redo'; dropPlan: () => Promise<void> },
): Promise<DraftStep | null> {
  const { db, clock, person } = session;
  const step = (await stepsToMove(db, draft.draft_id))[way];
  if (step === null) return null;
  await dropPlan();
  const side = way === 'undo' ? 'before' : 'after';
  const options = await optionsAfter(session, draft, step, side);
  await db.transact(async (tx) => {
    const at = clock.now();
    if (!(await raiseVersion(tx, draft, { options, at, isPlanned: false }))) throw changedMeanwhile(draft);
    await markStep(tx, step, way === 'undo' ? { by: person, at } : null);
    // The choice of columns is remembered for the next file, so it is corrected when it is undone.
    const { map = {} } = optionsOf({ options });
    if (!isDeepStrictEqual(map, optionsOf(draft).map ?? {}))
      await rememberMapping(tx, draft, map as Record<string, string>);
  });
  const now = await requireDraft(db, draft.draft_id);
  const check = await rowCheckOf(session, account, now);
  const read = (last: DraftChange | undefined, limit: number) =>
    pageChanges(db, step, last ?? { row_no: 0, column_no: ofOptions }, limit);
  for await (const page of pagesOf(changesPerUnit, read)) {
    const edits = await checkEdits(check, now, await editsOf(session, now, page, side));
    await db.transact(async (tx) => {
      for (const edit of edits) await writeRow(tx, edit.before, edit.after);
    });
    await clock.turn();
  }
  await db.transact((tx) => endPages(tx, session, draft));
  return step;
}

async function optionsAfter({ db }: Session, draft: DraftRecord, step: DraftStep, side: 'before' | 'after') {
  if (step.kind !== 'options') return draft.options;
  const [change] = await pageChanges(db, step, { row_no: -1, column_no: 0 }, 1);
  return change?.[side] ?? draft.options;
}

/** The rows of a page of changes as they stand, and what they become. */
async function editsOf(
  { db }: Session,
  { draft_id }: DraftRecord,
  page: readonly DraftChange[],
  side: 'before' | 'after',
): Promise<RowEdit[]> {
  const edits: RowEdit[] = [];
  for (const [rowNo, changes] of Map.groupBy(page, ({ row_no }) => row_no)) {
    const before = await findDraftRow(db, draft_id, rowNo);
    if (before) edits.push({ before, after: contentAfter(before, changes, side) });
  }
  return edits;
}

function contentAfter(
  { cells }: DraftRowRecord,
  changes: readonly DraftChange[],
  side: 'before' | 'after',
): NewContent {
  const whole = changes.find(({ column_no }) => column_no === wholeRow);
  if (whole) return whole[side] === excludedText ? 'exclude' : 'include';
  const content = splitCells(cells);
  for (const change of changes) {
    while (content.length < change.column_no) content.push('');
    content[change.column_no] = change[side];
  }
  return content;
}

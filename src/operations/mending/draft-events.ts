import { createHash } from 'node:crypto';
import { pagesOf } from '../../core/basics/pages.ts';
import { sha256 } from '../../core/identity/ids.ts';
import { inUnitOf } from '../../ledger/actor.ts';
import {
  changesBetween,
  type DraftChange,
  type DraftStep,
  listSteps,
  pageChanges,
  wholeRow,
} from '../../ledger/drafts/draft-changes.ts';
import { rowsBetween } from '../../ledger/drafts/draft-rows.ts';
import { type DraftRecord, noteBatchOfDraft } from '../../ledger/drafts/drafts.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import type { Session } from '../../runtime/session/session.ts';

/** Rows whose changes are written in one transaction. */
const rowsPerUnit = 1_000;
const stepsPerPage = 100;

/**
 * Writes into the audit chain of a batch of which draft it was made, and every change of a cell that is in its file. An
 * event has no text of the file: it has a digest of it, with the salt of the draft, so that nobody can guess a number
 * from it, and anybody who has the draft's records can prove what was changed. Then notes the batch in the draft;
 * returns false if the draft was changed or planned meanwhile.
 */
export async function writeDraftEvents(session: Session, draft: DraftRecord, batchId: string): Promise<boolean> {
  const { clock } = session;
  const { draft_id, original_sha256 } = draft;
  const history = await historyOf(session, draft);
  await inUnitOf(session, (unit) => unit.append(batchId, 'batch.draft', { draft_id, original_sha256, ...history }));
  // Rows of the batch are numbered without those that were taken out.
  let rowNo = 0;
  for (let from = 1; from <= draft.row_count; from += rowsPerUnit) {
    const before = rowNo;
    rowNo = await inUnitOf(session, (unit) => writePage(unit, draft, { batchId, from, rowNo: before }));
    await clock.turn();
  }
  return session.db.transact((tx) => noteBatchOfDraft(tx, draft, batchId));
}

async function writePage(
  unit: Unit,
  draft: DraftRecord,
  { batchId, from, rowNo: before }: { batchId: string; from: number; rowNo: number },
): Promise<number> {
  const { draft_id, salt } = draft;
  const between = { from, to: from + rowsPerUnit - 1 };
  const changes = Map.groupBy(await changesBetween(unit.tx, draft_id, between), ({ row_no }) => row_no);
  let rowNo = before;
  for (const { row_no, line, state } of await rowsBetween(unit.tx, draft_id, between)) {
    const isInFile = state !== 'excluded';
    if (isInFile) rowNo += 1;
    for (const change of changes.get(row_no) ?? []) {
      const { step, column_no: column, done_by: by, done_at: at } = change;
      if (isInFile && column === wholeRow) continue;
      const data = { line, column, step, by, changed_at: at, change_sha256: digestOf(salt, line, change) };
      if (isInFile) await unit.append(batchId, 'row.mend', data, rowNo);
      else await unit.append(batchId, 'batch.exclude_row', data);
    }
  }
  return rowNo;
}

function digestOf(salt: string, line: number, { column_no, before, after }: DraftChange): string {
  return sha256(JSON.stringify([salt, line, column_no, before, after]));
}

/** How many steps there were, and a digest of all of them with their changes, undone ones included. */
async function historyOf({ db }: Session, { draft_id, salt }: DraftRecord) {
  const hash = createHash('sha256').update(salt);
  let steps = 0;
  let undone = 0;
  let cells = 0;
  const read = (last: DraftStep | undefined, limit: number) => listSteps(db, draft_id, last?.step ?? 0, limit);
  for await (const page of pagesOf(stepsPerPage, read))
    for (const step of page) {
      steps += 1;
      if (step.undone_at === null) cells += step.cells;
      else undone += 1;
      hash.update(`\n${JSON.stringify([step.step, step.kind, step.detail, step.done_by, step.done_at])}`);
      hash.update(JSON.stringify([step.undone_by, step.undone_at]));
      await digestChanges(db, step, hash);
    }
  return { steps, undone, cells, history_sha256: hash.digest('hex') };
}

async function digestChanges(db: Session['db'], step: DraftStep, hash: ReturnType<typeof createHash>): Promise<void> {
  const read = (last: DraftChange | undefined, limit: number) =>
    pageChanges(db, step, last ?? { row_no: -1, column_no: 0 }, limit);
  for await (const page of pagesOf(rowsPerUnit, read))
    for (const { row_no, column_no, before, after } of page)
      hash.update(`\n${JSON.stringify([row_no, column_no, before, after])}`);
}

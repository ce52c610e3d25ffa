import type { Queryable } from '../drivers/database.ts';
import { makeInsert } from '../drivers/insert.ts';
import { readOne, readValue } from '../drivers/read.ts';
import { insertRecord } from '../drivers/write.ts';

/** A change of the whole row (it is taken out of the file, or put back), and one of the draft's options. */
export const wholeRow = -1;
export const ofOptions = -2;

export type StepKind = 'cells' | 'fix' | 'rows' | 'options';

/** One step of one person. */
export interface DraftStep {
  draft_id: string;
  /** 1 for the first. */
  step: number;
  kind: StepKind;
  /** The name of the fix; "" for other kinds. */
  detail: string;
  /** How many cells it changed. */
  cells: number;
  done_by: string;
  done_at: number;
  undone_by: string | null;
  undone_at: number | null;
}

export interface DraftChange {
  draft_id: string;
  step: number;
  /** 0 for a change of the options. */
  row_no: number;
  /** The index of the column, `wholeRow` or `ofOptions`. */
  column_no: number;
  before: string;
  after: string;
}

export const insertChanges = makeInsert<DraftChange>('draft_changes', [
  ...(['draft_id', 'step', 'row_no', 'column_no', 'before', 'after'] as const),
]);

/** Adds a step after all others. Returns its number. */
export async function addStep(tx: Queryable, step: Omit<DraftStep, 'step' | 'undone_by' | 'undone_at'>) {
  const last = 'SELECT MAX(step) FROM draft_steps WHERE draft_id = ?';
  const number = ((await readValue<number>(tx, last, [step.draft_id])) ?? 0) + 1;
  await insertRecord(tx, 'draft_steps', { ...step, step: number });
  return number;
}

export async function noteStepCells(tx: Queryable, draftId: string, step: number, cells: number): Promise<void> {
  await tx.execute('UPDATE draft_steps SET cells = ? WHERE draft_id = ? AND step = ?', [cells, draftId, step]);
}

/** The step that undo takes next, and the one that redo takes next; null if there is none. */
export async function stepsToMove(
  db: Queryable,
  draftId: string,
): Promise<{ undo: DraftStep | null; redo: DraftStep | null }> {
  const undoSql = 'SELECT * FROM draft_steps WHERE draft_id = ? AND undone_at IS NULL ORDER BY step DESC LIMIT 1';
  const undo = await readOne<DraftStep>(db, undoSql, [draftId]);
  // What was undone before a later step was done stays undone.
  const redoSql =
    'SELECT * FROM draft_steps WHERE draft_id = ? AND undone_at IS NOT NULL AND step > ? ORDER BY step LIMIT 1';
  return { undo, redo: await readOne<DraftStep>(db, redoSql, [draftId, undo?.step ?? 0]) };
}

export async function markStep(
  tx: Queryable,
  { draft_id, step }: Pick<DraftStep, 'draft_id' | 'step'>,
  undone: { by: string; at: number } | null,
): Promise<void> {
  await tx.execute('UPDATE draft_steps SET undone_by = ?, undone_at = ? WHERE draft_id = ? AND step = ?', [
    undone?.by ?? null,
    undone?.at ?? null,
    draft_id,
    step,
  ]);
}

export function listSteps(db: Queryable, draftId: string, after: number, limit: number): Promise<DraftStep[]> {
  return db.query('SELECT * FROM draft_steps WHERE draft_id = ? AND step > ? ORDER BY step LIMIT ?', [
    draftId,
    after,
    limit,
  ]);
}

/** Changes of a step after a place, in order. */
export function pageChanges(
  db: Queryable,
  { draft_id, step }: Pick<DraftStep, 'draft_id' | 'step'>,
  after: { row_no: number; column_no: number },
  limit: number,
): Promise<DraftChange[]> {
  return db.query(
    `SELECT * FROM draft_changes WHERE draft_id = ? AND step = ? AND (row_no > ? OR (row_no = ? AND column_no > ?))
       ORDER BY row_no, column_no LIMIT ?`,
    [draft_id, step, after.row_no, after.row_no, after.column_no, limit],
  );
}

/** The first changes of a step, with the lines of their rows; null: of the whole file, or the row is erased. */
export function firstChanges(
  db: Queryable,
  { draft_id, step }: Pick<DraftStep, 'draft_id' | 'step'>,
  limit: number,
): Promise<(DraftChange & { line: number | null })[]> {
  return db.query(
    `SELECT c.*, r.line FROM draft_changes c
       LEFT JOIN draft_rows r ON r.draft_id = c.draft_id AND r.row_no = c.row_no
       WHERE c.draft_id = ? AND c.step = ? ORDER BY c.row_no, c.column_no LIMIT ?`,
    [draft_id, step, limit],
  );
}

/**
 * The changes of the rows between two row numbers (both included) that are not undone, in the order of rows and steps.
 */
export function changesBetween(
  db: Queryable,
  draftId: string,
  { from, to }: { from: number; to: number },
): Promise<(DraftChange & { done_by: string; done_at: number })[]> {
  return db.query(
    `SELECT c.*, s.done_by, s.done_at FROM draft_changes c
       JOIN draft_steps s ON s.draft_id = c.draft_id AND s.step = c.step
       WHERE c.draft_id = ? AND c.row_no >= ? AND c.row_no <= ? AND s.undone_at IS NULL
       ORDER BY c.row_no, c.step, c.column_no`,
    [draftId, from, to],
  );
}

/** Deletes what people wrote: the draft's changes and problems. Its steps stay, without texts of the file. */
export async function deleteContents(tx: Queryable, draftId: string): Promise<void> {
  await tx.execute('DELETE FROM draft_changes WHERE draft_id = ?', [draftId]);
  await tx.execute('DELETE FROM draft_problems WHERE draft_id = ?', [draftId]);
  await tx.execute(`UPDATE drafts SET salt = '', findings = NULL, rejection = NULL WHERE draft_id = ?`, [draftId]);
}

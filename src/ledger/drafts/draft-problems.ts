import type { Queryable } from '../drivers/database.ts';
import { makeInsert } from '../drivers/insert.ts';
import type { DraftRowRecord } from './draft-rows.ts';

export interface DraftProblemRecord {
  draft_id: string;
  row_no: number;
  /** 0 for the first problem of the row. */
  position: number;
  code: string;
  /** The index of the column; -1 for a problem of the whole row. */
  column_no: number;
  message: string;
  suggestion: string;
  /** JSON object: what the text names, such as lines, countries and amounts. */
  named: string;
}

const columns = ['draft_id', 'row_no', 'position', 'code', 'column_no', 'message', 'suggestion', 'named'] as const;
const insertProblems = makeInsert<DraftProblemRecord>('draft_problems', columns);

/** Replaces the problems of the rows between two row numbers, both included. */
export async function replaceProblems(
  tx: Queryable,
  draftId: string,
  { from, to }: { from: number; to: number },
  problems: readonly DraftProblemRecord[],
): Promise<void> {
  await tx.execute('DELETE FROM draft_problems WHERE draft_id = ? AND row_no >= ? AND row_no <= ?', [
    draftId,
    from,
    to,
  ]);
  await insertProblems(tx, problems);
}

/** The problems of the rows between two row numbers, both included, in order. */
export function problemsBetween(
  db: Queryable,
  draftId: string,
  { from, to }: { from: number; to: number },
): Promise<DraftProblemRecord[]> {
  return db.query(
    'SELECT * FROM draft_problems WHERE draft_id = ? AND row_no >= ? AND row_no <= ? ORDER BY row_no, position',
    [draftId, from, to],
  );
}

/** A kind of problem in one column. */
export interface ProblemGroup {
  code: string;
  column_no: number;
  rows: number;
  first_row: number;
}

/** The kinds of problems of a draft, the most frequent first. */
export function problemGroups(db: Queryable, draftId: string): Promise<ProblemGroup[]> {
  return db.query(
    `SELECT code, column_no, COUNT(DISTINCT row_no) AS rows, MIN(row_no) AS first_row
       FROM draft_problems WHERE draft_id = ? GROUP BY code, column_no ORDER BY rows DESC, code, column_no`,
    [draftId],
  );
}

/** The rows with a kind of problem, after a row number. */
export function rowsOfGroup(
  db: Queryable,
  draftId: string,
  { code, column_no }: Pick<ProblemGroup, 'code' | 'column_no'>,
  { after, limit }: { after: number; limit: number },
): Promise<DraftRowRecord[]> {
  return db.query(
    `SELECT * FROM draft_rows WHERE draft_id = ? AND row_no IN (
       SELECT DISTINCT row_no FROM draft_problems WHERE draft_id = ? AND code = ? AND column_no = ? AND row_no > ?
         ORDER BY row_no LIMIT ?) ORDER BY row_no`,
    [draftId, draftId, code, column_no, after, limit],
  );
}

export async function deleteProblems(tx: Queryable, draftId: string): Promise<void> {
  await tx.execute('DELETE FROM draft_problems WHERE draft_id = ?', [draftId]);
}

import type { Queryable } from '../drivers/database.ts';
import { makeInsert } from '../drivers/insert.ts';
import { readOne, readValue } from '../drivers/read.ts';

/** `unchecked`: no check has seen the row yet. `excluded`: a person has taken it out of the file. */
export type DraftRowState = 'unchecked' | 'ready' | 'held' | 'invalid' | 'skipped' | 'excluded';

export interface DraftRowRecord {
  draft_id: string;
  /** 1 for the first row below the header of the original file. */
  row_no: number;
  /** The line of the original file on which it begins. */
  line: number;
  state: DraftRowState;
  /** The cells, joined by `joinCells`. */
  cells: string;
}

const separator = '\t';

/** The cells of a row as one text, in which people search: tab, line breaks and backslash are escaped. */
export function joinCells(cells: readonly string[]): string {
  return cells.map(escaped).join(separator);
}

export function splitCells(text: string): string[] {
  const cells = text.split(separator);
  return text.includes('\\') ? cells.map(unescaped) : cells;
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const special = /[\\\t\n\r]/g;

function escaped(cell: string): string {
  return cell.replace(special, (sign) => escapes[sign] as string);
}

function unescaped(cell: string): string {
  return cell.replace(/\\([\\tnr])/g, (_, sign: string) =>
    sign === 't' ? '\t' : sign === 'n' ? '\n' : sign === 'r' ? '\r' : '\\',
  );
}

export const insertDraftRows = makeInsert<DraftRowRecord>('draft_rows', [
  'draft_id',
  'row_no',
  'line',
  'state',
  'cells',
]);

/** A page of the rows that are in the file, after a row number. */
export function pageIncluded(db: Queryable, draftId: string, after: number, limit: number): Promise<DraftRowRecord[]> {
  return db.query(
    `SELECT * FROM draft_rows WHERE draft_id = ? AND row_no > ? AND state <> 'excluded' ORDER BY row_no LIMIT ?`,
    [draftId, after, limit],
  );
}

/** The number in the draft of the row that is at this place (from 1) in the mended file; null if it has fewer rows. */
export function includedRow(db: Queryable, draftId: string, place: number): Promise<number | null> {
  const sql = `SELECT row_no FROM draft_rows WHERE draft_id = ? AND state <> 'excluded' ORDER BY row_no LIMIT 1 OFFSET ?`;
  return readValue(db, sql, [draftId, place - 1]);
}

export function findDraftRow(db: Queryable, draftId: string, rowNo: number): Promise<DraftRowRecord | null> {
  return readOne(db, 'SELECT * FROM draft_rows WHERE draft_id = ? AND row_no = ?', [draftId, rowNo]);
}

/** The rows between two row numbers, both included. */
export function rowsBetween(
  db: Queryable,
  draftId: string,
  { from, to }: { from: number; to: number },
): Promise<DraftRowRecord[]> {
  return db.query('SELECT * FROM draft_rows WHERE draft_id = ? AND row_no >= ? AND row_no <= ? ORDER BY row_no', [
    draftId,
    from,
    to,
  ]);
}

/**
 * Replaces a row's cells and state. Returns false if its cells, or whether it is in the file, have changed meanwhile.
 */
export async function replaceRow(tx: Queryable, before: DraftRowRecord, after: DraftRowRecord): Promise<boolean> {
  const changed = await tx.execute(
    `UPDATE draft_rows SET cells = ?, state = ? WHERE draft_id = ? AND row_no = ? AND cells = ?
       AND (state = 'excluded') = (? = 'excluded')`,
    [after.cells, after.state, before.draft_id, before.row_no, before.cells, before.state],
  );
  return changed === 1;
}

/** Gives rows their states, without touching those that people have taken out of the file. */
export async function updateStates(
  tx: Queryable,
  rows: readonly Pick<DraftRowRecord, 'draft_id' | 'row_no' | 'state'>[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const { draft_id, row_no: from } = first;
  // In most files nearly all rows are ready: these take one statement.
  await tx.execute(
    `UPDATE draft_rows SET state = 'ready'
       WHERE draft_id = ? AND row_no >= ? AND row_no <= ? AND state <> 'excluded' AND state <> 'ready'`,
    [draft_id, from, rows.at(-1)?.row_no ?? from],
  );
  for (const { row_no, state } of rows)
    if (state !== 'ready')
      await tx.execute(`UPDATE draft_rows SET state = ? WHERE draft_id = ? AND row_no = ? AND state <> 'excluded'`, [
        state,
        draft_id,
        row_no,
      ]);
}

/** A filter for the rows of a draft. A null field filters nothing. */
export interface DraftRowFilter {
  state: DraftRowState | null;
  code: string | null;
  /** With `code` only. */
  columnNo: number | null;
  /** A part of any cell; upper and lower case are equal. */
  text: string | null;
}

/** Rows after a row number and up to another one; null: up to the last one. */
interface DraftRowsBetween {
  after: number;
  to: number | null;
}

/**
 * The conditions that there are. With those that are not needed, the database would read every row of the draft, or of
 * what is between the row numbers.
 */
function matching(draftId: string, { state, code, columnNo, text }: DraftRowFilter, { after, to }: DraftRowsBetween) {
  const conditions: { sql: string; params: (string | number)[] }[] = [
    { sql: 'draft_id = ? AND row_no > ?', params: [draftId, after] },
  ];
  if (to !== null) conditions.push({ sql: 'row_no <= ?', params: [to] });
  if (state !== null) conditions.push({ sql: 'state = ?', params: [state] });
  if (code !== null) {
    const ofCode = 'SELECT row_no FROM draft_problems WHERE draft_id = ? AND code = ?';
    const params = [draftId, code];
    if (columnNo === null) conditions.push({ sql: `row_no IN (${ofCode})`, params });
    else conditions.push({ sql: `row_no IN (${ofCode} AND column_no = ?)`, params: [...params, columnNo] });
  }
  if (text !== null) {
    // `lower` of both databases changes A to Z alone.
    const pattern = escaped(text)
      .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
      .replace(/[\\%_]/g, '\\$&');
    conditions.push({ sql: "lower(cells) LIKE ? ESCAPE '\\'", params: [`%${pattern}%`] });
  }
  return { where: conditions.map(({ sql }) => sql).join(' AND '), params: conditions.flatMap(({ params }) => params) };
}

/** The matching rows, without the first `skip` of them. */
export function pageDraftRows(
  db: Queryable,
  draftId: string,
  filter: DraftRowFilter,
  { skip, limit, ...between }: DraftRowsBetween & { skip: number; limit: number },
): Promise<DraftRowRecord[]> {
  const { where, params } = matching(draftId, filter, between);
  return db.query(`SELECT * FROM draft_rows WHERE ${where} ORDER BY row_no LIMIT ? OFFSET ?`, [...params, limit, skip]);
}

export async function countDraftRows(
  db: Queryable,
  draftId: string,
  filter: DraftRowFilter,
  between: DraftRowsBetween,
): Promise<number> {
  const { where, params } = matching(draftId, filter, between);
  return (await readValue<number>(db, `SELECT COUNT(*) FROM draft_rows WHERE ${where}`, params)) ?? 0;
}

/** How many rows are in each state. */
export async function draftRowCounts(db: Queryable, draftId: string): Promise<Map<string, number>> {
  const counts = await db.query<{ state: string; count: number }>(
    'SELECT state, COUNT(*) AS count FROM draft_rows WHERE draft_id = ? GROUP BY state ORDER BY state',
    [draftId],
  );
  return new Map(counts.map(({ state, count }) => [state, count]));
}

/** Deletes rows of a draft up to a row number. Returns how many. */
export function deleteDraftRows(tx: Queryable, draftId: string, limit: number): Promise<number> {
  return tx.execute(
    `DELETE FROM draft_rows WHERE draft_id = ? AND row_no < ? + (SELECT MIN(row_no) FROM draft_rows WHERE draft_id = ?)`,
    [draftId, limit, draftId],
  );
}

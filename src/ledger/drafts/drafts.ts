import { AirbatchError } from '../../core/basics/errors.ts';
import type { Queryable } from '../drivers/database.ts';
import { accountLists, accountPlaces } from '../drivers/filled-lists.ts';
import { readColumn, readOne } from '../drivers/read.ts';
import { insertRecord } from '../drivers/write.ts';

/** A draft is `discarded` also until its files are stored. */
export const draftStates = ['open', 'submitted', 'discarded'] as const;
export type DraftState = (typeof draftStates)[number];

/** A file that people correct before it becomes a batch. Its original is a file next to the ledger. Times: epoch ms. */
export interface DraftRecord {
  draft_id: string;
  account: string;
  status: DraftState;
  file_name: string;
  original_sha256: string;
  original_bytes: number;
  /** JSON array: the header of the file. */
  columns: string;
  columns_sha256: string;
  delimiter: string;
  /** 1 if the last row of the file has no line break: it may have been cut short. */
  ends_open: number;
  /** 1 if the file is a workbook. */
  from_workbook: number;
  /** JSON array: the indexes of the columns that the sheet hides. */
  hidden_columns: string;
  /** JSON array: the sheets that a person can choose from, with what each would pay. */
  sheets: string;
  /** JSON: the options with which the file is read, as `file-input.ts` names them. */
  options: string;
  /** JSON array of `FileNote` (earlier versions: of sentences): what a person should know about the original file. */
  notes: string;
  /** The salt for the digests of changes in the audit chain, so that they cannot be guessed. Erased with its people. */
  salt: string;
  row_count: number;
  version: number;
  /** The version that the last check of the whole file has seen; null before the first. */
  checked_version: number | null;
  /** JSON: what the last check found. */
  findings: string | null;
  /** JSON: why the whole file cannot be paid. */
  rejection: string | null;
  /** The batch that was made from the draft, and the version of the draft. */
  batch_id: string | null;
  batch_version: number | null;
  created_by: string;
  created_at: number;
  changed_at: number;
}

export async function insertDraft(tx: Queryable, draft: DraftRecord): Promise<void> {
  await insertRecord(tx, 'drafts', draft);
}

export function findDraft(db: Queryable, draftId: string): Promise<DraftRecord | null> {
  return readOne(db, 'SELECT * FROM drafts WHERE draft_id = ?', [draftId]);
}

/** The draft. Fails with `DRAFT_UNKNOWN`. */
export async function requireDraft(db: Queryable, draftId: string): Promise<DraftRecord> {
  const draft = await findDraft(db, draftId);
  if (draft) return draft;
  throw new AirbatchError('DRAFT_UNKNOWN', `there is no draft ${draftId} in this ledger`);
}

/** The draft, if it can still be changed. Fails with `DRAFT_UNKNOWN` or `DRAFT_STATE`. */
export async function requireOpenDraft(db: Queryable, draftId: string): Promise<DraftRecord> {
  const draft = await requireDraft(db, draftId);
  if (draft.status === 'open') return draft;
  throw new AirbatchError('DRAFT_STATE', `draft ${draftId} is ${draft.status}`);
}

/** The open draft of a file, the newest first. */
export function openDraftOfFile(
  db: Queryable,
  { account, original_sha256 }: Pick<DraftRecord, 'account' | 'original_sha256'>,
): Promise<DraftRecord | null> {
  const sql = `SELECT * FROM drafts WHERE account = ? AND original_sha256 = ? AND status = 'open' ORDER BY created_at DESC LIMIT 1`;
  return readOne(db, sql, [account, original_sha256]);
}

/** Opens a draft whose files are stored. Returns false if it was erased meanwhile. */
export async function openStoredDraft(tx: Queryable, draftId: string): Promise<boolean> {
  return (await tx.execute(`UPDATE drafts SET status = 'open' WHERE draft_id = ?`, [draftId])) === 1;
}

/** A place in the list of drafts: several may have been created in the same millisecond. */
export type DraftPlace = Pick<DraftRecord, 'created_at' | 'draft_id'>;

/** Which drafts are listed; null: all. */
export interface ListedDrafts {
  accounts: readonly string[] | null;
  status: Exclude<DraftState, 'discarded'> | null;
  /** Of the original file. */
  sha256: string | null;
  /** Only drafts that come after this one in the list. */
  before: DraftPlace | null;
  limit: number;
}

const listSql = `SELECT * FROM drafts WHERE (? = 1 OR account IN (${accountPlaces}))
  AND (original_sha256 = ? OR CAST(? AS TEXT) IS NULL) AND (status = ? OR CAST(? AS TEXT) IS NULL)
  AND (created_at, draft_id) < (?, ?) AND status <> 'discarded' ORDER BY created_at DESC, draft_id DESC LIMIT ?`;

/** Drafts that are not discarded, the newest first. */
export async function listDrafts(
  db: Queryable,
  { accounts, status, sha256, before, limit }: ListedDrafts,
): Promise<DraftRecord[]> {
  const { created_at, draft_id } = before ?? { created_at: Number.MAX_SAFE_INTEGER, draft_id: '' };
  const found: DraftRecord[] = [];
  for (const list of accountLists(accounts)) {
    const wanted = [...list, sha256, sha256, status, status, created_at, draft_id, limit];
    found.push(...(await db.query<DraftRecord>(listSql, wanted)));
  }
  const isNewer = (a: DraftPlace, b: DraftPlace) => b.created_at - a.created_at || (a.draft_id < b.draft_id ? 1 : -1);
  return found.toSorted(isNewer).slice(0, limit);
}

/**
 * Raises the version of an open draft. Returns false, and changes nothing, if the draft has another version, is no
 * longer open, or was planned (`isPlanned`: whether it may be): somebody may be submitting that plan.
 */
export async function raiseVersion(
  tx: Queryable,
  { draft_id, version }: Pick<DraftRecord, 'draft_id' | 'version'>,
  { options, at, isPlanned }: { options: string; at: number; isPlanned: boolean },
): Promise<boolean> {
  const changed = await tx.execute(
    `UPDATE drafts SET version = version + 1, options = ?, changed_at = ?
       WHERE draft_id = ? AND version = ? AND status = 'open' AND (batch_id IS NULL OR ? = 1)`,
    [options, at, draft_id, version, isPlanned ? 1 : 0],
  );
  return changed === 1;
}

/** Stores what the check of a version of the whole file has found. */
export async function noteChecked(
  tx: Queryable,
  draftId: string,
  { version, findings, rejection }: { version: number; findings: string | null; rejection: string | null },
): Promise<void> {
  await tx.execute('UPDATE drafts SET checked_version = ?, findings = ?, rejection = ? WHERE draft_id = ?', [
    version,
    findings,
    rejection,
    draftId,
  ]);
}

/**
 * Stores the batch that was made from a version of the draft. Returns false if the draft was changed, planned,
 * submitted or discarded meanwhile: the batch is then nobody's plan.
 */
export async function noteBatchOfDraft(
  tx: Queryable,
  { draft_id, version }: Pick<DraftRecord, 'draft_id' | 'version'>,
  batchId: string,
): Promise<boolean> {
  await tx.execute('INSERT INTO draft_batches (batch_id, draft_id) VALUES (?, ?)', [batchId, draft_id]);
  const noted = await tx.execute(
    `UPDATE drafts SET batch_id = ?, batch_version = ?
       WHERE draft_id = ? AND version = ? AND status = 'open' AND batch_id IS NULL`,
    [batchId, version, draft_id, version],
  );
  return noted === 1;
}

/**
 * Ends an open draft of this version. Returns false if it is no longer open or has another version, or if it was
 * planned and is to be discarded: somebody may be submitting that plan.
 */
export async function endDraft(
  tx: Queryable,
  { draft_id, version }: Pick<DraftRecord, 'draft_id' | 'version'>,
  status: Exclude<DraftState, 'open'>,
  at: number,
): Promise<boolean> {
  const changed = await tx.execute(
    `UPDATE drafts SET status = ?, changed_at = ? WHERE draft_id = ? AND version = ? AND status = 'open'
       AND (batch_id IS NULL OR ? <> 'discarded')`,
    [status, at, draft_id, version, status],
  );
  return changed === 1;
}

/** If a batch comes from a draft: the person who uploaded the draft's file, and the people who changed it. */
export function authorsOfDraft(db: Queryable, batchId: string): Promise<string[]> {
  const sql = `SELECT created_by AS name FROM drafts WHERE batch_id = ?
     UNION SELECT COALESCE(undone_by, done_by) FROM draft_steps
       WHERE draft_id IN (SELECT draft_id FROM drafts WHERE batch_id = ?)`;
  return readColumn(db, sql, [batchId, batchId]);
}

/** The draft from which a batch was made; null if none was. */
export function draftOfBatch(db: Queryable, batchId: string): Promise<DraftRecord | null> {
  return readOne(db, 'SELECT * FROM drafts WHERE batch_id = ?', [batchId]);
}

/** Whether the files of a draft are kept: its salt is erased after them. */
export function areFilesKept({ salt }: Pick<DraftRecord, 'salt'>): boolean {
  return salt !== '';
}

/** Open drafts that nobody has changed since a time, and discarded ones: their content is erased. */
export function draftsToErase(db: Queryable, before: number, limit: number): Promise<DraftRecord[]> {
  return db.query(
    `SELECT * FROM drafts WHERE status = 'discarded' OR (status = 'open' AND changed_at < ?)
       ORDER BY changed_at LIMIT ?`,
    [before, limit],
  );
}

/** Submitted drafts whose batch was forgotten, and that still have a file or a change: their bucket was away. */
export function forgottenDrafts(db: Queryable, limit: number): Promise<{ draft_id: string }[]> {
  return db.query(
    `SELECT draft_id FROM drafts WHERE status = 'submitted' AND salt <> ''
       AND batch_id IN (SELECT batch_id FROM batches WHERE forgotten_at IS NOT NULL) LIMIT ?`,
    [limit],
  );
}

/** The column names by field that the account's people chose for this header. */
export async function knownMapping(
  db: Queryable,
  account: string,
  columnsSha256: string,
): Promise<Record<string, string>> {
  const known = await db.query<{ field: string; column_name: string }>(
    'SELECT field, column_name FROM column_mappings WHERE account = ? AND columns_sha256 = ? ORDER BY field',
    [account, columnsSha256],
  );
  return Object.fromEntries(known.map(({ field, column_name }) => [field, column_name]));
}

/** Replaces the remembered columns of a header. */
export async function rememberMapping(
  tx: Queryable,
  { account, columns_sha256 }: Pick<DraftRecord, 'account' | 'columns_sha256'>,
  mapping: Readonly<Record<string, string>>,
): Promise<void> {
  await tx.execute('DELETE FROM column_mappings WHERE account = ? AND columns_sha256 = ?', [account, columns_sha256]);
  for (const [field, column_name] of Object.entries(mapping))
    await insertRecord(tx, 'column_mappings', { account, columns_sha256, field, column_name });
}

/** Deletes a draft whose contents were erased. */
export async function deleteDraft(tx: Queryable, draftId: string): Promise<void> {
  await tx.execute('DELETE FROM draft_steps WHERE draft_id = ?', [draftId]);
  await tx.execute('DELETE FROM drafts WHERE draft_id = ?', [draftId]);
}

/** Removes the planned batch from the draft, if it is still this one. */
export async function dropBatchOfDraft(
  tx: Queryable,
  { draft_id, batch_id }: Pick<DraftRecord, 'draft_id' | 'batch_id'>,
): Promise<void> {
  const sql = 'UPDATE drafts SET batch_id = NULL, batch_version = NULL WHERE draft_id = ? AND batch_id = ?';
  await tx.execute(sql, [draft_id, batch_id]);
}

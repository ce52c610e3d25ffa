import type { BatchRecord } from '../batches/batches.ts';
import type { Queryable } from '../drivers/database.ts';
import { readOne } from '../drivers/read.ts';
import { insertRecord } from '../drivers/write.ts';

/** A file that a job brought, and its batch. Times are epoch ms. */
export interface JobFile {
  batch_id: string;
  job: string;
  due_at: number;
  /** Its original name. */
  name: string;
  /** Where the file is until the batch has ended. */
  working_path: string;
  /** When the file was archived, with its reports. */
  filed_at: number | null;
}

export async function insertJobFile(tx: Queryable, file: Omit<JobFile, 'filed_at'>): Promise<void> {
  await insertRecord(tx, 'job_files', file);
}

/** The files that a slot has already brought. */
export function filesOfSlot(db: Queryable, job: string, dueAt: number): Promise<JobFile[]> {
  return db.query('SELECT * FROM job_files WHERE job = ? AND due_at = ? ORDER BY name', [job, dueAt]);
}

/** The files that the slots of a job have brought, from the slot with a due time (epoch ms) on. */
export function filesSince(db: Queryable, job: string, dueAt: number): Promise<JobFile[]> {
  return db.query('SELECT * FROM job_files WHERE job = ? AND due_at >= ? ORDER BY due_at, name', [job, dueAt]);
}

export function findJobFile(db: Queryable, batchId: string): Promise<JobFile | null> {
  return readOne(db, 'SELECT * FROM job_files WHERE batch_id = ?', [batchId]);
}

/** The files of a job that are not archived yet, with the states of their batches. */
export function openJobFiles(db: Queryable, job: string): Promise<(JobFile & Pick<BatchRecord, 'status'>)[]> {
  return db.query(
    `SELECT job_files.*, batches.status FROM job_files JOIN batches ON batches.batch_id = job_files.batch_id
     WHERE job_files.job = ? AND filed_at IS NULL`,
    [job],
  );
}

/** Files whose batches have ended and that are not archived yet. */
export function filesToArchive(db: Queryable): Promise<JobFile[]> {
  return db.query(
    `SELECT job_files.* FROM job_files JOIN batches ON batches.batch_id = job_files.batch_id
     WHERE filed_at IS NULL AND batches.status IN ('completed', 'cancelled') ORDER BY due_at, name`,
  );
}

export async function noteFiled(tx: Queryable, batchId: string, at: number): Promise<void> {
  await tx.execute('UPDATE job_files SET filed_at = ? WHERE batch_id = ?', [at, batchId]);
}

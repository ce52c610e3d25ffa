import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findBatch } from '../../ledger/batches/batches.ts';
import { findJobFile } from '../../ledger/jobs/job-files.ts';
import type { Session } from '../../runtime/session/session.ts';
import { archivedFile, rejectedName } from './archived-file.ts';
import { folderTakenFrom } from './job-inbox.ts';

/**
 * What a job brought of a batch and put away, and still lies there with the people of the batch in it: the file in
 * `done` or `rejected`, the reports beside it, a single file that stays where it is, or what a program wrote that was
 * rejected.
 */
export async function filesLeft(session: Pick<Session, 'db' | 'ledgerPath'>, batchId: string): Promise<string[]> {
  const file = await findJobFile(session.db, batchId);
  if (file) return archivePlaces(file.working_path, batchId).filter(existsSync);
  const batch = await findBatch(session.db, batchId);
  if (!batch?.job) return [];
  return [rejectedName(archivedFile(session, batch.job, batch.file_name))].filter(existsSync);
}

function archivePlaces(path: string, batchId: string): string[] {
  const folder = folderTakenFrom(path);
  if (folder === null) return [path];
  const [done, name] = [join(folder, 'done'), basename(path)];
  return [join(done, name), join(done, batchId), join(folder, 'rejected', name)];
}

/** The folder in which a job's batch has its reports besides, or null. */
export async function reportsOfFile({ db }: Pick<Session, 'db'>, batchId: string): Promise<string | null> {
  const file = await findJobFile(db, batchId);
  const folder = file && folderTakenFrom(file.working_path);
  return folder === null ? null : join(folder, 'done');
}

import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findBatch } from '../../ledger/batches/batches.ts';
import { findJobFile } from '../../ledger/jobs/job-files.ts';
import type { Session } from '../session/session.ts';

/** The due time of a slot, as the prefix of the names of the files that it has taken. */
export const stampBefore = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)~/;

/**
 * The files of a batch that a job has archived and that still name its people: the file in `done` or `rejected`, the
 * reports next to it, a single file that stays where it is, or a rejected file that a program wrote.
 */
export async function archivedFilesOf(session: Pick<Session, 'db' | 'ledgerPath'>, batchId: string): Promise<string[]> {
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

/** The folder with the second copy of the reports of a job's batch, or null. */
export async function reportsOfFile({ db }: Pick<Session, 'db'>, batchId: string): Promise<string | null> {
  const file = await findJobFile(db, batchId);
  const folder = file && folderTakenFrom(file.working_path);
  return folder === null ? null : join(folder, 'done');
}

/**
 * The path of what a program wrote for a slot. The file is kept until its batch has ended; `name` is the name of the
 * batch's file.
 */
export function archivedFile({ ledgerPath }: Pick<Session, 'ledgerPath'>, job: string, name: string): string {
  return join(dirname(ledgerPath), 'jobs', job, name);
}

/** The path of such a file after its rejection, until the slot has brought another file that is paid. */
export function rejectedName(path: string): string {
  return `${path}.rejected`;
}

/** The folder from whose inbox a file in its `working` folder was taken; null for a file from another source. */
export function folderTakenFrom(workingPath: string): string | null {
  const isTaken = basename(dirname(workingPath)) === 'working' && stampBefore.test(basename(workingPath));
  return isTaken ? dirname(dirname(workingPath)) : null;
}

import { existsSync } from 'node:fs';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorMessage } from '../../core/basics/errors.ts';
import { digestOfFile } from '../../core/basics/file-digest.ts';
import { slotReason } from '../../core/basics/slot-result.ts';
import { unlessGone } from '../../core/basics/unless-gone.ts';
import { maySend } from '../../core/state/batch-state.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import { filesToArchive, type JobFile, noteFiled } from '../../ledger/jobs/job-files.ts';
import { jobRetry } from '../../ledger/jobs/job-retries.ts';
import { failSlot } from '../../ledger/jobs/slots.ts';
import { writeReports } from '../../reports/reports.ts';
import { type Session, sessionSigning } from '../session/session.ts';
import { archivedFile, folderTakenFrom, rejectedName } from '../upkeep/job-file-places.ts';
import { writeWhy } from './write-why.ts';

/**
 * Archives the files of ended batches: moves them from `working` to `done`, next to their reports in `done/<batch>/`,
 * and files that a person has rejected to `rejected`. Deletes what a program wrote: the ledger contains its rows, and
 * erases their personal data when the retention time is over. A single file stays where it is. This runs after the end
 * of each batch, and at a start. A file in an unwritable folder waits for the next time and does not hold up the
 * others. The place of a file decides what happens to it, because its job may have been deleted or may have another
 * folder now. `files`: the files to archive; if it is left out, all except those whose batches still have a retry due.
 */
export async function archiveFile(session: Session, files?: readonly JobFile[]): Promise<void> {
  const { db, log } = session;
  const left = new Map<string, { files: number; why: string }>();
  for (const file of files ?? (await filesToArchive(db))) {
    if (!files && (await jobRetry(db, file.batch_id)) === 'due') continue;
    try {
      await archiveOne(session, file);
    } catch (error) {
      const { files, why } = left.get(file.job) ?? { files: 0, why: errorMessage(error) };
      left.set(file.job, { files: files + 1, why });
    }
  }
  for (const [job, those] of left)
    log.warn('files of a job could not be archived; airbatch tries again when the next batch ends', { job, ...those });
}

async function archiveOne(session: Session, file: JobFile): Promise<void> {
  const { db, clock } = session;
  const folder = folderTakenFrom(file.working_path);
  const batch = await findBatch(db, file.batch_id);
  // A person may have retried failed rows since the batch ended. Then it ends again later.
  if (batch && maySend(batch.status)) return;
  if (folder !== null && batch) {
    const isDone = batch.status === 'completed';
    const away = join(folder, isDone ? 'done' : 'rejected');
    // If even this folder is missing, its disk or share is not mounted. A new folder would end up below the mount
    // point.
    await access(dirname(file.working_path));
    await mkdir(away, { recursive: true, mode: 0o750 });
    const place = join(away, basename(file.working_path));
    const [taken] = [file.working_path, place].filter(existsSync);
    if (isDone && taken && batch.file_sha256 !== (await digestOfFile(taken)).sha256) await reportChanged(session, file);
    // If a crash came between the rename and its record in the ledger, or somebody moved the file, its batch has ended
    // in any case.
    await unlessGone(rename(file.working_path, place));
    if (!isDone) await writeWhy(place, `${file.name}: ${batch.rejection ?? 'the batch was cancelled'}`);
    else {
      const { readableByGroup } = session.config;
      await writeReports(db, file.batch_id, away, { signing: await sessionSigning(session), readableByGroup });
    }
  }
  await deleteArchived(session, file);
  await db.transact((tx) => noteFiled(tx, file.batch_id, clock.now()));
}

/**
 * Reports a file that was still being written after airbatch took it for complete, as over a connection that stalled:
 * rows were added that nobody has paid, or the last row was cut short. Its slot fails, so that people are notified.
 */
async function reportChanged({ db, clock, log }: Session, { job, due_at, name, batch_id }: JobFile): Promise<void> {
  const detail =
    `${name} was still being written when airbatch read it, and batch ${batch_id} has only a part of it: ` +
    'put the whole file into the inbox, and run the slot again; what was paid is skipped';
  const reasons = [slotReason('SLOT_PARTIAL', { file: name, batch: batch_id })];
  await db.transact((tx) => failSlot(tx, { job, dueAt: due_at, detail, reasons, now: clock.now() }));
  log.warn('a file of a job has changed since it was read', { job, batch_id, file: name });
}

/** Decides by the path and not by the job, which may have another source by now. */
async function deleteArchived(session: Session, { job, name, working_path }: JobFile): Promise<void> {
  if (working_path !== archivedFile(session, job, name)) return;
  for (const path of [working_path, rejectedName(working_path)]) await rm(path, { force: true });
}

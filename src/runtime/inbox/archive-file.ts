import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorMessage } from '../../core/basics/errors.ts';
import { maySend } from '../../core/state/batch-state.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import { filesToArchive, type JobFile, noteFiled } from '../../ledger/jobs/job-files.ts';
import { jobRetry } from '../../ledger/jobs/job-retries.ts';
import { failSlot } from '../../ledger/jobs/slots.ts';
import { writeReports } from '../../reports/reports.ts';
import { type Session, sessionSigning } from '../session/session.ts';
import { archivedFile, folderTakenFrom, rejectedName } from '../upkeep/job-files-left.ts';
import { writeWhy } from './write-why.ts';

/**
 * Puts the files of ended batches away: from `working` to `done`, with the reports in `done/<batch>/` beside them;
 * what a person has rejected goes to `rejected`. What a program wrote is deleted: the ledger has its rows, and forgets
 * their people in its time. A single file stays where it is. Called after every end, and at a start; a file whose
 * folder cannot be written stays until then, and keeps no other from being put away. Where a file lies tells what
 * becomes of it: its job may be gone by now, or have another folder. `files`: which of them; left out: all but those
 * whose batches a retry is still due of.
 */
export async function archiveFile(session: Session, files?: readonly JobFile[]): Promise<void> {
  const { db, log } = session;
  const left = new Map<string, { files: number; why: string }>();
  for (const file of files ?? (await filesToArchive(db))) {
    if (!files && (await jobRetry(db, file.batch_id)) === 'due') continue;
    try {
      await putOneAway(session, file);
    } catch (error) {
      const { files, why } = left.get(file.job) ?? { files: 0, why: errorMessage(error) };
      left.set(file.job, { files: files + 1, why });
    }
  }
  for (const [job, those] of left)
    log.warn('files of a job could not be put away; they are at the next end of a batch', { job, ...those });
}

async function putOneAway(session: Session, file: JobFile): Promise<void> {
  const { db, clock } = session;
  const folder = folderTakenFrom(file.working_path);
  const batch = await findBatch(db, file.batch_id);
  // A person may have had failed rows of it tried again since its end was seen: then it ends anew.
  if (batch && maySend(batch.status)) return;
  if (folder !== null && batch) {
    const isDone = batch.status === 'completed';
    const away = join(folder, isDone ? 'done' : 'rejected');
    // Where even this folder is missing, the disk or share that it is on is away: what is made meanwhile would lie
    // below it.
    await access(dirname(file.working_path));
    await mkdir(away, { recursive: true, mode: 0o750 });
    const place = join(away, basename(file.working_path));
    const [taken] = [file.working_path, place].filter(existsSync);
    if (isDone && taken && batch.file_sha256 !== (await digestOf(taken))) await reportChanged(session, file);
    await rename(file.working_path, place).catch((error: NodeJS.ErrnoException) => {
      // A crash came between this and the note of it, or somebody took the file away: its batch has ended all the same.
      if (error.code !== 'ENOENT') throw error;
    });
    if (!isDone) await writeWhy(place, `${file.name}: ${batch.rejection ?? 'the batch was cancelled'}`);
    else {
      const { readableByGroup } = session.config;
      await writeReports(db, file.batch_id, away, { signing: await sessionSigning(session), readableByGroup });
    }
  }
  await dropKept(session, file);
  await db.transact((tx) => noteFiled(tx, file.batch_id, clock.now()));
}

/** SHA-256 of a file's bytes, in hex. */
async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const block of createReadStream(path)) hash.update(block as Buffer);
  return hash.digest('hex');
}

/**
 * Whoever wrote the file went on after it was taken for complete, as over a connection that stood still for a while:
 * rows were added that nobody has paid, or the last one was cut short. Its slot has failed, so that a person is told.
 */
async function reportChanged({ db, clock, log }: Session, { job, due_at, name, batch_id }: JobFile): Promise<void> {
  const detail =
    `${name} was still being written when it was read, and not all of it is in batch ${batch_id}: ` +
    'put the whole file into the inbox, and run the slot again; what was paid is skipped';
  await db.transact((tx) => failSlot(tx, { job, dueAt: due_at, detail, now: clock.now() }));
  log.warn('a file of a job has changed since it was read', { job, batch_id, file: name });
}

/** Told by its place, and not by the job, which may have another source by now. */
async function dropKept(session: Session, { job, name, working_path }: JobFile): Promise<void> {
  if (working_path !== archivedFile(session, job, name)) return;
  for (const path of [working_path, rejectedName(working_path)]) await rm(path, { force: true });
}

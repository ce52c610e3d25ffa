import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findBatch } from '../ledger/batches.ts';
import { filesToPutAway, type JobFile, noteFiled } from '../ledger/job-files.ts';
import { writeReports } from '../reports/reports.ts';
import { type Session, sessionKey } from '../runtime/session.ts';
import type { Job } from './define-job.ts';
import { keptFile, rejectedName } from './kept-file.ts';

/**
 * Puts the files of ended batches away: from `working` to `done`, with the reports in `done/<batch>/` beside them; what a
 * person has rejected goes to `rejected`. What a program wrote is deleted: the ledger has its rows, and forgets their people in its time.
 * A single file stays where it is. Called after every end, and at a start.
 */
export async function putAway(session: Session, jobs: readonly Job[]): Promise<void> {
  const { db, clock } = session;
  for (const file of await filesToPutAway(db)) {
    const source = jobs.find(({ name }) => name === file.job)?.source;
    const batch = await findBatch(db, file.batch_id);
    if (source?.kind === 'folder' && batch) {
      const isDone = batch.status === 'completed';
      const folder = join(source.folder, isDone ? 'done' : 'rejected');
      await mkdir(folder, { recursive: true });
      const place = join(folder, basename(file.working_path));
      await rename(file.working_path, place).catch((error: NodeJS.ErrnoException) => {
        // A crash came between this and the note of it, or somebody took the file away: its batch has ended all the same.
        if (error.code !== 'ENOENT') throw error;
      });
      if (!isDone)
        await writeFile(`${place}.why.txt`, `${file.name}: ${batch.rejection ?? 'the batch was cancelled'}\n`);
      else await writeReports(db, file.batch_id, join(source.folder, 'done'), { key: await sessionKey(session) });
    }
    await dropKept(session, file);
    await db.transact((tx) => noteFiled(tx, file.batch_id, clock.now()));
  }
}

/** Told by its place, and not by the job, which may have another source by now. */
async function dropKept(session: Session, { job, name, working_path }: JobFile): Promise<void> {
  if (working_path !== keptFile(session, job, name)) return;
  for (const path of [working_path, rejectedName(working_path)]) await rm(path, { force: true });
}

import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { unlessGone } from '../../core/basics/unless-gone.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { filesOfSlot, openJobFiles } from '../../ledger/jobs/job-files.ts';
import { findSlot } from '../../ledger/jobs/slots.ts';
import { saveUnprocessedFiles, type UnprocessedFile } from '../../ledger/jobs/unprocessed-files.ts';
import { leftFilesLines } from '../../reports/sentences/unprocessed-files-text.ts';
import type { Job } from '../jobs/define-job.ts';
import { dueAtOf } from '../jobs/slot-stamp.ts';
import type { Session } from '../session/session.ts';
import { isLeftOver } from './complete-files.ts';
import { originalName } from './job-inbox.ts';

/** The files in the `working` folder of a job that would stay there for ever. */
export async function leftNow(db: Queryable, job: Job): Promise<UnprocessedFile[]> {
  if (job.source.kind !== 'folder') return [];
  const names = await unlessGone(readdir(join(job.source.folder, 'working')));
  return remainingFilesOf(db, job, names ?? []);
}

/**
 * Records which of the files in `working` earlier slots have left there, and logs them once. If a slot fails, the files
 * that it had taken are not paid, and no later slot looks for them.
 */
export async function reportRemainingFiles(
  { db, clock, log }: Pick<Session, 'db' | 'clock' | 'log'>,
  job: Job,
  names: readonly string[],
): Promise<void> {
  const files = await remainingFilesOf(db, job, names);
  if (!(await db.transact((tx) => saveUnprocessedFiles(tx, job.name, files, clock.now())))) return;
  const next = leftFilesLines(job.name, files).join(' ');
  log.warn('files of a job are unprocessed, and are not paid', { job: job.name, files: files.length, next });
}

async function remainingFilesOf(
  db: Queryable,
  { name: job, schedule }: Job,
  names: readonly string[],
): Promise<UnprocessedFile[]> {
  if (names.length === 0) return [];
  const open = new Map((await openJobFiles(db, job)).map((one) => [basename(one.working_path), one.status]));
  const left: UnprocessedFile[] = [];
  for (const file of names) {
    // A batch without a decision is not in progress: its slot failed before the decision, and makes it when it is run
    // again.
    const isUndecided = open.get(file) === 'validated';
    if (isLeftOver(file) || (open.has(file) && !isUndecided)) continue;
    const dueAt = dueAtOf(file, schedule.timeZone);
    const slot = dueAt === null ? null : await findSlot(db, job, dueAt);
    if (slot === null || dueAt === null) {
      left.push({ file, due_at: null });
      continue;
    }
    const isOpen = slot.state === 'due' || slot.state === 'running';
    const isBrought =
      !isUndecided && (await filesOfSlot(db, job, dueAt)).some(({ name }) => name === originalName(file));
    if (!isOpen && !isBrought) left.push({ file, due_at: slot.state === 'done' ? null : dueAt });
  }
  return left;
}

import { assert } from '../../core/basics/assert.ts';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { type SlotPart, slotPart, slotReason, slotResult } from '../../core/basics/slot-result.ts';
import { noteIgnoredEntries } from '../../ledger/jobs/ignored-entries.ts';
import { filesOfSlot } from '../../ledger/jobs/job-files.ts';
import { slotFaults } from '../../ledger/jobs/slots.ts';
import { holdTime } from '../../ledger/schema/lease-table.ts';
import { reportRemainingFiles } from '../../runtime/inbox/remaining-files.ts';
import { isPaying, type Job, type PayingJob } from '../../runtime/jobs/define-job.ts';
import type { Session } from '../../runtime/session/session.ts';
import { backupSlot } from './backup-slot.ts';
import type { SlotOutcome } from './claimed-slot.ts';
import { reconcileSlot } from './reconcile-slot.ts';
import { decideLeft, type FileOutcome, importOne } from './slot-batch.ts';
import { bring, minuteMs, type SlotFile, type SlotRunnerDeps } from './slot-files.ts';

/** If the slot were run again before that, it would find nothing and be done. */
const rejectedNext = slotPart(
  'SLOT_CORRECT',
  {},
  'correct the file that could not be read and put it into the inbox before you run the slot again',
);
const brought = slotPart('SLOT_BEFORE', {}, 'its files were imported before');
const stopped = slotPart('SLOT_STOPPED', {}, 'stopped before all of its files were read');
/** How long the slot waits for a single file that is still being written. */
const fileWaitMinutes = 60;

/**
 * Imports the files of a slot, each as a batch that is approved or waits for a person. Called again after a crash, it
 * continues: files that the slot has already imported are left alone, and a row that was sent is not sent again.
 */
export async function runSlot(deps: SlotRunnerDeps, job: Job, dueAt: number): Promise<SlotOutcome> {
  const { session, stopping } = deps;
  if (job.source.kind === 'reconciliation') return reconcileSlot(deps, job, dueAt, job.source.days);
  if (job.source.kind === 'backup') return backupSlot(session, job, job.source.drill);
  assert(isPaying(job), 'every other job brings files');
  const { source } = job;
  const before = await filesOfSlot(session.db, job.name, dueAt);
  const faults = await slotFaults(session.db, job.name, dueAt);
  await decideLeft(deps, job, before);
  const known = new Set(before.map(({ name }) => name));
  const { files, unfinished, others, ignored, stuck, remaining } = await bring(deps, job, dueAt, known);
  if (source.kind === 'folder') await reportRemainingFiles(session, job, remaining);
  const notes = source.kind === 'folder' ? await ignoredNotes(session, job, ignored) : [];
  const outcomes: FileOutcome[] = [];
  const newFiles = files.filter(({ name }) => !known.has(name));
  for (const [index, file] of newFiles.entries()) {
    // Thousands of files take longer than the process may take to end. The next start continues with the rest.
    if (stopping?.aborted) return { outcome: 'wait', ...slotResult([stopped]) };
    const taking = importOne(deps, job, dueAt, file);
    outcomes.push(await taking.catch((error: unknown) => Promise.reject(withNames(error, job, newFiles.slice(index)))));
  }
  const untaken = outcomes.filter(({ isTaken }) => !isTaken);
  const isRejected = faults.length > 0 || outcomes.some((one) => one.isRejected);
  const next = isRejected && source.kind === 'folder' ? [rejectedNext] : [];
  const parts = [...faults, ...outcomes.flatMap((one) => one.parts), ...stuck.map(({ part }) => part)];
  const count = known.size + files.length;
  const isMissing = source.kind === 'folder' && source.required && count === 0;
  if (unfinished.length > 0 || isMissing) {
    const waitMinutes = source.kind === 'folder' ? source.waitMinutes : fileWaitMinutes;
    const isOver = (await holdTime(session.db, session.clock.now())) - dueAt >= waitMinutes * minuteMs;
    const what =
      isMissing && unfinished.length === 0
        ? [slotPart('SLOT_NO_FILE', {}, 'there is no file'), ...otherEntries(source, others, ignored)]
        : [slotPart('SLOT_WRITING', { files: unfinished.join(', ') }, `still being written: ${unfinished.join(', ')}`)];
    return {
      outcome: isOver ? 'failed' : 'wait',
      ...slotResult([...parts, ...what, ...(isOver ? [...notes, ...next] : [])]),
    };
  }
  const isFailed = faults.length + untaken.length + stuck.length > 0;
  if (count === 0 && !isFailed) {
    const what = slotPart('SLOT_NO_FILE', {}, 'found no file');
    return { outcome: 'done', ...slotResult([what, ...otherEntries(source, others, ignored)]) };
  }
  const mayPass = [...untaken, ...stuck].some((one) => one.mayPass);
  const all = [...parts, ...notes, ...next];
  return {
    outcome: isFailed ? 'failed' : 'done',
    ...slotResult(all.length === 0 ? [brought] : all),
    ...(mayPass ? { mayPass } : {}),
  };
}

/** How many of the files that are not imported are named. */
const namedMax = 3;

function named(names: readonly string[]): string {
  return `${names.slice(0, namedMax).join(', ')}${names.length > namedMax ? ` and ${names.length - namedMax} more` : ''}`;
}

/** The same for texts in other languages. */
function namedValue(names: readonly string[]): string {
  return [...names.slice(0, namedMax), ...(names.length > namedMax ? ['…'] : [])].join(', ');
}

/**
 * Adds to a slot's error the names of the files that it has taken out of the inbox but not imported: nobody looks for
 * them in `working`.
 */
function withNames(error: unknown, { source }: Job, files: readonly SlotFile[]): unknown {
  if (source.kind !== 'folder') return error;
  const names = files.map(({ name }) => name);
  const message = `${errorMessage(error)}; not imported: ${named(names)}, in "working"`;
  if (!(error instanceof AirbatchError)) return new Error(message, { cause: error });
  const reason = slotReason('SLOT_NOT_BROUGHT', { files: namedValue(names) });
  return new AirbatchError(error.code, message, { hint: error.hint, reason, cause: error });
}

/**
 * Other entries of the inbox, whose name does not match or which are no files. Only these parts tell their owner that
 * they are not taken.
 */
function otherEntries(source: PayingJob['source'], others: readonly string[], ignored: readonly string[]): SlotPart[] {
  if (source.kind !== 'folder') return [];
  const { pattern } = source;
  const text = `its inbox has ${named(others.map((name) => `"${name}"`))}, not "${pattern}"`;
  return [
    ...(others.length === 0 ? [] : [slotPart('SLOT_OTHER_NAMES', { files: namedValue(others), pattern }, text)]),
    ...(ignored.length === 0 ? [] : [notFiles(ignored)]),
  ];
}

function notFiles(entries: readonly string[]): SlotPart {
  // Without their kind, which is in English.
  const names = entries.map((entry) => entry.replace(/ \([a-z ]+\)$/, ''));
  const text = `not paid, because it is not a file: ${named(entries)}`;
  return slotPart('SLOT_NOT_FILES', { files: namedValue(names) }, text);
}

/** Entries of the inbox that are never taken because they are no files. They are reported once, with the next slot. */
async function ignoredNotes({ db, log }: Session, { name: job }: Job, ignored: readonly string[]): Promise<SlotPart[]> {
  const unreported = await db.transact((tx) => noteIgnoredEntries(tx, job, ignored));
  if (unreported.length === 0) return [];
  log.warn('the inbox of a job has an entry that is not a file; it is not paid', { job, entries: named(unreported) });
  return [notFiles(unreported)];
}

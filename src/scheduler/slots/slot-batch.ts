import { rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { z } from 'zod';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { isoTime } from '../../core/time/clock.ts';
import type { IntakeSettingsInput } from '../../intake/columns/settings.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { insertJobFile, type JobFile } from '../../ledger/jobs/job-files.ts';
import { noteSlotFault } from '../../ledger/jobs/slots.ts';
import { type Operation, performIn, type WithAccount } from '../../operations/base/operation.ts';
import type { Plan } from '../../operations/base/plan.ts';
import { importFile } from '../../operations/files/import-file.ts';
import { submitBatch } from '../../operations/files/submit-batch.ts';
import { forecastText, minuteText } from '../../reports/sentences/finish-text.ts';
import { lostTextsText } from '../../reports/sentences/format.ts';
import { sameRowsOf, sameRowsText } from '../../reports/summary/repeated-rows.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { writeWhy } from '../../runtime/inbox/write-why.ts';
import type { Job } from '../../runtime/jobs/define-job.ts';
import { finishByOfSlot } from '../../runtime/jobs/finish-by.ts';
import { runIdOfSlot } from '../../runtime/jobs/run-id.ts';
import type { Session } from '../../runtime/session/session.ts';
import { rejectedName } from '../../runtime/upkeep/job-files-left.ts';
import type { SlotFile, SlotRunnerDeps } from './slot-files.ts';

/** What became of one file, in words. */
export interface FileOutcome {
  isTaken: boolean;
  sentences: string[];
  /** Of one that is not taken: whether it may be when it is tried again. */
  mayPass?: boolean;
  /** Of one that is not taken: whether it is no file that can be paid. */
  isRejected?: boolean;
}

export async function takeOne(
  deps: SlotRunnerDeps,
  job: Job,
  dueAt: number,
  { path, name }: SlotFile,
): Promise<FileOutcome> {
  const { session, withAccount, requireSlot } = deps;
  try {
    // Both operations use one open account: so they share its rate limits.
    return await withAccount(job.account, async (account) => {
      const call = callsOf(session, job, (_name, work) => work(account));
      const finishBy = finishByOfSlot(job, dueAt);
      const { batch_id } = await call(importFile, {
        file: path,
        run_id: runIdOfSlot(job.runId, job.name, dueAt, job.schedule.timeZone),
        priority: job.priority,
        finish_by: finishBy === null ? undefined : isoTime(finishBy),
        time_zone: job.schedule.timeZone,
        read_with: readWithOfJob(job),
      });
      const record = { batch_id, job: job.name, due_at: dueAt, name, working_path: path };
      await session.db.transact(async (tx) => {
        await requireSlot(tx);
        await insertJobFile(tx, record);
      });
      const what = `${name} is ${await submittedText(session, await call(submitBatch, { batch_id }))}`;
      // The slot may end much later, or fail for another file: what is paid is in the log from its beginning.
      session.log.info('a file of a job is a batch', { job: job.name, batch_id, detail: what });
      return { isTaken: true, sentences: [what] };
    });
  } catch (error) {
    if (!(error instanceof AirbatchError)) throw error;
    // It stays where it is for when the slot is run again, and keeps no other from being paid.
    if (error.code === 'FILE_UNREADABLE') return { isTaken: false, sentences: [errorMessage(error)], mayPass: true };
    if (error.code !== 'FILE_REJECTED') throw error;
    const fault = `${name} could not be read: ${errorMessage(error)}`;
    // Before it is put away: when the slot is run again, since it waits for another file, nothing else tells of this
    // one.
    await session.db.transact((tx) => noteSlotFault(tx, { job: job.name, dueAt, fault }));
    const left = await reject(job, path, name, `${isoTime(session.clock.now())} ${errorMessage(error)}`).then(
      () => [],
      (trouble: unknown) => [`${name} cannot be put away: ${errorMessage(trouble)}`],
    );
    return { isTaken: false, sentences: [fault, ...left], isRejected: true };
  }
}

/** What a crash kept from being decided: the batch is in the ledger, and neither approved nor waiting for a person. */
export async function decideLeft(
  { session, withAccount }: SlotRunnerDeps,
  job: Job,
  files: readonly JobFile[],
): Promise<void> {
  for (const { batch_id } of files) {
    const batch = await findBatch(session.db, batch_id);
    if (batch?.status === 'validated') await callsOf(session, job, withAccount)(submitBatch, { batch_id });
  }
}

/** What a batch is now, in words: approved, or left for a person where its policy says so. */
async function submittedText(
  { db }: Session,
  { batch_id, approval_needed: reason, plan }: z.output<typeof submitBatch.result>,
): Promise<string> {
  const what = reason === null ? `${counted(plan.to_send, 'row')} to pay` : `waits for approval: ${reason}`;
  const lost = plan.texts_lost > 0 ? [lostTextsText(plan.texts_lost)] : [];
  const same = (await sameRowsOf(db, await requireBatch(db, batch_id))).map(sameRowsText);
  return `batch ${batch_id} (${[what, ...same, ...lost, ...finishText(plan)].join('; ')})`;
}

/**
 * What the people who are to have it done by a time should know of it, where it will be late or nobody can tell, and
 * whom it makes late.
 */
function finishText({ finish_by, done_at, done_unknown, makes_late }: Plan): string[] {
  const sentences = makes_late.map(
    (late) =>
      `it makes batch ${late.batch_id} late: done ${forecastText(Date.parse(late.done_at), Date.parse(late.finish_by))}`,
  );
  if (finish_by === null) return sentences;
  const finishBy = Date.parse(finish_by);
  const doneAt = done_at === null ? null : Date.parse(done_at);
  if (doneAt !== null && doneAt > finishBy) sentences.unshift(`done ${forecastText(doneAt, finishBy)}`);
  if (done_unknown !== null)
    sentences.unshift(`it is to be done by ${minuteText(finishBy)}, and nobody can tell whether it will be`);
  return sentences;
}

/** Calls operations in the name of a job, with its settings over those of the configuration. */
export function callsOf(
  session: Session,
  job: Job,
  withAccount: WithAccount,
  signal?: AbortSignal,
): <Input extends z.ZodType, Result extends z.ZodType>(
  operation: Operation<Input, Result>,
  input: z.input<Input>,
) => Promise<z.output<Result>> {
  const { config } = session;
  const intake = { ...config.intake, ...job.intake };
  const policy = { ...config.policy, ...job.policy };
  const ofJob = { ...actorOf(session, job), config: { ...config, intake, policy } };
  const door = { withAccount, nameOf: (field: string) => field, ...(signal === undefined ? {} : { signal }) };
  return (operation, input) => performIn(ofJob, operation, door, input);
}

/** The session in the name of a job: no person acts. */
function actorOf(session: Session, { name }: Job): Session {
  return { ...session, person: `job ${name}`, through: `job:${name}` };
}

/** Settings of intake that have an option, and those that do not change how a file of corrections is read. */
const settingsWithOption: readonly string[] = [
  ...['columns', 'country', 'currency', 'decimalSign'],
  ...['headerLine', 'totalLine'],
];
const settingsWithoutOption: readonly string[] = ['sheet', 'guards', 'limits', 'duplicates'];

/**
 * The options by which a person who corrects a file of the job reads it as the job does; null where it says more of
 * the reading than there are options for.
 */
function readWithOfJob({ account, intake }: Job): Record<string, string | string[]> | null {
  if (Object.keys(intake).some((key) => !settingsWithOption.includes(key) && !settingsWithoutOption.includes(key)))
    return null;
  const { columns = {}, country, currency, decimalSign, headerLine, totalLine } = intake as IntakeSettingsInput;
  return {
    ...(account ? { account } : {}),
    ...(country ? { country } : {}),
    ...(currency ? { currency } : {}),
    ...(decimalSign ? { decimal: decimalSign } : {}),
    ...(headerLine ? { 'header-line': String(headerLine) } : {}),
    ...(totalLine ? { 'total-line': totalLine } : {}),
    map: Object.entries(columns).map(([field, column]) => `${field}=${column}`),
  };
}

/**
 * A file that cannot be paid is put away: from a folder to `rejected`, with the reason beside it, for a person to
 * correct and drop in again. What a command wrote goes to a name beside its own: run again, the slot asks the program,
 * which may be mended by then.
 */
async function reject({ source }: Job, path: string, name: string, why: string): Promise<void> {
  if (source.kind === 'command') await rename(path, rejectedName(path));
  if (source.kind !== 'folder') return;
  const place = join(source.folder, 'rejected', basename(path));
  await rename(path, place);
  await writeWhy(place, `${name}: ${why}`);
}

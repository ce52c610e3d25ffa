import { rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { z } from 'zod';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { reasonsOfError, type SlotPart, slotPart, slotReason } from '../../core/basics/slot-result.ts';
import { isoTime } from '../../core/time/clock.ts';
import type { IntakeSettingsInput } from '../../intake/columns/settings.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { insertJobFile, type JobFile } from '../../ledger/jobs/job-files.ts';
import { noteSlotFault } from '../../ledger/jobs/slots.ts';
import { forecastText, minuteText } from '../../reports/sentences/finish-text.ts';
import { lostTextsText } from '../../reports/sentences/format.ts';
import { sameRowsOf, sameRowsText } from '../../reports/summary/repeated-rows.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { writeWhy } from '../../runtime/inbox/write-why.ts';
import type { Job } from '../../runtime/jobs/define-job.ts';
import { finishByOfSlot } from '../../runtime/jobs/finish-by.ts';
import { runIdOfSlot } from '../../runtime/jobs/run-id.ts';
import type { Session } from '../../runtime/session/session.ts';
import { rejectedName } from '../../runtime/upkeep/job-file-places.ts';
import { type Operation, performIn, type WithAccount } from '../base/operation.ts';
import type { Plan } from '../base/plan.ts';
import { importFile } from '../files/import-file.ts';
import { submitBatch } from '../files/submit-batch.ts';
import type { SlotFile, SlotRunnerDeps } from './slot-files.ts';

/** The result for one file. */
export interface FileOutcome {
  isTaken: boolean;
  parts: SlotPart[];
  /** For a file that is not taken: whether another attempt may succeed. */
  mayPass?: boolean;
  /** For a file that is not taken: whether it was rejected as a payout file. */
  isRejected?: boolean;
}

export async function importOne(
  deps: SlotRunnerDeps,
  job: Job,
  dueAt: number,
  { path, name }: SlotFile,
): Promise<FileOutcome> {
  const { session, withAccount, requireSlot } = deps;
  try {
    // Both operations use one open account, so that they share its rate limits.
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
      const what = await submittedPart(session, name, await call(submitBatch, { batch_id }));
      // The slot may end much later, or fail because of another file, so the log says from the start what is paid.
      session.log.info('airbatch has made a batch from a file of a job', {
        job: job.name,
        batch_id,
        detail: what.text,
      });
      return { isTaken: true, parts: [what] };
    });
  } catch (error) {
    if (!(error instanceof AirbatchError)) throw error;
    // The file stays where it is until the slot is run again, and does not hold up the others.
    const reasons = reasonsOfError(error);
    if (error.code === 'FILE_UNREADABLE')
      return { isTaken: false, parts: [{ text: errorMessage(error), reasons }], mayPass: true };
    if (error.code !== 'FILE_REJECTED') throw error;
    const fault = {
      text: `${name} could not be read: ${errorMessage(error)}`,
      reasons: [slotReason('SLOT_REJECTED', { file: name }), ...reasons],
    };
    // Stored before the file is moved: if the slot waits for another file and is run again, nothing else reports this
    // one.
    await session.db.transact((tx) => noteSlotFault(tx, { job: job.name, dueAt, fault }));
    const left = await reject(
      job,
      path,
      name,
      `${isoTime(session.clock.now())} ${errorMessage(error)}. ${error.hint}`,
    ).then(
      () => [],
      (trouble: unknown) => [notArchived(name, errorMessage(trouble))],
    );
    return { isTaken: false, parts: [fault, ...left], isRejected: true };
  }
}

/**
 * Decides about batches that a crash has left undecided: they are in the ledger, but neither approved nor waiting for a
 * person.
 */
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

function notArchived(file: string, error: string): SlotPart {
  return slotPart('SLOT_NOT_ARCHIVED', { file, error }, `${file} cannot be archived: ${error}`);
}

/** The batch's state after submission: approved, or waiting for a person if its policy says so. */
async function submittedPart(
  { db }: Session,
  file: string,
  { batch_id: batch, approval_needed: reason, approval_reason: ofPolicy, plan }: z.output<typeof submitBatch.result>,
): Promise<SlotPart> {
  const { to_send: rows, texts_lost } = plan;
  const what = reason === null ? `${counted(rows, 'row')} to pay` : `waits for approval: ${reason}`;
  const same = await sameRowsOf(db, await requireBatch(db, batch));
  const lost = texts_lost > 0 ? [slotPart('SLOT_TEXTS_LOST', { rows: texts_lost }, lostTextsText(texts_lost))] : [];
  const more = [
    ...same.map((one) => slotPart('SLOT_SAME_ROWS', { rows: one.rows, batch: one.batch_id }, sameRowsText(one))),
    ...lost,
    ...finishParts(plan),
  ];
  const why = reason === null ? 'approved' : 'waits';
  const policy = ofPolicy === null ? [] : [ofPolicy];
  return {
    text: `${file} is batch ${batch} (${[what, ...more.map(({ text }) => text)].join('; ')})`,
    reasons: [
      slotReason('SLOT_BATCH', { file, batch, rows, why }),
      ...policy,
      ...more.flatMap(({ reasons }) => reasons),
    ],
  };
}

/**
 * What people should know about a batch with a finish time: whether it will be late, whether nobody can say, and which
 * other batches it makes late.
 */
function finishParts({ finish_by, done_at, done_unknown, makes_late }: Plan): SlotPart[] {
  const parts = makes_late.map(({ batch_id: batch, done_at, finish_by: due_at }) => {
    const forecast = forecastText(Date.parse(done_at), Date.parse(due_at));
    return slotPart('SLOT_MAKES_LATE', { batch, done_at, due_at }, `it makes batch ${batch} late: done ${forecast}`);
  });
  if (finish_by === null) return parts;
  const finishBy = Date.parse(finish_by);
  const doneAt = done_at === null ? null : Date.parse(done_at);
  if (done_at !== null && doneAt !== null && doneAt > finishBy) {
    const text = `done ${forecastText(doneAt, finishBy)}`;
    parts.unshift(slotPart('SLOT_LATE', { done_at, due_at: finish_by }, text));
  }
  if (done_unknown !== null) {
    const text = `it should be done by ${minuteText(finishBy)}; whether it will be is not known`;
    parts.unshift(slotPart('SLOT_LATE_UNKNOWN', { due_at: finish_by }, text));
  }
  return parts;
}

/** Calls operations in the name of a job. The job's settings override those of the configuration. */
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
  const ofJob = { ...sessionOfJob(session, job), config: { ...config, intake, policy } };
  const door = { withAccount, nameOf: (field: string) => field, ...(signal === undefined ? {} : { signal }) };
  return (operation, input) => performIn(ofJob, operation, door, input);
}

/** The session in the name of a job, because no person acts. */
export function sessionOfJob(session: Session, { name }: Job): Session {
  return { ...session, person: `job ${name}`, through: `job:${name}` };
}

/** Intake settings that have a command-line option, and those that do not change how a file of corrections is read. */
const settingsWithOption: readonly string[] = [
  ...['columns', 'country', 'currency', 'decimalSign'],
  ...['headerLine', 'totalLine'],
];
const settingsWithoutOption: readonly string[] = ['sheet', 'guards', 'limits', 'duplicates'];

/**
 * The options with which a person who corrects a file of the job reads it as the job does; null if the job has reading
 * settings without an option.
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
 * Moves a file that cannot be paid: from a folder to `rejected`, with the reason next to it, so that a person can
 * correct it and drop it in again. The output of a command is renamed in its own folder; when the slot is run again, it
 * runs the command again, which may be corrected by then.
 */
async function reject({ source }: Job, path: string, name: string, why: string): Promise<void> {
  if (source.kind === 'command') await rename(path, rejectedName(path));
  if (source.kind !== 'folder') return;
  const place = join(source.folder, 'rejected', basename(path));
  await rename(path, place);
  await writeWhy(place, `${name}: ${why}`);
}

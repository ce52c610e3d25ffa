import { rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { isoTime } from '../../core/time/clock.ts';
import { approve, askApproval } from '../../engine/batches/batch-commands.ts';
import { approvalReason } from '../../engine/plan/approval.ts';
import type { Preflight } from '../../engine/plan/preflight.ts';
import type { IntakeSettingsInput } from '../../intake/columns/settings.ts';
import { type BatchRecord, findBatch, type ReadWith } from '../../ledger/batches/batches.ts';
import { insertJobFile, type JobFile } from '../../ledger/jobs/job-files.ts';
import { noteSlotFault } from '../../ledger/jobs/slots.ts';
import { forecastText, minuteText } from '../../reports/sentences/finish-text.ts';
import { lostTextsText } from '../../reports/sentences/format.ts';
import { sameRowsOf, sameRowsText } from '../../reports/summary/repeated-rows.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import { writeWhy } from '../../runtime/inbox/write-why.ts';
import type { Job } from '../../runtime/jobs/define-job.ts';
import { finishByOfSlot } from '../../runtime/jobs/finish-by.ts';
import { runIdOfSlot } from '../../runtime/jobs/run-id.ts';
import type { Session } from '../../runtime/session/session.ts';
import { importFile, planOf } from '../../runtime/upkeep/import-file.ts';
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
    return await withAccount(job.account, async (account) => {
      const { batch } = await importFile(actorOf(session, job), account, {
        file: path,
        job: job.name,
        runId: runIdOfSlot(job.runId, job.name, dueAt, job.schedule.timeZone),
        priority: job.priority,
        finishBy: finishByOfSlot(job, dueAt),
        timeZone: job.schedule.timeZone,
        settings: { ...session.config.intake, ...job.intake },
        policy: { ...session.config.policy, ...job.policy },
        readWith: readWithOfJob(job),
      });
      const record = { batch_id: batch.batch_id, job: job.name, due_at: dueAt, name, working_path: path };
      await session.db.transact(async (tx) => {
        await requireSlot(tx);
        await insertJobFile(tx, record);
      });
      const what = `${name} is ${await decide(session, account, job, batch)}`;
      // The slot may end much later, or fail for another file: what is paid is in the log from its beginning.
      session.log.info('a file of a job is a batch', { job: job.name, batch_id: batch.batch_id, detail: what });
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
    if (batch?.status === 'validated')
      await withAccount(job.account, (account) => decide(session, account, job, batch));
  }
}

/** Approves the batch, or leaves it for a person where its policy says so. Returns what it is now, in words. */
async function decide(session: Session, account: OpenAccount, job: Job, batch: BatchRecord): Promise<string> {
  const actor = actorOf(session, job);
  const plan = await planOf(session, account, batch);
  const reason = approvalReason(storedPolicy(batch.policy), plan);
  if (reason !== null) await askApproval(actor, batch.batch_id, reason);
  else await approve(actor, batch.batch_id, { balance: plan.balance, plan });
  const what = reason === null ? `${counted(plan.toSend, 'row')} to pay` : `waits for approval: ${reason}`;
  const lost = plan.textsLost > 0 ? [lostTextsText(plan.textsLost)] : [];
  const same = (await sameRowsOf(session.db, batch)).map(sameRowsText);
  return `batch ${batch.batch_id} (${[what, ...same, ...lost, ...finishText(plan)].join('; ')})`;
}

/**
 * What the people who are to have it done by a time should know of it, where it will be late or nobody can tell, and
 * whom it makes late.
 */
function finishText({ finish: { finishBy, doneAt, unknown, makesLate } }: Preflight): string[] {
  const sentences = makesLate.map(
    (late) => `it makes batch ${late.batch} late: done ${forecastText(late.doneAt, late.finishBy)}`,
  );
  if (finishBy !== null && doneAt !== null && doneAt > finishBy)
    sentences.unshift(`done ${forecastText(doneAt, finishBy)}`);
  if (finishBy !== null && unknown !== null)
    sentences.unshift(`it is to be done by ${minuteText(finishBy)}, and nobody can tell whether it will be`);
  return sentences;
}

/** The session in the name of a job: no person acts. */
export function actorOf(session: Session, { name }: Job): Session {
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
function readWithOfJob({ account, intake }: Job): ReadWith | null {
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

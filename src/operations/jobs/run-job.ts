import { dirname } from 'node:path';
import { z } from 'zod';
import { AirbatchError, errorTable } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { sendingStates } from '../../core/state/batch-state.ts';
import { didYouMean } from '../../core/text/similar-name.ts';
import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import { type BatchRecord, findBatch } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { filesOfSlot } from '../../ledger/jobs/job-files.ts';
import { droppedUntil, findSlot, insertSlot, reopenSlot } from '../../ledger/jobs/slots.ts';
import { holdTime } from '../../ledger/schema/lease-table.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import { archiveFile } from '../../runtime/inbox/archive-file.ts';
import { isPaying, type Job } from '../../runtime/jobs/define-job.ts';
import { lastDueTime } from '../../runtime/jobs/due-times.ts';
import { loadJobs } from '../../runtime/jobs/load-jobs.ts';
import { runIdOfSlot } from '../../runtime/jobs/run-id.ts';
import { isDeadProcess, processHolder } from '../../runtime/session/process-holder.ts';
import type { Session } from '../../runtime/session/session.ts';
import { hasWorker } from '../base/account-now.ts';
import { interruptedExitCode, worstExitCode } from '../base/exit-codes.ts';
import { moment, slotReasons, time } from '../base/fields.ts';
import { defineOperation, type OperationContext, type WithAccount } from '../base/operation.ts';
import { recordRestore, restored } from '../base/restored.ts';
import { isVisible } from '../base/visible.ts';
import { attemptSlot } from '../slots/attempt-slot.ts';
import { type SlotOutcome, slotOutcomes } from '../slots/claimed-slot.ts';
import { runSlot } from '../slots/run-slot.ts';
import { slotByHand } from '../slots/slot-by-hand.ts';
import { batchResult } from '../working/batch-result.ts';
import { writeEarlierReports } from '../working/missing-reports.ts';
import { whileNothingIsSent } from '../working/nothing-sent.ts';
import { workOn } from '../working/work.ts';

/**
 * Runs one slot of a job: by hand, and then sends what needs no approval; or for the scheduler, whose program sends.
 */
export const runJob = defineOperation({
  name: 'run-job',
  role: 'operate',
  ledger: 'make',
  showsOnlyVisible: true,
  input: z.strictObject({
    name: z.string(),
    /** If it is left out: the slot that the person most likely means. */
    slot: moment.optional(),
    restored,
  }),
  result: z.strictObject({
    job: z.string(),
    slot: time,
    outcome: z.strictObject({ outcome: z.enum(slotOutcomes), detail: z.string(), reasons: slotReasons }),
    /** The batches of the slot that were worked on. */
    batches: z.array(batchResult),
    /** As of the same run of its file, or of the same reconciliation. */
    exit_code: z.int(),
  }),
  async run(context, { name, slot, restored: isRestored }) {
    const { session, withAccount, emit, scheduled } = context;
    const loaded = scheduled?.jobs ?? (await loadJobs(session.config.jobs)).map(({ job }) => job);
    const jobs = loaded.filter(({ account }) => isVisible(session, account));
    const job = jobByName(jobs, name);
    const dueAt = await slotOf(context, job, slot);
    if (scheduled) {
      const { outcome, trouble } = await bring(context, job, dueAt, withAccount);
      return resultOf(job, dueAt, outcome, [outcomeExitCode(job, outcome, trouble)]);
    }
    return withAccount(job.account, async (account) => {
      // One open account for all files of the slot: an account that is opened anew does not know which requests the
      // others have made.
      const bringing = () => bring(context, job, dueAt, (_name, work) => work(account));
      const { outcome, trouble } = await whileNothingIsSent(context, bringing);
      const { detail } = outcome;
      emit({ kind: 'slot_ended', slot: isoTime(dueAt), time_zone: job.schedule.timeZone, detail });
      const { results, codes } = await send(context, { job, jobs, dueAt, account, isRestored });
      return resultOf(job, dueAt, outcome, [outcomeExitCode(job, outcome, trouble), ...codes], results);
    });
  },
});

function resultOf(
  { name: job }: Job,
  dueAt: number,
  { outcome, detail, reasons }: SlotOutcome,
  codes: number[],
  batches: z.output<typeof batchResult>[] = [],
) {
  const ended = { outcome, detail, reasons: reasons === undefined ? null : [...reasons] };
  return { job, slot: isoTime(dueAt), outcome: ended, batches, exit_code: worstExitCode(codes) };
}

function jobByName(jobs: readonly Job[], name: string): Job {
  const job = jobs.find((one) => one.name === name);
  if (job) return job;
  const names = jobs.map((one) => one.name);
  throw new AirbatchError('USAGE', `there is no job "${name}"`, {
    reason: refusal('JOB_UNKNOWN', { job: name }),
    hint: `${didYouMean(name, names)} See "airbatch jobs".`.trimStart(),
  });
}

/** The slot that was named; without one, the slot that the person most likely means. Reports it before it runs. */
async function slotOf(
  { session: { db, clock }, emit }: OperationContext,
  job: Job,
  named: string | undefined,
): Promise<number> {
  const { timeZone } = job.schedule;
  const say = (
    dueAt: number,
    why: 'named' | 'named_extra' | Awaited<ReturnType<typeof slotByHand>>['why'],
    last: number | null,
  ) =>
    emit({
      kind: 'slot',
      slot: isoTime(dueAt),
      time_zone: timeZone,
      run_id: isPaying(job) ? runIdOfSlot(job.runId, job.name, dueAt, timeZone) : null,
      why,
      last_due_at: isoOrNull(last),
    });
  if (named !== undefined) {
    const dueAt = Date.parse(named);
    say(dueAt, lastDueTime(job.schedule, dueAt) === dueAt ? 'named' : 'named_extra', null);
    return dueAt;
  }
  const { dueAt, why, lastDueAt } = await slotByHand(db, job, await holdTime(db, clock.now()));
  say(dueAt, why, lastDueAt);
  return dueAt;
}

/** `trouble`: the error that has ended the slot. */
async function bring(
  { session, signal, scheduled }: OperationContext,
  job: Job,
  dueAt: number,
  withAccount: WithAccount,
): Promise<{ outcome: SlotOutcome; trouble: unknown }> {
  const { db, clock, config } = session;
  const deps = { session, base: dirname(config.jobs), withAccount, stopping: signal };
  const attempted = await attemptSlot(
    { db, clock, holder: processHolder(clock), isDead: isDeadProcess },
    { job: job.name, dueAt },
    {
      run: (requireSlot) => runSlot({ ...deps, requireSlot }, job, dueAt),
      prepare: scheduled ? undefined : (tx) => openByHand(tx, job.name, dueAt),
      stopping: signal,
      passingTrouble: scheduled?.passingTrouble,
    },
  );
  if (!scheduled) signal.throwIfAborted();
  if (attempted) return attempted;
  throw new AirbatchError('ACCOUNT_BUSY', `the job "${job.name}" is being run by another process`);
}

/**
 * Makes a slot due that a person runs, although it is new, was missed, or has failed. Refuses one that has run, and one
 * so old that its record may have been deleted from the ledger: it may have run.
 */
async function openByHand(tx: Queryable, job: string, dueAt: number): Promise<void> {
  const slot = await findSlot(tx, job, dueAt);
  if (slot?.state === 'done')
    throw new AirbatchError('USAGE', `this slot of "${job}" has already run: ${slot.detail}`, {
      hint: 'What was paid is not paid again. Name another slot with --slot, or run the file itself.',
    });
  const until = await droppedUntil(tx, job);
  if (slot === null && dueAt <= until)
    throw new AirbatchError('USAGE', `it is no longer known whether this slot of "${job}" has run`, {
      hint: `Its slots up to ${isoTime(until)} were dropped, because they are too old. Pay the file itself: airbatch run FILE.`,
    });
  await insertSlot(tx, { job, due_at: dueAt, state: 'due', detail: null });
  await reopenSlot(tx, job, dueAt);
}

interface SlotByName {
  job: Job;
  /** All configured jobs, this one included. */
  jobs: readonly Job[];
  dueAt: number;
  /** The job's account. */
  account: OpenAccount;
  isRestored: boolean;
}

/** Sends the slot's batches that need no approval, unless another part of this program does. */
async function send(context: OperationContext, { job, jobs, dueAt, account, isRestored }: SlotByName) {
  const { session, signal } = context;
  const batches = await batchesOfSlot(session, job, dueAt);
  const ready = batches.filter(({ status }) => sendingStates.includes(status));
  const codes = batches.some(({ status }) => status === 'awaiting_approval') ? [5] : [];
  const recordedRestore = await recordRestore(session, isRestored);
  if (context.leavesWork) return { results: [], codes };
  const batchIds = ready.map(({ batch_id }) => batch_id);
  const work = { batchIds, out: session.config.out, restored: recordedRestore };
  const results = batchIds.length === 0 ? [] : await workOn(context, account, work);
  codes.push(...results.map(({ exit_code }) => exit_code));
  // The program that works for the account retries failed rows first if its jobs say so. A file is archived only after
  // its retries.
  const mayBeRetried = jobs.some(({ retry }) => retry) && (await hasWorker(session, account.name));
  if (!mayBeRetried) await archiveFile(session);
  if (!signal.aborted && !codes.includes(interruptedExitCode)) await writeEarlierReports(context);
  return { results, codes };
}

async function batchesOfSlot({ db }: Session, { name }: Job, dueAt: number): Promise<BatchRecord[]> {
  const files = await filesOfSlot(db, name, dueAt);
  const batches = await Promise.all(files.map(({ batch_id }) => findBatch(db, batch_id)));
  return batches.filter((batch) => batch !== null);
}

/**
 * The exit code of a slot that brought no batch: the same as that of the equivalent command, a run of the
 * file, a reconciliation, or a backup.
 */
function outcomeExitCode(job: Job, { outcome }: SlotOutcome, trouble: unknown): number {
  if (outcome !== 'failed') return outcome === 'wait' ? 5 : 0;
  if (trouble instanceof AirbatchError) return trouble.exitCode;
  if (trouble !== undefined) return 1;
  return isPaying(job) ? errorTable.FILE_REJECTED.exitCode : 5;
}

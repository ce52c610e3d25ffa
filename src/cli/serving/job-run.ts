import { dirname } from 'node:path';
import { AirbatchError, errorMessage, errorTable } from '../../core/basics/errors.ts';
import { jsonLine } from '../../core/text/json-output.ts';
import { didYouMean } from '../../core/text/similar-name.ts';
import { visible } from '../../core/text/visible.ts';
import { isoTime } from '../../core/time/clock.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { filesOfSlot } from '../../ledger/jobs/job-files.ts';
import { droppedUntil, findSlot, insertSlot, reopenSlot } from '../../ledger/jobs/slots.ts';
import { hasWorker } from '../../operations/base/account-now.ts';
import { interruptedExitCode, worstExitCode } from '../../operations/base/exit-codes.ts';
import { contextOf } from '../../operations/base/operation.ts';
import { recordRestore } from '../../operations/base/restored.ts';
import { writeEarlierReports } from '../../operations/working/missing-reports.ts';
import { workOn } from '../../operations/working/work.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import { withAccount } from '../../runtime/accounts/with-account.ts';
import { archiveFile } from '../../runtime/inbox/archive-file.ts';
import type { Job } from '../../runtime/jobs/define-job.ts';
import { lastDueTime } from '../../runtime/jobs/due-times.ts';
import { loadJobs } from '../../runtime/jobs/load-jobs.ts';
import { runIdOfSlot } from '../../runtime/jobs/run-id.ts';
import { isDeadProcess, processHolder } from '../../runtime/session/process-holder.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import type { Session } from '../../runtime/session/session.ts';
import { type SlotByHand, slotByHand } from '../../scheduler/slot-by-hand.ts';
import { runClaimed, type SlotOutcome } from '../../scheduler/slots/claimed-slot.ts';
import { runSlot } from '../../scheduler/slots/run-slot.ts';
import type { CommandContext } from '../base/command.ts';
import { localTime, momentOf } from '../base/dates.ts';
import { longDoorOf } from '../running/call-long.ts';
import { closingLines } from '../running/closing.ts';
import { onInterrupt, untilStopped } from '../session/interrupt.ts';

/** `airbatch jobs run NAME [--slot TIME]`: runs one slot by hand, and sends what needs no approval. */
export async function runJob(
  context: CommandContext,
  session: Session,
  name: string,
  options: Record<string, unknown>,
): Promise<number> {
  requireRole(session, 'operate');
  const jobs = (await loadJobs(session.config.jobs)).map(({ job }) => job);
  const job = jobs.find((one) => one.name === name);
  if (!job) {
    const meant = didYouMean(
      name,
      jobs.map((one) => one.name),
    );
    throw new AirbatchError('USAGE', `there is no job "${name}"`, {
      hint: `${meant} See "airbatch jobs".`.trimStart(),
    });
  }
  const dueAt = await slotOf(context, session, job, options.slot);
  return withAccount(session, job.account, (account) =>
    bringAndSend(context, session, { job, jobs, dueAt, account }, options),
  );
}

interface SlotByName {
  job: Job;
  /** All configured jobs, this one included. */
  jobs: readonly Job[];
  dueAt: number;
  /** The job's account. */
  account: OpenAccount;
}

async function bringAndSend(
  context: CommandContext,
  session: Session,
  { job, jobs, dueAt, account }: SlotByName,
  options: Record<string, unknown>,
): Promise<number> {
  const { name } = job;
  const { outcome, trouble } = await unlessInterrupted(context, () => bring(session, job, dueAt, account));
  if (!context.json) {
    const when = localTime(dueAt, job.schedule.timeZone);
    context.terminal.error(`${name}, slot of ${when} (${job.schedule.timeZone}): ${visible(outcome.detail)}\n`);
  }
  const batches = await Promise.all(
    (await filesOfSlot(session.db, name, dueAt)).map(({ batch_id }) => findBatch(session.db, batch_id)),
  );
  const ready = batches.flatMap((batch) => (batch && ['approved', 'running'].includes(batch.status) ? [batch] : []));
  const waits = batches.some((batch) => batch?.status === 'awaiting_approval');
  const codes = [outcomeExitCode(job, outcome, trouble), waits ? 5 : 0];
  const batchIds = ready.map(({ batch_id }) => batch_id);
  const work = { batchIds, out: session.config.out, restored: await recordRestore(session, options.restored === true) };
  const results =
    batchIds.length === 0
      ? []
      : await untilStopped((signal) => workOn(contextOf(session, longDoorOf(context, signal)), account, work));
  if (results === null) return interruptedExitCode;
  // The program that works for the account retries failed rows first if its jobs say so. A file is archived only after
  // its retries.
  const mayBeRetried = jobs.some(({ retry }) => retry) && (await hasWorker(session, account.name));
  if (!mayBeRetried) await archiveFile(session);
  codes.push(...results.map(({ exit_code }) => exit_code));
  if (!codes.includes(interruptedExitCode))
    await writeEarlierReports(contextOf(session, longDoorOf(context, new AbortController().signal)));
  if (context.json) {
    const shown = { outcome: outcome.outcome, detail: outcome.detail };
    const slot = isoTime(dueAt);
    context.terminal.print(jsonLine({ job: name, slot, outcome: shown, batches: results }));
  } else {
    for (const result of results) context.terminal.error(closingLines(context.terminal, result, context.cwd));
  }
  return worstExitCode(codes);
}

/**
 * The slot that the option names; without it, the slot that the person most likely means. The person sees which slot it
 * is before it runs.
 */
async function slotOf(context: CommandContext, { db, clock }: Session, job: Job, given: unknown): Promise<number> {
  const { timeZone } = job.schedule;
  const say = (dueAt: number, why: string) => {
    if (context.json) return;
    const run =
      job.source.kind === 'reconciliation' ? '' : `, run ${runIdOfSlot(job.runId, job.name, dueAt, timeZone)}`;
    context.terminal.error(`Slot       ${localTime(dueAt, timeZone)} (${timeZone})${run}: ${why}\n`);
  };
  if (typeof given === 'string') {
    const dueAt = momentOf('--slot', given);
    const isDue = lastDueTime(job.schedule, dueAt) === dueAt;
    say(dueAt, isDue ? 'as named' : 'as named, and none of its due times');
    return dueAt;
  }
  const slot = await slotByHand(db, job, clock.now());
  say(slot.dueAt, whyText(slot, timeZone));
  if (!context.json) context.terminal.error('           --slot names another\n');
  return slot.dueAt;
}

function whyText({ why, lastDueAt }: SlotByHand, timeZone: string): string {
  switch (why) {
    case 'due':
      return 'the last due time';
    case 'missed':
      return 'the last due time, which was missed';
    case 'failed':
      return 'the last due time, which failed';
    case 'extra':
      return `now, since the last due time (${localTime(lastDueAt ?? 0, timeZone)}) has run`;
    case 'new':
      return 'now, because this ledger has not seen a due time of the job yet';
  }
}

/**
 * Runs the work so that Ctrl-C ends the process in order: the job's program ends with it. The next run continues the
 * slot where it was stopped.
 */
async function unlessInterrupted<Result>({ terminal }: CommandContext, work: () => Promise<Result>): Promise<Result> {
  const interrupt = onInterrupt(() => {
    terminal.error('\nStopped: nothing was sent. Run the slot again.\n');
    process.exit(interruptedExitCode);
  });
  try {
    return await work();
  } finally {
    interrupt.dispose();
  }
}

/**
 * The exit code of a slot that brought no batch: the same as that of the equivalent command, a run of the file or a
 * reconciliation.
 */
function outcomeExitCode({ source }: Job, { outcome }: SlotOutcome, trouble: unknown): number {
  if (outcome !== 'failed') return outcome === 'wait' ? 5 : 0;
  if (trouble instanceof AirbatchError) return trouble.exitCode;
  if (trouble !== undefined) return 1;
  return source.kind === 'reconciliation' ? 5 : errorTable.FILE_REJECTED.exitCode;
}

interface Brought {
  outcome: SlotOutcome;
  /** The trouble that interrupted the slot. */
  trouble?: unknown;
}

async function bring(session: Session, job: Job, dueAt: number, account: OpenAccount): Promise<Brought> {
  const { db, clock, config } = session;
  const slot = await findSlot(db, job.name, dueAt);
  if (slot?.state === 'done')
    throw new AirbatchError('USAGE', `this slot of "${job.name}" has already run: ${slot.detail}`, {
      hint: 'What was paid is not paid again. Name another slot with --slot, or run the file itself.',
    });
  const deps = {
    session,
    base: dirname(config.jobs),
    // One open account for all files of the slot: an account that is opened anew does not know which requests the
    // others have made.
    withAccount: <Result>(_name: string | undefined, work: (account: OpenAccount) => Promise<Result>) => work(account),
  };
  let trouble: unknown;
  const outcome = await runClaimed(
    { db, clock, holder: processHolder(clock), isDead: isDeadProcess },
    { job: job.name, due_at: dueAt, holder: slot?.holder ?? null, expires_at: slot?.expires_at ?? null },
    {
      prepare: async (tx) => {
        await requireUndropped(tx, job.name, dueAt);
        await insertSlot(tx, { job: job.name, due_at: dueAt, state: 'due', detail: null });
        await reopenSlot(tx, job.name, dueAt);
      },
      run: (requireSlot) =>
        runSlot({ ...deps, requireSlot }, job, dueAt).catch((error: unknown): SlotOutcome => {
          trouble = error;
          return { outcome: 'failed', detail: errorMessage(error) };
        }),
    },
  );
  if (outcome === null)
    throw new AirbatchError('ACCOUNT_BUSY', `the job "${job.name}" is being run by another process`);
  return { outcome, trouble };
}

/** Refuses a slot so old that its record may have been deleted from the ledger: it may have run already. */
async function requireUndropped(tx: Queryable, job: string, dueAt: number): Promise<void> {
  const until = await droppedUntil(tx, job);
  if (dueAt > until || (await findSlot(tx, job, dueAt)) !== null) return;
  throw new AirbatchError('USAGE', `it is no longer known whether this slot of "${job}" has run`, {
    hint: `Its slots up to ${isoTime(until)} were dropped, since they are old. Pay the file itself: airbatch run FILE.`,
  });
}

import { errorMessage } from '../core/basics/errors.ts';
import { slotPart, slotResult } from '../core/basics/slot-result.ts';
import type { Log } from '../core/text/log.ts';
import { type Clock, isoTime } from '../core/time/clock.ts';
import type { Database, Queryable } from '../ledger/drivers/database.ts';
import {
  forgetFutureSkips,
  insertSlot,
  knownDueTimes,
  lookedAt,
  openSlots,
  type SlotRecord,
} from '../ledger/jobs/slots.ts';
import { holdTime } from '../ledger/schema/lease-table.ts';
import { jobState } from '../ledger/schema/state-columns.ts';
import type { SlotOutcome } from '../operations/slots/claimed-slot.ts';
import type { Job } from '../runtime/jobs/define-job.ts';
import { dueTimes, dueTimesMax } from '../runtime/jobs/due-times.ts';
import { makeLastingTrouble } from '../runtime/logging/log.ts';

export interface SchedulerDeps {
  db: Database;
  clock: Clock;
  log: Log;
  jobs: readonly Job[];
  /**
   * Runs a due slot, and stores its result. It may be called again for the same slot after a crash, and must not import
   * anything twice. Null if another process has the slot. For `passingTrouble` see `ScheduledRun`.
   */
  runDue: (
    job: Job,
    dueAt: number,
    passingTrouble: () => number,
  ) => Promise<Pick<SlotOutcome, 'outcome' | 'detail'> | null>;
}

export interface Scheduler {
  /** Looks for due slots and runs them. Every trigger calls it, however often: the ledger decides what happens. */
  look(): Promise<void>;
  /** Resolves when the running slots have ended; no other slot starts. */
  stop(): Promise<void>;
}

const missed = slotResult([slotPart('SLOT_MISSED', {}, 'missed while no program was running, and not run afterwards')]);

/** A trigger that is late by less than this is in time. After that, the slot was missed. */
const graceMs = 5 * 60_000;
/**
 * How often the time of the last look is stored. Looks are seconds apart, and a look that finds nothing need not write.
 */
const lookNotedMs = 60_000;

/** How long after an error that may pass a slot is tried again. */
const troubleRetryMs = 60_000;

export function makeScheduler(deps: SchedulerDeps): Scheduler {
  const { clock, log } = deps;
  const running = new Map<string, Promise<void>>();
  /** Jobs whose last slot had an error that passes, with the time of the next attempt. */
  const restUntil = new Map<string, number>();
  /** Since when (monotonic ms, less the attempts of earlier processes) a job's slot has had nothing but such errors. */
  const troubles = new Map<string, { dueAt: number; since: number }>();
  const lasting = new Map(deps.jobs.map(({ name }) => [name, makeLastingTrouble(log, clock)]));
  let stopping = false;

  const troubledMs = ({ job, due_at }: SlotRecord, beforeMs: number): number => {
    const known = troubles.get(job);
    if (known?.dueAt === due_at) return Math.round(clock.monotonic() - known.since);
    troubles.set(job, { dueAt: due_at, since: clock.monotonic() - beforeMs });
    return beforeMs;
  };

  /** Runs the slots of one job one after the other; several jobs run in parallel. */
  const runOpen = async (job: Job): Promise<void> => {
    const slots = await openSlots(deps.db, job.name, clock.now());
    // Another process, or a person, may have ended the slot with the errors.
    if (slots.every(({ due_at }) => due_at !== troubles.get(job.name)?.dueAt)) troubles.delete(job.name);
    for (const slot of slots) {
      if (stopping) return;
      const beforeMs = slot.troubled_ms ?? 0;
      const next = await runOne(deps, job, slot, () => troubledMs(slot, beforeMs));
      if (next === 'rest') restUntil.set(job.name, clock.monotonic() + troubleRetryMs);
      else troubles.delete(job.name);
      if (next !== 'go on') return;
    }
  };

  return {
    async look() {
      if (stopping) return;
      for (const job of deps.jobs) {
        // Slots that fall due during such errors count as missed, as if no program ran: otherwise a job that is due
        // every minute would have sixty waiting slots after an hour.
        if (!troubles.has(job.name)) await noteDueSlots(deps, job);
        if (running.has(job.name) || (restUntil.get(job.name) ?? 0) > clock.monotonic()) continue;
        const trouble = lasting.get(job.name);
        const work = runOpen(job)
          .then(trouble?.over, (error: unknown) =>
            trouble?.report('a job could not run; airbatch tries again', { job: job.name, error: errorMessage(error) }),
          )
          .finally(() => running.delete(job.name));
        running.set(job.name, work);
      }
    },
    async stop() {
      stopping = true;
      await Promise.all(running.values());
    },
  };
}

/**
 * Records the slots that fell due since the last look, and decides which of them are run. Machines that share the
 * ledger go by its time: one with a wrong clock neither runs slots early nor makes others miss them.
 */
async function noteDueSlots({ db, clock, log }: SchedulerDeps, job: Job): Promise<void> {
  const { skipped, due } = await db.transact(async (tx) => {
    const now = await holdTime(tx, clock.now());
    const knownSince = await since(tx, job, now);
    const after = await lookedUntil(tx, job, now);
    const known = await knownDueTimes(tx, job.name, after, now);
    const due = dueTimes(job.schedule, after, now).filter((dueAt) => !known.has(dueAt));
    let skipped = 0;
    for (const [index, dueAt] of due.entries()) {
      const isOfTheJob = dueAt > knownSince || now - dueAt <= graceMs;
      const runs = isOfTheJob && isRun(job, { dueAt, now, isLast: index === due.length - 1 });
      const skip = {
        state: 'skipped',
        ...missed,
        ended_at: now,
      } as const;
      await insertSlot(tx, { job: job.name, due_at: dueAt, ...(runs ? { state: 'due', detail: null } : skip) });
      if (!runs) skipped += 1;
    }
    if (due.length > 0 || now - after >= lookNotedMs) await jobState.lookedAt.write(tx, job.name, now);
    return { skipped, due };
  });
  if (skipped > 0) log.warn('a job missed slots; they will not run', { job: job.name, slots: skipped });
  if (due.length === dueTimesMax)
    log.warn('a job missed more slots than airbatch records; the earliest are left out', {
      job: job.name,
      looked_at: due.length,
    });
}

/**
 * Since when the job is known. Slots due before that are not run. Otherwise a machine that starts with a clock far
 * behind, and is corrected later, would pay for a month in which the job did not exist.
 */
async function since(tx: Queryable, { name }: Job, now: number): Promise<number> {
  const known = await jobState.knownSince.read(tx, name);
  if (known !== null) return known;
  const first = (await lookedAt(tx, name)) ?? now;
  await jobState.knownSince.write(tx, name, first);
  return first;
}

/**
 * Until when due slots were looked for: the time of the last look and not of the last slot. So a changed schedule
 * starts with its next due time, and a slot that was run early by hand does not hold back the slots before it.
 */
async function lookedUntil(tx: Queryable, job: Job, now: number): Promise<number> {
  const looked = await lookedAt(tx, job.name);
  // A new job starts with its next due time: nobody expects it to pay for the past.
  if (looked === null) await jobState.lookedAt.write(tx, job.name, now);
  const after = looked ?? now;
  if (after <= now) return after;
  // The clock was set back, or was ahead before. The ledger knows which slots in the repeated time have run, and they
  // are not run again.
  await forgetFutureSkips(tx, job.name, now);
  await jobState.lookedAt.write(tx, job.name, now);
  return now;
}

function isRun({ schedule }: Job, { dueAt, now, isLast }: { dueAt: number; now: number; isLast: boolean }): boolean {
  if (schedule.catchUp === 'all') return true;
  return schedule.catchUp === 'last' ? isLast : now - dueAt <= graceMs;
}

/** What happens next for the job: its next slot, nothing until the next look, or nothing for a while. */
type Next = 'go on' | 'wait' | 'rest';

/** `troubledMs`: for how long the slot has had nothing but errors that may pass, this one included. */
async function runOne(
  { log, runDue }: SchedulerDeps,
  job: Job,
  slot: SlotRecord,
  troubledMs: () => number,
): Promise<Next> {
  let hasTrouble = false;
  const result = await runDue(job, slot.due_at, () => {
    hasTrouble = true;
    return troubledMs();
  });
  if (result === null) return 'wait';
  const { outcome, detail } = result;
  const facts = { job: job.name, due_at: isoTime(slot.due_at), detail };
  if (outcome === 'done') log.info('a job has run', facts);
  else if (outcome === 'failed') log.warn('a job has failed', facts);
  // The slot is asked again every few seconds; the same answer is logged once.
  else if (detail !== slot.detail) log.info('a job waits before it runs', facts);
  if (outcome !== 'wait') return 'go on';
  return hasTrouble ? 'rest' : 'wait';
}

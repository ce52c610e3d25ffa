import { AirbatchError, type ErrorCode, errorMessage } from '../core/basics/errors.ts';
import type { Log } from '../core/text/log.ts';
import { isoTime } from '../core/time/clock.ts';
import type { Queryable } from '../ledger/drivers/database.ts';
import {
  droppedUntil,
  forgetFutureSkips,
  insertSlot,
  knownDueTimes,
  openSlots,
  type SlotRecord,
  slotTroubledMs,
} from '../ledger/jobs/slots.ts';
import { readFact, writeFact } from '../ledger/schema/facts.ts';
import type { Job } from '../runtime/jobs/define-job.ts';
import { dueTimes, dueTimesMax } from '../runtime/jobs/due-times.ts';
import { makeLastingTrouble } from '../runtime/logging/log.ts';
import { type ClaimDeps, type RequireSlot, runClaimed, type SlotOutcome } from './slots/claimed-slot.ts';

export interface SchedulerDeps extends ClaimDeps {
  log: Log;
  jobs: readonly Job[];
  /**
   * Brings what the slot is to bring. It may be called again for the same slot after a crash: it must not bring it
   * twice.
   */
  runSlot: (job: Job, dueAt: number, requireSlot: RequireSlot) => Promise<SlotOutcome>;
}

export interface Scheduler {
  /** Looks what is due, and runs it. Called by every trigger, however often: the ledger decides what happens. */
  look(): Promise<void>;
  /** Resolves when the slots that are running have ended; no other begins. */
  stop(): Promise<void>;
}

/** A trigger that comes this late is still in time: beyond that, the slot was missed. */
const graceMs = 5 * 60_000;
/**
 * How often it is noted until when it was looked: looks come every few seconds, and one that finds nothing need not
 * write.
 */
const lookNotedMs = 60_000;

/**
 * What passes by itself, or when a person mends it: the slot is tried again. Everything else is for a person at once.
 */
const passing: ReadonlySet<ErrorCode> = new Set([
  'ACCOUNT_BUSY',
  // A key that is being replaced is refused for some minutes.
  'CREDENTIALS_REJECTED',
  'FENCED',
  // A share that is away, or a disk that is read-only for as long as it is checked.
  'FILE_UNREADABLE',
  'LEDGER_BUSY',
  'LEDGER_FULL',
  'LEDGER_IO',
  'SERVICE_UNREACHABLE',
]);
/**
 * How long after such trouble a slot is tried again, and how long it is tried before it is given up: a share or a
 * service is mostly back by then, and a person who is told later may be too late. Time in which nothing ran is not
 * counted: it was not tried then.
 */
const troubleRetryMs = 60_000;
const troubleMsMax = 3_600_000;

export function makeScheduler(deps: SchedulerDeps): Scheduler {
  const { clock, log } = deps;
  const running = new Map<string, Promise<void>>();
  /** Jobs whose last slot met with trouble that passes, and when they are tried again. */
  const restUntil = new Map<string, number>();
  /**
   * Since when (monotonic ms, less what earlier processes have tried it) a job's slot has met with nothing but such
   * trouble.
   */
  const troubles = new Map<string, { dueAt: number; since: number }>();
  const lasting = new Map(deps.jobs.map(({ name }) => [name, makeLastingTrouble(log, clock)]));
  let stopping = false;

  const troubledMs = ({ job, due_at }: SlotRecord, beforeMs: number): number => {
    const known = troubles.get(job);
    if (known?.dueAt === due_at) return clock.monotonic() - known.since;
    troubles.set(job, { dueAt: due_at, since: clock.monotonic() - beforeMs });
    return beforeMs;
  };

  /** One after the other for each job, and jobs beside each other. */
  const runOpen = async (job: Job): Promise<void> => {
    const slots = await openSlots(deps.db, job.name, clock.now());
    // Another process, or a person, may have ended the slot that was in trouble.
    if (slots.every(({ due_at }) => due_at !== troubles.get(job.name)?.dueAt)) troubles.delete(job.name);
    for (const slot of slots) {
      if (stopping) return;
      const beforeMs = await slotTroubledMs(deps.db, job.name, slot.due_at);
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
        // What falls due meanwhile is missed, as where nothing runs: a job of every minute would have sixty slots wait
        // by the end of an hour.
        if (!troubles.has(job.name)) await noteDueSlots(deps, job);
        if (running.has(job.name) || (restUntil.get(job.name) ?? 0) > clock.monotonic()) continue;
        const trouble = lasting.get(job.name);
        const work = runOpen(job)
          .then(trouble?.over, (error: unknown) =>
            trouble?.report('a job could not be run; it is tried again', { job: job.name, error: errorMessage(error) }),
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

/** Writes the slots that fell due since the last look into the ledger, and which of them are run. */
async function noteDueSlots({ db, clock, log }: SchedulerDeps, job: Job): Promise<void> {
  const now = clock.now();
  const { skipped, due } = await db.transact(async (tx) => {
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
        detail: 'missed while nothing could run it, and not caught up with',
        ended_at: now,
      } as const;
      await insertSlot(tx, { job: job.name, due_at: dueAt, ...(runs ? { state: 'due', detail: null } : skip) });
      if (!runs) skipped += 1;
    }
    if (due.length > 0 || now - after >= lookNotedMs) await noteLook(tx, job, now);
    return { skipped, due };
  });
  if (skipped > 0) log.warn('slots of a job were missed, and are not run', { job: job.name, slots: skipped });
  if (due.length === dueTimesMax)
    log.warn('more slots of a job were missed than are looked at; those before are not recorded', {
      job: job.name,
      looked_at: due.length,
    });
}

/**
 * Since when the job is known. What was due before is not caught up with: a machine that begins with a clock far
 * behind, and hears the time later, would pay for a month in which there was no such job.
 */
async function since(tx: Queryable, { name }: Job, now: number): Promise<number> {
  const known = await readFact(tx, knownName(name));
  if (known !== null) return Number(known);
  const first = (await lookedAt(tx, name)) ?? now;
  await writeFact(tx, knownName(name), String(first));
  return first;
}

/**
 * Until when it was looked what is due. It is the time of the look and not of the last slot: a schedule that was
 * changed begins with its next due time, and a slot that was run ahead of its time by hand holds back none of those
 * before it.
 */
async function lookedUntil(tx: Queryable, job: Job, now: number): Promise<number> {
  const looked = await lookedAt(tx, job.name);
  // A new job begins with its next due time: nobody expects it to pay for the past.
  if (looked === null) await noteLook(tx, job, now);
  const after = looked ?? now;
  if (after <= now) return after;
  // The clock was set back, or had been ahead. What is known of the time that comes again is in the ledger, and is not
  // run again.
  await forgetFutureSkips(tx, job.name, now);
  await noteLook(tx, job, now);
  return now;
}

/**
 * When it was last looked what is due of a job (epoch ms), or until when its slots were dropped since; null where it
 * is new.
 */
export async function lookedAt(db: Queryable, job: string): Promise<number | null> {
  const looked = await readFact(db, lookName(job));
  return looked === null ? null : Math.max(Number(looked), await droppedUntil(db, job));
}

function noteLook(tx: Queryable, { name }: Job, now: number): Promise<void> {
  return writeFact(tx, lookName(name), String(now));
}

function lookName(job: string): string {
  return `job_since:${job}`;
}

function knownName(job: string): string {
  return `job_known_since:${job}`;
}

function isRun({ schedule }: Job, { dueAt, now, isLast }: { dueAt: number; now: number; isLast: boolean }): boolean {
  if (schedule.catchUp === 'all') return true;
  return schedule.catchUp === 'last' ? isLast : now - dueAt <= graceMs;
}

/** What comes next for the job: its next slot, nothing until the next look, or nothing for a while. */
type Next = 'go on' | 'wait' | 'rest';

/** `troubledMs`: for how long the slot has met with nothing but trouble, this one included. */
async function runOne(deps: SchedulerDeps, job: Job, slot: SlotRecord, troubledMs: () => number): Promise<Next> {
  const { log, runSlot } = deps;
  const run = async (requireSlot: RequireSlot) => {
    const result = await runSlot(job, slot.due_at, requireSlot).catch(failedWith);
    return result.mayPass ? afterTrouble(result, troubledMs()) : result;
  };
  const result = await runClaimed(deps, slot, { run });
  if (result === null) return 'wait';
  const { outcome, detail } = result;
  const facts = { job: job.name, due_at: isoTime(slot.due_at), detail };
  if (outcome === 'done') log.info('a job has run', facts);
  else if (outcome === 'failed') log.warn('a job has failed', facts);
  // It is asked again every few seconds: the same answer is told once.
  else if (detail !== slot.detail) log.info('a job waits', facts);
  if (outcome !== 'wait') return 'go on';
  return result.troubledMs === undefined ? 'wait' : 'rest';
}

function failedWith(error: unknown): SlotOutcome {
  const mayPass = error instanceof AirbatchError && passing.has(error.code);
  return { outcome: 'failed', detail: errorMessage(error), mayPass };
}

function afterTrouble({ outcome, detail }: SlotOutcome, troubledMs: number): SlotOutcome {
  if (outcome === 'wait' || troubledMs < troubleMsMax) return { outcome: 'wait', detail, troubledMs };
  return { outcome: 'failed', detail: `${detail} (it was tried again for ${Math.floor(troubledMs / 60_000)} minutes)` };
}

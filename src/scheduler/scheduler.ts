import type { Clock } from '../core/clock.ts';
import { errorMessage } from '../core/errors.ts';
import type { EngineLog } from '../engine/context.ts';
import type { Database } from '../ledger/database.ts';
import { readFact, writeFact } from '../ledger/facts.ts';
import { claimSlot, endSlot, insertSlot, lastDueAt, openSlots, type SlotRecord } from '../ledger/slots.ts';
import type { Job } from './define-job.ts';
import { dueTimes } from './due-times.ts';

/** What came of a slot. `wait`: what it is to bring is not there yet; it is asked again at the next trigger. */
export interface SlotOutcome {
  outcome: 'done' | 'failed' | 'wait';
  detail: string;
}

export interface SchedulerDeps {
  db: Database;
  clock: Clock;
  log: EngineLog;
  jobs: readonly Job[];
  /** Names this process, uniquely over time. */
  holder: string;
  isDead: (holder: string) => boolean;
  /** Brings what the slot is to bring. It may be called again for the same slot after a crash: it must not bring it twice. */
  runSlot: (job: Job, dueAt: number) => Promise<SlotOutcome>;
}

export interface Scheduler {
  /** Looks what is due, and runs it. Called by every trigger, however often: the ledger decides what happens. */
  look(): Promise<void>;
  /** Resolves when the slots that are running have ended; no other begins. */
  stop(): Promise<void>;
}

/** A trigger that comes this late is still in time: beyond that, the slot was missed. */
const graceMs = 5 * 60_000;

export function makeScheduler(deps: SchedulerDeps): Scheduler {
  const running = new Map<string, Promise<void>>();
  let stopping = false;

  /** One after the other for each job, and jobs beside each other. */
  const runOpen = async (job: Job): Promise<void> => {
    for (const slot of await openSlots(deps.db, job.name)) {
      if (stopping || !(await runOne(deps, job, slot))) return;
    }
  };

  return {
    async look() {
      if (stopping) return;
      for (const job of deps.jobs) {
        await noteDueSlots(deps, job);
        if (running.has(job.name)) continue;
        const work = runOpen(job)
          .catch((error: unknown) =>
            deps.log.warn('a job could not be run; it is tried again', { job: job.name, message: errorMessage(error) }),
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
  const skipped = await db.transact(async (tx) => {
    const sinceName = `job_since:${job.name}`;
    const since = await readFact(tx, sinceName);
    // A new job begins with its next due time: nobody expects it to pay for the past.
    if (since === null) await writeFact(tx, sinceName, String(now));
    const after = Math.max(Number(since ?? now), (await lastDueAt(tx, job.name)) ?? 0);
    const due = dueTimes(job.schedule, after, now);
    const dropped: number[] = [];
    for (const [index, dueAt] of due.entries()) {
      const runs = isRun(job, { dueAt, now, isLast: index === due.length - 1 });
      const detail = runs ? null : 'missed while nothing ran, and not caught up with';
      const isNew = await insertSlot(tx, { job: job.name, due_at: dueAt, state: runs ? 'due' : 'skipped', detail });
      if (isNew && !runs) dropped.push(dueAt);
    }
    return dropped;
  });
  if (skipped.length > 0)
    log.warn('slots of a job were missed, and are not run', { job: job.name, slots: skipped.length });
}

function isRun({ schedule }: Job, { dueAt, now, isLast }: { dueAt: number; now: number; isLast: boolean }): boolean {
  if (schedule.catchUp === 'all') return true;
  return schedule.catchUp === 'last' ? isLast : now - dueAt <= graceMs;
}

/** Returns whether the next slot of the job may be run after this one. */
async function runOne(deps: SchedulerDeps, job: Job, { due_at: dueAt, holder: before }: SlotRecord): Promise<boolean> {
  const { db, clock, log, holder, isDead, runSlot } = deps;
  const deadHolder = before !== null && isDead(before) ? before : null;
  const claim = { job: job.name, dueAt, holder, now: clock.now(), deadHolder };
  if (!(await db.transact((tx) => claimSlot(tx, claim)))) return false;
  const result = await runSlot(job, dueAt).catch(
    (error: unknown): SlotOutcome => ({ outcome: 'failed', detail: errorMessage(error) }),
  );
  const state = result.outcome === 'wait' ? 'due' : result.outcome;
  const end = { job: job.name, dueAt, holder, now: clock.now(), state, detail: result.detail } as const;
  await db.transact((tx) => endSlot(tx, end));
  if (state === 'failed') log.warn('a job has failed', { job: job.name, detail: result.detail });
  else log.info('a job has run', { job: job.name, outcome: result.outcome, detail: result.detail });
  return state !== 'due';
}

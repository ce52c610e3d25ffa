import type { Queryable } from '../ledger/drivers/database.ts';
import { findSlot } from '../ledger/jobs/slots.ts';
import type { Job } from '../runtime/jobs/define-job.ts';
import { lastDueTime } from '../runtime/jobs/due-times.ts';
import { lookedAt } from './scheduler.ts';

/** The slot that a person means who runs a job without naming one. */
export interface SlotByHand {
  dueAt: number;
  /**
   * `missed`: the last due time, at which nothing ran; `failed`: at which it failed; `due`: which has its turn now;
   * `extra`: of this very minute, since the last due time has run; `new`: the same, since none has come since the job
   * is known.
   */
  why: 'missed' | 'failed' | 'due' | 'extra' | 'new';
  /** The last due time, where it has run. */
  lastDueAt: number | null;
}

const minuteMs = 60_000;

/**
 * The last due time where it has not brought what it was to bring; otherwise this minute. What was due before the job
 * was known is nobody's: a new job that is run by hand in November must not pay under the run id of October.
 */
export async function slotByHand(db: Queryable, { name, schedule }: Job, now: number): Promise<SlotByHand> {
  const dueAt = lastDueTime(schedule, now);
  const thisMinute = Math.floor(now / minuteMs) * minuteMs;
  if (dueAt === null) return { dueAt: thisMinute, why: 'new', lastDueAt: null };
  const slot = await findSlot(db, name, dueAt);
  switch (slot?.state) {
    case 'done':
      return { dueAt: thisMinute, why: 'extra', lastDueAt: dueAt };
    case 'failed':
      return { dueAt, why: 'failed', lastDueAt: null };
    case 'skipped':
      return { dueAt, why: 'missed', lastDueAt: null };
    case 'due':
    case 'running':
      return { dueAt, why: 'due', lastDueAt: null };
    case undefined: {
      const looked = await lookedAt(db, name);
      const isMissed = looked !== null && looked < dueAt;
      return isMissed ? { dueAt, why: 'missed', lastDueAt: null } : { dueAt: thisMinute, why: 'new', lastDueAt: null };
    }
  }
}

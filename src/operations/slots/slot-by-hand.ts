import type { Queryable } from '../../ledger/drivers/database.ts';
import { findSlot, lookedAt } from '../../ledger/jobs/slots.ts';
import type { Job } from '../../runtime/jobs/define-job.ts';
import { lastDueTime } from '../../runtime/jobs/due-times.ts';

/** The slot that a person means if they run a job without naming one. */
export interface SlotByHand {
  dueAt: number;
  /**
   * `missed`: the last due time, at which no program ran. `failed`: the last due time, whose slot failed. `due`: the
   * slot whose turn it is now. `extra`: a slot of this minute, because the last due time has run. `new`: the same,
   * because the job has not been due since it is known.
   */
  why: 'missed' | 'failed' | 'due' | 'extra' | 'new';
  /** The last due time, if its slot has run. */
  lastDueAt: number | null;
}

const minuteMs = 60_000;

/**
 * The last due time if its slot is not done; otherwise this minute. Due times from before the job was known do not
 * count: a new job that is run by hand in November must not pay under the run id of October.
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

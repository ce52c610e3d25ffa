import { dayMs } from '../../core/time/clock.ts';
import type { Job } from './define-job.ts';
import { makeWallTime } from './wall-time.ts';

const [hourMs, minuteMs] = [3_600_000, 60_000];

/**
 * When the batches of a slot (epoch ms) must be done: the first moment after the slot at which the clock in the job's
 * time zone shows its `finishBy`. Null if the job has none. If daylight saving skips that reading, the moment right
 * after the gap.
 */
export function finishByOfSlot(
  { finishBy, schedule }: Pick<Job, 'finishBy' | 'schedule'>,
  dueAt: number,
): number | null {
  if (finishBy === null) return null;
  const { wallAt, firstAt } = makeWallTime(schedule.timeZone);
  const [hour = 0, minute = 0] = finishBy.split(':').map(Number);
  const wall = wallAt(dueAt);
  const midnight = wall - (((wall % dayMs) + dayMs) % dayMs);
  const today = firstAt(midnight + hour * hourMs + minute * minuteMs);
  return today > dueAt ? today : firstAt(midnight + dayMs + hour * hourMs + minute * minuteMs);
}

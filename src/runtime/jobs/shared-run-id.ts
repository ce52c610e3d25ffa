import { dayMs } from '../../core/time/clock.ts';
import { isPaying, type Job } from './define-job.ts';
import { nextDueTimes } from './due-times.ts';
import { runIdOfSlot } from './run-id.ts';
import { wallText } from './wall-time.ts';

/** The most slots that are checked at once: a month of a job that is due every hour, which takes about 50 ms. */
const slotsMax = 750;
/**
 * A run id without a year repeats after one year. The search starts a day earlier, so that leap years do not matter.
 */
const yearMs = 364 * dayMs;

/**
 * Says which slots after a moment (epoch ms) would have the same run id; null if each has its own. Rows that the first
 * of these slots has paid would be skipped by the second as already paid.
 */
export function sharedRunIdText(job: Job, afterMs: number): string | null {
  if (!isPaying(job)) return null;
  const { name, schedule, runId } = job;
  const seen = new Map<string, number>();
  for (const from of runId.includes('yyyy') ? [afterMs] : [afterMs, afterMs + yearMs])
    for (const dueAt of nextDueTimes(schedule, from, slotsMax)) {
      const id = runIdOfSlot(runId, name, dueAt, schedule.timeZone);
      const first = seen.get(id);
      if (first !== undefined && first < dueAt) {
        const [one, other] = [first, dueAt].map((at) => wallText(at, schedule.timeZone).replace('T', ' '));
        return `the slots of ${one} and ${other} have the same run id, "${id}": the second does not pay anybody whom the first has paid`;
      }
      seen.set(id, dueAt);
    }
  return null;
}

/** How to correct it. */
export const sharedRunIdHint =
  'Write more of the time into "runId", such as "{job}-{slot:yyyy-MM-dd}" or "{job}-{slot:yyyy-MM-dd-HHmm}", unless that is meant.';

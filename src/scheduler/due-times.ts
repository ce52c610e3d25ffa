import { Cron } from 'croner';
import type { Job } from './define-job.ts';

/** Due times that are looked at in one go: a job of every minute that stood still for a week. */
export const dueTimesMax = 10_080;

/**
 * The due times (epoch ms) of a schedule after one moment and up to another, in its own time zone. A time that daylight saving skips
 * is due right after the gap; one that comes twice is due the first time. Where there are more than `dueTimesMax`, the last of them.
 */
export function dueTimes({ cron, timeZone }: Job['schedule'], afterMs: number, untilMs: number): number[] {
  const schedule = new Cron(cron, { timezone: timeZone, paused: true });
  const times: number[] = [];
  for (let next = schedule.nextRun(new Date(afterMs)); next && next.getTime() <= untilMs; ) {
    times.push(next.getTime());
    if (times.length > dueTimesMax) times.shift();
    next = schedule.nextRun(next);
  }
  return times;
}

/** The next due time after a moment, or null where there is none any more. */
export function nextDueTime({ cron, timeZone }: Job['schedule'], afterMs: number): number | null {
  return new Cron(cron, { timezone: timeZone, paused: true }).nextRun(new Date(afterMs))?.getTime() ?? null;
}

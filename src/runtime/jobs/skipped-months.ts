import type { Job } from './define-job.ts';
import { nextDueTimes } from './due-times.ts';
import { wallText } from './wall-time.ts';

/** A year of a job that is due once a month. */
const slotsMax = 13;

/**
 * Says which months after a moment (epoch ms) a monthly job skips because they do not have its day; null if it skips
 * none. The 31st occurs seven times a year.
 */
export function skippedMonthText({ schedule }: Pick<Job, 'schedule'>, afterMs: number): string | null {
  const [, , , month, weekday] = schedule.cron.trim().split(/\s+/);
  if (month !== '*' || weekday !== '*') return null;
  const dueMonths = nextDueTimes(schedule, afterMs, slotsMax).map((at) => monthOf(wallText(at, schedule.timeZone)));
  const skipped: string[] = [];
  for (const [index, due] of dueMonths.entries())
    for (let missing = (dueMonths[index - 1] ?? due) + 1; missing < due; missing++) skipped.push(monthText(missing));
  return skipped.length === 0 ? null : `it is not due in ${skipped.join(', ')}, since there is no such day`;
}

/** How to correct it. */
export const skippedMonthHint = 'Write "L" for the last day of each month, as in "0 9 L * *", unless that is meant.';

/** The month of a reading such as "2026-11-25T09:00", counted from year 0. */
function monthOf(wall: string): number {
  return Number(wall.slice(0, 4)) * 12 + Number(wall.slice(5, 7)) - 1;
}

function monthText(month: number): string {
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
}

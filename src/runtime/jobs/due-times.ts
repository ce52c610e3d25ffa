import { Cron } from 'croner';
import { makeWallTime } from './wall-time.ts';

/** When a job is due. */
export interface Schedule {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  cron: string;
  /** An IANA name such as "Africa/Nairobi". */
  timeZone: string;
}

/** The most due times that are computed at once: a week of a job that is due every minute. */
export const dueTimesMax = 10_080;

/** Comparing the readings of a zone's clock over this time shows whether it was set back shortly before a moment. */
const recentMs = 24 * 3_600_000;

/**
 * The due times (epoch ms) of a schedule after one moment and up to another, in order. A time that daylight saving
 * skips is due right after the gap, together with the others in the gap. A time that occurs twice is due the first
 * time. If there are more than `dueTimesMax`, the last of them. croner reads the expression on a clock without daylight
 * saving, and this function turns its readings into moments. croner's own handling, like that of other libraries, loses
 * all but the first of several times in a gap.
 */
export function dueTimes(schedule: Schedule, afterMs: number, untilMs: number): number[] {
  const times: number[] = [];
  for (const time of dueTimesBack(schedule, untilMs)) {
    if (time <= afterMs || times.length === dueTimesMax) break;
    times.push(time);
  }
  return times.reverse();
}

/** The last due time up to a moment, or null if there is none. */
export function lastDueTime(schedule: Schedule, untilMs: number): number | null {
  for (const time of dueTimesBack(schedule, untilMs)) return time;
  return null;
}

/** The due times after a moment, at most `count`. */
export function nextDueTimes({ cron, timeZone }: Schedule, afterMs: number, count: number): number[] {
  const { wallAt, firstAt } = makeWallTime(timeZone);
  const calendar = calendarOf(cron);
  const times: number[] = [];
  let wall = calendar.nextRun(new Date(wallAt(afterMs)));
  while (wall !== null && times.length < count) {
    const time = firstAt(wall.getTime());
    if (time > (times.at(-1) ?? afterMs)) times.push(time);
    wall = calendar.nextRun(wall);
  }
  return times;
}

/** Whether a schedule is ever due: "0 9 31 2 *" never is. */
export function isEverDue(cron: string): boolean {
  return calendarOf(cron).nextRun(new Date(0)) !== null;
}

/** The due times up to a moment, from the last to the first, each once. */
function* dueTimesBack({ cron, timeZone }: Schedule, untilMs: number): Generator<number> {
  const { wallAt, firstAt } = makeWallTime(timeZone);
  const calendar = calendarOf(cron);
  // While an hour occurs for the second time, the clock has already shown later readings than now.
  const latest = Math.max(wallAt(untilMs), wallAt(untilMs - recentMs) + recentMs);
  let before = Number.POSITIVE_INFINITY;
  // The next millisecond, because croner searches for times before it.
  let [wall] = calendar.previousRuns(1, new Date(latest + 1_000));
  while (wall) {
    const time = firstAt(wall.getTime());
    if (time <= untilMs && time < before) {
      before = time;
      yield time;
    }
    [wall] = calendar.previousRuns(1, wall);
  }
}

function calendarOf(cron: string): Cron {
  return new Cron(cron, { timezone: 'UTC', paused: true });
}

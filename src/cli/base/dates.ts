import { AirbatchError } from '../../core/basics/errors.ts';
import { wallText } from '../../runtime/jobs/wall-time.ts';

/** Whether the text is a day without a time. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text);
}

/** Whether the text is a time with its day and its time zone. */
function isMoment(text: string): boolean {
  return /T.*(Z|[+-]\d{2}:\d{2})$/.test(text);
}

/** The time (epoch ms) that an option gives. A day means its midnight in UTC. */
export function timeOf(option: string, text: string): number {
  const ms = isDay(text) || isMoment(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw new AirbatchError('USAGE', `${option} "${text}" is not a date`, {
      hint: 'Write a day (2026-11-20, in UTC) or a time with its zone (2026-11-20T09:30:00+03:00).',
    });
  return ms;
}

/**
 * The moment (epoch ms) that an option gives. A day is refused: its midnight in UTC falls on another day for people
 * further west.
 */
export function momentOf(option: string, text: string): number {
  const ms = isMoment(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  const what = isDay(text) ? 'is a day, not a time' : 'is not a time with its day and zone';
  throw new AirbatchError('USAGE', `${option} "${text}" ${what}`, {
    hint: 'Write the time with its zone (2026-11-20T09:30:00+03:00).',
  });
}

/** A time (epoch ms) as people in a time zone write it: "Wed 2026-11-25 09:00". */
export function localTime(at: number, timeZone: string): string {
  const weekday = new Intl.DateTimeFormat('en', { timeZone, weekday: 'short' }).format(at);
  return `${weekday} ${wallText(at, timeZone).replace('T', ' ')}`;
}

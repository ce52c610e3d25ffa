import { AirbatchError } from '../../core/basics/errors.ts';
import { isoTime } from '../../core/time/clock.ts';
import { timeText } from '../../reports/sentences/format.ts';

/** Refuses a time (epoch ms) in the past. `name` is the door's name for the field. */
export function requireComing(name: string, text: string, at: number, now: number): void {
  if (at > now) return;
  throw new AirbatchError('USAGE', `${name} "${text}" is past: it is ${timeText(isoTime(now))}`, {
    hint: 'Write a time that is still to come, with its zone (2026-11-20T17:00:00+03:00).',
  });
}

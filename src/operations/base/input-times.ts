import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { isoTime } from '../../core/time/clock.ts';
import { timeText } from '../../reports/sentences/format.ts';

/** A time of the input in epoch ms; null if it is left out. Throws `USAGE` if it is past. `name`: the door's name. */
export function comingTime(name: string, text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const at = Date.parse(text);
  if (at > now) return at;
  throw new AirbatchError('USAGE', `${name} "${text}" is past: it is ${timeText(isoTime(now))}`, {
    reason: refusal('TIME_PAST', {}),
    hint: 'Write a time that is still to come, with its zone (2026-11-20T17:00:00+03:00).',
  });
}

/**
 * A period of the input in epoch ms, both ends included: from the beginning if `from` is left out, until `now` if `to`
 * is. Throws `USAGE` if it ends before it begins. `nameOf`: the door's names for the fields.
 */
export function spanOf(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  now: number,
  nameOf: (field: string) => string,
): { fromMs: number; toMs: number } {
  const span = { fromMs: from === undefined ? 0 : Date.parse(from), toMs: to === undefined ? now : Date.parse(to) };
  if (from === undefined || span.toMs >= span.fromMs) return span;
  if (to === undefined)
    throw new AirbatchError('USAGE', `${nameOf('from')} ${dayText(from)} is still to come`, {
      reason: refusal('DAY_TO_COME', {}),
      hint: 'Name a day that has begun.',
    });
  throw new AirbatchError('USAGE', `${nameOf('to')} ${dayText(to)} is before ${nameOf('from')} ${dayText(from)}`, {
    reason: refusal('TIMES_BACKWARDS', {}),
    hint: `Name the earlier one with ${nameOf('from')}.`,
  });
}

/** The first or last moment of a day is shown as the day. */
function dayText(iso: string): string {
  return iso.replace(/T(00:00:00\.000|23:59:59\.999)Z$/, '');
}

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
  if (span.toMs < span.fromMs)
    throw new AirbatchError('USAGE', `${nameOf('to')} is before ${nameOf('from')}`, {
      reason: refusal('TIMES_BACKWARDS', {}),
    });
  return span;
}

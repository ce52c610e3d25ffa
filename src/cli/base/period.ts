import { dayMs, isoTime } from '../../core/time/clock.ts';
import { isDay, timeOf } from './dates.ts';

/** The times of `--from` and `--to` in ISO 8601. A day as the end of a period includes that whole day. */
export function periodOf({ from, to }: { from?: string | undefined; to?: string | undefined }) {
  return {
    from: from === undefined ? undefined : isoTime(timeOf('--from', from)),
    to: to === undefined ? undefined : isoTime(timeOf('--to', to) + (isDay(to) ? dayMs - 1 : 0)),
  };
}

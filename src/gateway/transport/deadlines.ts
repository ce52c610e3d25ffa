import { makeAlarm } from '../../core/time/alarm.ts';
import type { Clock } from '../../core/time/clock.ts';

/**
 * Puts the deadlines of many requests on one timer. A timer for each request, and its cancellation, would cost more
 * than parsing its JSON.
 */
export interface Deadlines {
  /** Calls `onPast` once, `ms` milliseconds from now, unless the returned function is called before. */
  set(ms: number, onPast: () => void): () => void;
}

interface Deadline {
  /** Monotonic ms. */
  at: number;
  onPast: () => void;
}

export function makeDeadlines(clock: Pick<Clock, 'monotonic' | 'sleep'>): Deadlines {
  const open = new Set<Deadline>();
  let watched = Infinity;
  const alarm = makeAlarm(clock);

  /** Sleeps until the earliest deadline. A cancelled deadline wakes nobody, unless it was the last one. */
  const watch = (): void => {
    watched = Infinity;
    for (const { at } of open) watched = Math.min(watched, at);
    if (watched === Infinity) alarm.clear();
    else alarm.set(Math.max(0, watched - clock.monotonic()), () => endPast(watched));
  };

  /** The deadline that the timer was set for has passed, even if the timer rang a little early. */
  const endPast = (rangFor: number): void => {
    const now = Math.max(rangFor, clock.monotonic());
    for (const deadline of open) {
      if (deadline.at > now) continue;
      open.delete(deadline);
      deadline.onPast();
    }
    watch();
  };

  return {
    set(ms, onPast) {
      const deadline = { at: clock.monotonic() + ms, onPast };
      open.add(deadline);
      if (deadline.at < watched) watch();
      return () => {
        // A needless timer would keep the process alive.
        if (open.delete(deadline) && open.size === 0) watch();
      };
    },
  };
}

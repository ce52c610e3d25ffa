import { makeAlarm } from '../../core/time/alarm.ts';
import type { Clock } from '../../core/time/clock.ts';

/**
 * The deadlines of many requests on one timer: a timer and its cancellation for each would cost more than the
 * request's JSON.
 */
export interface Deadlines {
  /** Calls `onPast` once, `ms` milliseconds from now, unless the function that comes back is called before. */
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

  /** Sleeps until the earliest deadline. Those that are met meanwhile wake nobody, unless none is left to wait for. */
  const watch = (): void => {
    watched = Infinity;
    for (const { at } of open) watched = Math.min(watched, at);
    if (watched === Infinity) alarm.clear();
    else alarm.set(Math.max(0, watched - clock.monotonic()), () => endPast(watched));
  };

  /** What was slept for is past, even where a timer rang a little early. */
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
        // A timer that nobody waits for would keep the process alive.
        if (open.delete(deadline) && open.size === 0) watch();
      };
    },
  };
}

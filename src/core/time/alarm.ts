import type { Clock } from './clock.ts';

/** One alarm: setting it again replaces the earlier time. */
export interface Alarm {
  /** Calls `onRing` after `ms` milliseconds, unless it is set anew or cleared before. */
  set(ms: number, onRing: () => void): void;
  clear(): void;
}

export function makeAlarm(clock: Pick<Clock, 'sleep'>): Alarm {
  let sleeping: AbortController | null = null;
  const clear = () => {
    // With its default reason, abort would create an error with a stack that nobody reads.
    sleeping?.abort('superseded');
    sleeping = null;
  };
  return {
    set(ms, onRing) {
      clear();
      const mine = new AbortController();
      sleeping = mine;
      void clock.sleep(ms, mine.signal).then(() => {
        if (!mine.signal.aborted) onRing();
      });
    },
    clear,
  };
}

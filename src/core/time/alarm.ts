import type { Clock } from './clock.ts';

/** One sleep at a time: a newer one takes the place of the one before. */
export interface Alarm {
  /** Calls `onRing` after `ms` milliseconds, unless it is set anew or cleared before. */
  set(ms: number, onRing: () => void): void;
  clear(): void;
}

export function makeAlarm(clock: Pick<Clock, 'sleep'>): Alarm {
  let sleeping: AbortController | null = null;
  const clear = () => {
    // A reason of its own: the default is an error with a stack, made for nobody.
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

import type { Clock } from '../../core/time/clock.ts';

/** Lets a loop sleep until an event. If nobody waits, a `wake` is kept for the next wait. */
export interface Wake {
  wake(): void;
  /** Resolves on `wake`, or after `ms` milliseconds. */
  wait(ms: number): Promise<void>;
}

const woken = 'woken';

export function makeWake(clock: Clock): Wake {
  let pending = false;
  let sleeping: AbortController | null = null;
  return {
    wake() {
      pending = true;
      // The default reason is an error with a stack trace, which nobody reads.
      sleeping?.abort(woken);
    },
    async wait(ms) {
      if (!pending) {
        sleeping = new AbortController();
        await clock.sleep(ms, sleeping.signal);
        sleeping = null;
      }
      pending = false;
    },
  };
}

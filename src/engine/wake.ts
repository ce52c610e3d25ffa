import type { Clock } from '../core/clock.ts';

/** Lets loops sleep until something happens. A `wake` that nobody waits for yet is kept for the next who does. */
export interface Wake {
  wake(): void;
  /** Resolves on `wake`, or after `ms` at the latest. */
  wait(ms: number): Promise<void>;
}

const woken = 'woken';

export function makeWake(clock: Clock): Wake {
  let pending = false;
  let sleeping: AbortController | null = null;
  return {
    wake() {
      pending = true;
      // A reason of its own: the default is an error with a stack, made for nobody.
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

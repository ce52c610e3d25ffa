import type { Clock } from '../../core/time/clock.ts';

/** Lets a loop sleep until an event. A `wake` without a waiting loop is kept for the next wait. */
export interface Wake {
  wake(): void;
  /** Resolves on `wake`, or after `ms` milliseconds; with `Infinity` on `wake` alone. */
  wait(ms: number): Promise<void>;
}

const woken = 'woken';

export function makeWake(clock: Clock): Wake {
  let pending = false;
  let end: (() => void) | null = null;
  const sleepUntilWoken = (ms: number) => {
    if (ms === Number.POSITIVE_INFINITY) return new Promise<void>((resolve) => (end = resolve));
    const sleeping = new AbortController();
    // The default abort reason is an error with a stack trace, which nobody reads.
    end = () => sleeping.abort(woken);
    return clock.sleep(ms, sleeping.signal);
  };
  return {
    wake() {
      pending = true;
      end?.();
    },
    async wait(ms) {
      if (!pending) await sleepUntilWoken(ms);
      end = null;
      pending = false;
    },
  };
}

/** The wake-ups of each loop of a runner. All loops are woken when the runner stops. */
export interface Wakes {
  /** There may be something to send. */
  dispatch: Wake;
  /** A row became in doubt. */
  doubt: Wake;
  /** Rows were accepted, or a webhook asks for a lookup. */
  track: Wake;
  webhook: Wake;
  /** A durable change happened, so a batch may be finished. */
  supervise: Wake;
  /** What is known of the account's pace may have changed. */
  throughput: Wake;
  /** The account's money ran out. */
  funds: Wake;
  reread: Wake;
}

export function makeWakes(clock: Clock): Wakes {
  const make = () => makeWake(clock);
  return {
    dispatch: make(),
    doubt: make(),
    track: make(),
    webhook: make(),
    supervise: make(),
    throughput: make(),
    funds: make(),
    reread: make(),
  };
}

/** Wakes every loop: the runner stops, or its batches are others than before. */
export function wakeAll(wakes: Wakes): void {
  for (const wake of Object.values(wakes) as Wake[]) wake.wake();
}

import type { Clock } from '../../core/time/clock.ts';

/** Lets a loop sleep until an event. A `wake` without a waiting loop is kept for the next wait. */
export interface Wake {
  wake(): void;
  /**
   * For events that the loop may process together: wakes it at the latest `withinMs` after the first one, and earlier
   * after `callsMax` of them.
   */
  wakeSoon(withinMs: number, callsMax: number): void;
  /** Resolves on `wake`, or after `ms` milliseconds; with `Infinity` on `wake` alone. */
  wait(ms: number): Promise<void>;
}

const woken = 'woken';

export function makeWake(clock: Clock): Wake {
  let pending = false;
  let calls = 0;
  /** Until when at the latest a wait lasts (monotonic ms). */
  let latest = Number.POSITIVE_INFINITY;
  let end: (() => void) | null = null;
  const sleepUntilWoken = (ms: number) => {
    if (ms === Number.POSITIVE_INFINITY) return new Promise<void>((resolve) => (end = resolve));
    const sleeping = new AbortController();
    // The default abort reason is an error with a stack trace, which nobody reads.
    end = () => sleeping.abort(woken);
    return clock.sleep(ms, sleeping.signal);
  };
  const wake = () => {
    pending = true;
    end?.();
  };
  return {
    wake,
    wakeSoon(withinMs, callsMax) {
      calls += 1;
      if (calls >= callsMax) return wake();
      const at = clock.monotonic() + withinMs;
      if (at >= latest) return;
      latest = at;
      end?.();
    },
    async wait(ms) {
      latest = Math.min(latest, clock.monotonic() + ms);
      for (let left = ms; !pending && left > 0; left = latest - clock.monotonic())
        await sleepUntilWoken(Math.min(left, latest - clock.monotonic()));
      end = null;
      pending = false;
      calls = 0;
      latest = Number.POSITIVE_INFINITY;
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

import type { Clock } from '../../core/time/clock.ts';

/** Lets a loop sleep until an event. A `wake` without a waiting loop is kept for the next wait. */
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
      // The default abort reason is an error with a stack trace, which nobody reads.
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
  renew: Wake;
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
    renew: make(),
    funds: make(),
    reread: make(),
  };
}

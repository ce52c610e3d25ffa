import type { Clock } from './clock.ts';

/** Work that is done again and again. `stop` resolves once it is not being done any more. */
export interface Kept {
  stop(): Promise<void>;
}

/** Does the work again and again, `everyMs` after it has ended. The work handles its own errors. */
export function keepDoing(clock: Pick<Clock, 'sleep'>, everyMs: number, work: () => Promise<void>): Kept {
  const stopping = new AbortController();
  const keep = async () => {
    while (!stopping.signal.aborted) {
      await work();
      await clock.sleep(everyMs, stopping.signal);
    }
  };
  const kept = keep();
  return {
    async stop() {
      stopping.abort();
      await kept;
    },
  };
}

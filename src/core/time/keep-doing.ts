import type { Clock } from './clock.ts';

/** Work that is done again and again. `stop` resolves once it is not being done any more. */
export interface Kept {
  stop(): Promise<void>;
}

/**
 * Does the work again and again, `everyMs` after it has ended. The work handles its own errors. `stopping` is aborted
 * once it is to end.
 */
export function keepDoing(
  clock: Pick<Clock, 'sleep'>,
  everyMs: number,
  work: (stopping: AbortSignal) => Promise<void>,
): Kept {
  const stopping = new AbortController();
  const keep = async () => {
    while (!stopping.signal.aborted) {
      await work(stopping.signal);
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

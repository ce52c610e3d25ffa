import { interruptedExitCode } from '../../operations/base/exit-codes.ts';

/** The signals that ask a process to end. */
export interface Interrupt {
  happened(): boolean;
  dispose(): void;
}

/** A closed terminal (SIGHUP) has the same effect as Ctrl-C: requests in flight end, and so do the programs of jobs. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `stop` at the first signal; the second ends the process at once. */
export function onInterrupt(stop: () => void): Interrupt {
  let times = 0;
  const handler = () => {
    times += 1;
    if (times > 1) process.exit(interruptedExitCode);
    stop();
  };
  for (const signal of signals) process.on(signal, handler);
  return {
    happened: () => times > 0,
    dispose() {
      for (const signal of signals) process.off(signal, handler);
    },
  };
}

/**
 * Does work that the first Ctrl-C stops; the second ends the process. Returns null if the work was stopped before it
 * had a result.
 */
export async function untilStopped<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result | null> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const interrupt = onInterrupt(() => stopping.abort());
  try {
    return await work(signal);
  } catch (error) {
    if (signal.aborted && error === signal.reason) return null;
    throw error;
  } finally {
    interrupt.dispose();
  }
}

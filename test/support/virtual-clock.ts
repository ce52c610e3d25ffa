import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../src/core/time/clock.ts';
import { quietTurn } from './ledger-work.ts';

/** A clock that stands still until everything that can run has run, and then jumps to the next sleeper. */
export interface VirtualClock extends Clock {
  /** Runs `work` to its end, jumping from sleeper to sleeper. Rejects when nothing is left that could ever wake it. */
  drive<Result>(work: Promise<Result>): Promise<Result>;
  /** While `work` is pending the clock stands still: for what is asynchronous without sleeping. */
  during<Result>(work: Promise<Result>): Promise<Result>;
  /** Moves wall time alone, as a set clock does; monotonic time does not see it. */
  setWall(ms: number): void;
}

/** Some virtual days of everything have well under this many; what has more goes round in circles. */
const usualJumpsMax = 200_000;

interface Sleeper {
  at: number;
  order: number;
  wake: () => void;
}

export function makeVirtualClock(startMs = Date.UTC(2026, 10, 20, 9), jumpsMax = usualJumpsMax): VirtualClock {
  let monotonic = 0;
  let wallOffset = startMs;
  let order = 0;
  let pending = 0;
  const sleepers = new Set<Sleeper>();

  const during = async <Result>(work: Promise<Result>): Promise<Result> => {
    pending += 1;
    try {
      return await work;
    } finally {
      pending -= 1;
    }
  };

  const jump = (): boolean => {
    let first: Sleeper | null = null;
    for (const sleeper of sleepers) {
      if (!first || sleeper.at < first.at || (sleeper.at === first.at && sleeper.order < first.order)) first = sleeper;
    }
    if (!first) return false;
    monotonic = Math.max(monotonic, first.at);
    first.wake();
    return true;
  };

  return {
    now: () => Math.floor(wallOffset + monotonic),
    monotonic: () => monotonic,
    uptime: () => monotonic,
    turn: () => during(nextTurn()),
    during,
    setWall(ms) {
      wallOffset = ms - monotonic;
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const wake = () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        order += 1;
        const sleeper = { at: monotonic + Math.max(0, ms), order, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', wake, { once: true });
      }),
    async drive(work) {
      let done = false;
      const end = () => {
        done = true;
      };
      work.then(end, end);
      for (let jumps = 0; !done; ) {
        if (!(await quietTurn()) || done || pending > 0) continue;
        jumps += 1;
        if (jumps > jumpsMax) throw new Error('the work does not come to rest');
        if (!jump()) throw new Error('nothing is left that could wake the work');
      }
      return work;
    },
  };
}

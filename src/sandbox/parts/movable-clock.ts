import type { SandboxClock } from './clock.ts';

/** A clock that `POST /_sandbox/clock` can set forward: timers that are due by the new time are run. */
export interface MovableClock extends SandboxClock {
  advance(ms: number): void;
  /** How far it has been set forward in all (milliseconds). */
  advancedMs(): number;
  /** Returns to the time of the base clock. */
  reset(): void;
}

interface Waiting {
  at: number;
  run: () => void;
  cancel: () => void;
}

/** `advancedMs`: how far it was set forward before a restart. */
export function makeMovableClock(base: SandboxClock, advancedMs: number): MovableClock {
  let offset = advancedMs;
  const waiting = new Set<Waiting>();
  const now = () => base.now() + offset;

  function arm(timer: Waiting): void {
    timer.cancel();
    timer.cancel = base.after(Math.max(0, timer.at - now()), () => {
      waiting.delete(timer);
      timer.run();
    });
  }

  return {
    now,
    after(ms, run) {
      const timer: Waiting = { at: now() + Math.max(0, ms), run, cancel: () => undefined };
      waiting.add(timer);
      arm(timer);
      return () => {
        waiting.delete(timer);
        timer.cancel();
      };
    },
    advance(ms) {
      offset += ms;
      for (const timer of waiting) arm(timer);
    },
    advancedMs: () => offset,
    reset() {
      // Timers keep the time that they still have to wait.
      for (const timer of waiting) timer.at -= offset;
      offset = 0;
    },
  };
}

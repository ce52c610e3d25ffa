/** The sandbox's only source of time: everything that reads the time or waits takes one, so that tests can move it. */
export interface SandboxClock {
  /** Wall time in epoch milliseconds. */
  now(): number;
  /** Runs `run` once, `ms` milliseconds from now. The returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

/**
 * Node's timers hold 31 bits of milliseconds, and longer ones fire at once. A longer wait checks again after this time.
 */
const timerMsMax = 2 ** 31 - 1;

/** The machine's own clock. */
export const systemSandboxClock: SandboxClock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), timerMsMax));
    return () => clearTimeout(timer);
  },
};

export interface ManualClock extends SandboxClock {
  /** Advances the clock by `ms`, running each due timer at its own time, and waits for the work that they started. */
  advance(ms: number): Promise<void>;
  /** How many timers are waiting. */
  readonly waiting: number;
}

/** A clock that stands still until a test moves it. */
export function makeManualClock(startMs = Date.UTC(2026, 10, 20, 9)): ManualClock {
  let now = startMs;
  let timers: { at: number; run: () => void }[] = [];
  const nextDue = (until: number) =>
    timers
      .filter(({ at }) => at <= until)
      .reduce<(typeof timers)[number] | null>((first, timer) => {
        return first === null || timer.at < first.at ? timer : first;
      }, null);
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + Math.max(ms, 0), run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    async advance(ms) {
      const until = now + ms;
      for (let due = nextDue(until); due !== null; due = nextDue(until)) {
        const timer = due;
        timers = timers.filter((other) => other !== timer);
        now = Math.max(now, timer.at);
        timer.run();
        await new Promise((resolve) => setImmediate(resolve));
      }
      now = until;
    },
    get waiting() {
      return timers.length;
    },
  };
}

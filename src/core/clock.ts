import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The one source of time. Everything that waits or asks for the time takes a `Clock`, so that the whole engine runs on a
 * virtual one in the simulation.
 */
export interface Clock {
  /** Wall time in epoch milliseconds. It may step back or far forward: never prove anything by it alone. */
  now(): number;
  /** Milliseconds that only ever grow, from an arbitrary start: how long something took. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds, or at once when `signal` is aborted; it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when everything that is ready now has been handled: so that what comes together is written together. */
  turn(): Promise<void>;
}

/** Timers hold 31 bits of milliseconds and fire at once beyond that, so longer waits are cut into pieces. */
const timerMsMax = 2 ** 31 - 1;

/** Not that of `node:timers/promises`: an abort would cost an error with a stack, and loops are woken thousands of times a second. */
function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    const end = performance.now() + ms;
    for (let left = ms; left > 0 && !signal?.aborted; left = end - performance.now()) {
      await wait(Math.min(left, timerMsMax), signal);
    }
  },
  turn: () => nextTurn(),
};

/**
 * `clock` made steady: it never steps back, not even behind `highestSeen` of an earlier process, and goes on by monotonic
 * time where the wall clock is behind. Ages of keys are counted on it, so that no clock set back makes an old key young.
 */
export function steadyClock(clock: Clock, highestSeen: number): Clock {
  let last = Math.max(clock.now(), highestSeen);
  let lastMonotonic = clock.monotonic();
  return {
    ...clock,
    now: () => {
      const monotonic = clock.monotonic();
      last = Math.max(clock.now(), last + (monotonic - lastMonotonic));
      lastMonotonic = monotonic;
      return Math.floor(last);
    },
  };
}

const dayMs = 86_400_000;
/** "00" to "99". */
const twoDigits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

let lastDay = Number.NaN;
let lastDayText = '';

/**
 * An ISO 8601 UTC time-stamp with milliseconds, as every report and log line of ours writes times. Times that are written one
 * after the other are often of the same day, whose text is kept; the rest is reckoned, as days of UTC are all of one length.
 */
export function isoTime(epochMs: number): string {
  const day = Math.floor(epochMs / dayMs);
  if (day !== lastDay) {
    lastDayText = new Date(day * dayMs).toISOString().slice(0, -13);
    lastDay = day;
  }
  const ms = Math.floor(epochMs - day * dayMs);
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const ofSecond = ms % 1_000;
  return `${lastDayText}${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}.${Math.floor(ofSecond / 100)}${twoDigits[ofSecond % 100]}Z`;
}

import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The one source of time. Everything that waits or asks for the time takes a `Clock`, so that the whole engine runs on
 * a virtual one in the simulation.
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

/**
 * Not that of `node:timers/promises`: an abort would cost an error with a stack, and loops are woken thousands of
 * times a second.
 */
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

/**
 * Calls `work` once after `ms` milliseconds of the machine's own time, if the process still runs by then: the timer
 * does not keep it alive. Returns a function that cancels the call.
 */
export function callLater(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, Math.min(ms, timerMsMax)).unref();
  return () => clearTimeout(timer);
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
 * `clock` made steady: it never steps back, not even behind `highestSeen` of an earlier process, and goes on by
 * monotonic time where the wall clock is behind. Ages of keys are counted on it, so that no clock set back makes an
 * old key young.
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

/** A day of 24 hours: not always what the calendar calls one. */
export const dayMs = 86_400_000;
const digits = (number: number, length: number) => String(number).padStart(length, '0');
/** What follows the day, by the minute of the day: "00:00:" to "23:59:"; then the second and the millisecond. */
const minuteTexts = Array.from(
  { length: 1_440 },
  (_, at) => `${digits(Math.floor(at / 60), 2)}:${digits(at % 60, 2)}:`,
);
const secondTexts = Array.from({ length: 60 }, (_, second) => `${digits(second, 2)}.`);
const millisecondTexts = Array.from({ length: 1_000 }, (_, millisecond) => `${digits(millisecond, 3)}Z`);

let lastDay = Number.NaN;
let lastDayText = '';

/**
 * An ISO 8601 UTC time-stamp with milliseconds, as every report and log line of ours writes times. Times that are
 * written one after the other are often of the same day, whose text is kept; the rest is looked up, as days of UTC are
 * all of one length.
 */
export function isoTime(epochMs: number): string {
  const day = Math.floor(epochMs / dayMs);
  if (day !== lastDay) {
    lastDayText = new Date(day * dayMs).toISOString().slice(0, -13);
    lastDay = day;
  }
  const ms = Math.floor(epochMs - day * dayMs);
  const second = Math.floor(ms / 1_000);
  const minute = Math.floor(second / 60);
  return `${lastDayText}${minuteTexts[minute]}${secondTexts[second % 60]}${millisecondTexts[ms % 1_000]}`;
}

/** The same of a time that may not be known. */
export function isoOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoTime(epochMs);
}

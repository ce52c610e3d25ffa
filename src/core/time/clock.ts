import { uptime } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The only source of time. Everything that waits or reads the time takes a `Clock`, so that the simulation can run the
 * whole engine on a virtual one.
 */
export interface Clock {
  /** Wall time in epoch milliseconds. It may jump backwards or far forwards: never prove anything by it alone. */
  now(): number;
  /** Milliseconds from an arbitrary start that never go back, and may stand still while the machine is suspended. */
  monotonic(): number;
  /** The same, also while the machine is suspended: for what others count meanwhile, such as leases and keys. */
  uptime(): number;
  /** Resolves after `ms` milliseconds, or at once when `signal` is aborted; it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when everything that is ready now has been handled, so that what arrives together is written together. */
  turn(): Promise<void>;
}

/** Node's timers hold 31 bits of milliseconds, and longer ones fire at once. So longer waits are made in pieces. */
const timerMsMax = 2 ** 31 - 1;

/**
 * Not `node:timers/promises`: there, each abort creates an error with a stack, and loops are woken thousands of times a
 * second.
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
 * Calls `work` once after `ms` milliseconds of the machine's own time. The timer does not keep the process alive.
 * Returns a function that cancels the call.
 */
export function callLater(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, Math.min(ms, timerMsMax)).unref();
  return () => clearTimeout(timer);
}

/** By how much wall and monotonic time may drift apart unseen: what their rounding can explain. */
const apartMsMax = 2;

/**
 * Makes `Clock.uptime` from the three times of a machine (ms). A suspension moves wall time away from monotonic time,
 * as setting the clock does. Only then is `bootTime` read, which costs as much as a hundred readings of the others.
 */
export function countSuspensions(times: Record<'wall' | 'monotonic' | 'bootTime', () => number>): () => number {
  const ahead = times.bootTime() - times.monotonic();
  let apart = times.wall() - times.monotonic();
  let suspendedMs = 0;
  return () => {
    const monotonic = times.monotonic();
    const apartNow = times.wall() - monotonic;
    if (Math.abs(apartNow - apart) > apartMsMax) {
      apart = apartNow;
      suspendedMs = Math.max(suspendedMs, times.bootTime() - monotonic - ahead);
    }
    return monotonic + suspendedMs;
  };
}

const monotonic = () => performance.now();

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic,
  uptime: countSuspensions({ wall: () => Date.now(), monotonic, bootTime: () => uptime() * 1_000 }),
  async sleep(ms, signal) {
    const end = performance.now() + ms;
    for (let left = ms; left > 0 && !signal?.aborted; left = end - performance.now()) {
      await wait(Math.min(left, timerMsMax), signal);
    }
  },
  turn: () => nextTurn(),
};

/**
 * Makes a clock that never goes back, not even behind `highestSeen` of an earlier process. While the wall clock is
 * behind, it advances by the time that the machine is up. The ages of keys are measured by it, so that a clock that was
 * set back makes no old key young.
 */
export function steadyClock(clock: Clock, highestSeen: number): Clock {
  let last = Math.max(clock.now(), highestSeen);
  let lastUptime = clock.uptime();
  return {
    ...clock,
    now: () => {
      const up = clock.uptime();
      last = Math.max(clock.now(), last + (up - lastUptime));
      lastUptime = up;
      return Math.floor(last);
    },
  };
}

/** A day of 24 hours, which a calendar day may not have. */
export const dayMs = 86_400_000;
const digits = (number: number, length: number) => String(number).padStart(length, '0');
/** The texts from "00:00:" to "23:59:", by the minute of the day; the second and the millisecond follow. */
const minuteTexts = Array.from(
  { length: 1_440 },
  (_, at) => `${digits(Math.floor(at / 60), 2)}:${digits(at % 60, 2)}:`,
);
const secondTexts = Array.from({ length: 60 }, (_, second) => `${digits(second, 2)}.`);
const millisecondTexts = Array.from({ length: 1_000 }, (_, millisecond) => `${digits(millisecond, 3)}Z`);

let lastDay = Number.NaN;
let lastDayText = '';

/**
 * An ISO 8601 UTC time-stamp with milliseconds, as all reports and log lines have it. Consecutive times are often of
 * the same day, whose text is kept; the rest is looked up, since all UTC days have the same length.
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

/** The same; null for an unknown time. */
export function isoOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoTime(epochMs);
}

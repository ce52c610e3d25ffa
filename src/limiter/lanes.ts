import { type Alarm, makeAlarm } from '../core/time/alarm.ts';
import { type RequestClass, requestClasses } from '../gateway/contract/gateway.ts';
import type { ClassPlan } from './classes.ts';
import type { LimiterDeps, RateUsage } from './limiter.ts';
import { isShared } from './others.ts';
import { outlookOf } from './outlook.ts';
import { concurrencyCap, concurrencyMaxOf, makeRateWindow, type RateWindow } from './rate-window.ts';
import { makeServerClock } from './server-clock.ts';
import { countWithin } from './sliding-count.ts';
import { startsAt, togetherOf, usedOfWindow } from './window.ts';

/**
 * A first-in, first-out queue for the jobs of one class. It starts the next job when it has received as many admissions
 * as the job needs. The limiter decides when to give them.
 */
export interface Gate {
  /**
   * Queues a job that needs `weight` admissions. The gate calls `start` once; its promise settles when the job ends.
   */
  enqueue(weight: number, start: () => Promise<void>): void;
  /** Gives `weight` more admissions: exactly what the next jobs need. */
  open(weight: number): void;
  /** Takes back the admissions that no job has used. If a job starts nevertheless, the limiter makes it wait. */
  shut(): void;
  /** Starts nothing more. */
  stop(): void;
}

export interface GateOptions {
  concurrencyMax: number;
  /** The least time between two jobs (ms); 0 if they may start together. */
  minTimeMs: number;
}

export interface Job {
  weight: number;
  /** Its weight for the gate, which never starts a job that is heavier than what may run at the same time. */
  gateWeight: number;
  /** How many requests it may send; 0 while it may not start. */
  admitted: number;
  /** Resumes a job that the gate started after its admission was taken back. */
  goOn: (() => void) | null;
  run: () => Promise<void>;
  refuse: () => void;
}

/** The requests of one class. */
export interface Lane {
  /** The counter of the service that counts them. Classes may share one. */
  readonly counter: RequestClass;
  readonly window: RateWindow;
  readonly gate: Gate;
  readonly gateWeightMax: number;
  /** Jobs that have not started, in the order in which they were queued; admitted jobs come first. */
  readonly waiting: Set<Job>;
  /** Rings when the first job that must wait may start, or earlier. */
  readonly alarm: Alarm;
  /** When the alarm rings (monotonic ms); `Infinity` if it is not set. */
  ringsAt: number;
  /** Until when this class rests (monotonic ms). */
  restUntil: number;
}

/** How long after the server's reset the next window is used: a part of the window, with bounds. */
const resetMarginShare = 1 / 200;
const resetMarginMsMin = 5;
const resetMarginMsMax = 250;
/** The gate's own even pace, slightly faster than that of the window: it still holds if the window is wrong. */
const paceFloor = 0.9;

export function makeLanes(
  plan: ClassPlan,
  clock: LimiterDeps['clock'],
  makeGate: (options: GateOptions) => Gate,
): Record<RequestClass, Lane> {
  const serverClock = makeServerClock();
  const { sendsHeaders, limits, raised, counterOf } = plan;
  const windowOf = (name: RequestClass) => {
    const { limit, windowMs } = limits[name];
    const resetMarginMs = Math.min(Math.max(windowMs * resetMarginShare, resetMarginMsMin), resetMarginMsMax);
    return makeRateWindow({ limit, windowMs, sendsHeaders, isRaised: raised.has(name), resetMarginMs }, serverClock);
  };
  const windows = byClass(windowOf);
  return byClass((name): Lane => {
    const window = windows[counterOf[name]];
    const { windowMs, limit } = window.options;
    // The server's headers may show any limit.
    const gateWeightMax = sendsHeaders ? concurrencyCap : concurrencyMaxOf(window);
    const minTimeMs = sendsHeaders ? 0 : Math.floor((windowMs / limit) * paceFloor);
    return {
      counter: counterOf[name],
      window,
      gate: makeGate({ concurrencyMax: gateWeightMax, minTimeMs }),
      gateWeightMax,
      waiting: new Set(),
      alarm: makeAlarm(clock),
      ringsAt: Infinity,
      restUntil: -Infinity,
    };
  });
}

function byClass<Value>(make: (name: RequestClass) => Value): Record<RequestClass, Value> {
  return Object.fromEntries(requestClasses.map((name) => [name, make(name)])) as Record<RequestClass, Value>;
}

/**
 * How many of its `weight` requests a job may send. The weight follows the configured limit; the service's may be
 * lower.
 */
export function admittedOf({ window }: Lane, now: number, weight: number): number {
  const { limit, options, isUntried } = window;
  if (isUntried) return 1;
  const fitting = limit >= options.limit ? weight : Math.max(1, Math.floor((weight * limit) / options.limit));
  return togetherOf(window, now, fitting);
}

/** How much of the lane's allowance is used, if it may send nothing before `waitsUntil` (monotonic ms). */
export function usageOf({ window }: Lane, clock: LimiterDeps['clock'], waitsUntil: number): RateUsage {
  const now = clock.monotonic();
  const ahead = clock.now() - now;
  const at = now < waitsUntil ? waitsUntil : startsAt(window, now, 1);
  const nextAt = Number.isFinite(at) ? Math.max(now, at) : now;
  const { endsAt, ...outlook } = outlookOf(window, now, nextAt);
  return {
    limit: window.limit,
    windowMs: window.options.windowMs,
    used: countWithin(window.starts, now),
    usedOfWindow: usedOfWindow(window, now),
    outlook: { ...outlook, nextAt: nextAt + ahead, until: Math.max(now, endsAt) + ahead },
    heldMs: Math.max(0, waitsUntil - now),
    shared: isShared(window),
  };
}

import { assert } from '../core/basics/assert.ts';
import { type Alarm, makeAlarm } from '../core/time/alarm.ts';
import { type RequestClass, requestClasses } from '../gateway/contract/gateway.ts';
import {
  type AccountRates,
  admissionAt,
  admittedOf,
  beginRequests,
  concurrencyMaxOf,
  endRequests,
  expectRequests,
  giveBackRequests,
  holdAccount,
  isHeld,
  type LimiterDeps,
  type LimiterOptions,
  makeAccountRates,
  noteUsedBefore,
  observeHeaders,
  restClass,
  takeBackRequests,
  usageOf,
} from './account-rates.ts';
import { type Limiter, LimiterStopped } from './limiter.ts';

/**
 * A first-in, first-out queue for the jobs of one class. It starts the next job when it has received as many admissions
 * as the job needs. This file decides when to give them, by the account's rates.
 */
export interface Gate {
  /**
   * Queues a job that needs `weight` admissions. The gate calls `start` once; its promise settles when the job ends.
   */
  enqueue(weight: number, start: () => Promise<void>): void;
  /** Gives `weight` more admissions: exactly what the next jobs need. */
  open(weight: number): void;
  /** Takes back the admissions that no job has used. A job that starts nevertheless waits in this file. */
  shut(): void;
  /** Starts nothing more. */
  stop(): void;
}

export interface GateOptions {
  concurrencyMax: number;
  /** The least time between two jobs (ms); 0 if they may start together. */
  minTimeMs: number;
}

interface Job {
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

interface Lane {
  name: RequestClass;
  gate: Gate;
  gateWeightMax: number;
  /** Jobs that have not started, in the order in which they were queued; admitted jobs come first. */
  waiting: Set<Job>;
  /** Rings when the first job that must wait may start. */
  alarm: Alarm;
}

interface Gated {
  rates: AccountRates;
  deps: LimiterDeps;
  lanes: Lane[];
  stopped: boolean;
}

/** The gate's own even pace, slightly faster than that of the rates: it still holds if the rates are wrong. */
const paceFloor = 0.9;

export function makeGatedLimiter(
  options: LimiterOptions,
  deps: LimiterDeps,
  makeGate: (options: GateOptions) => Gate,
): Limiter {
  const rates = makeAccountRates(options, deps);
  const lanes = requestClasses.map((name): Lane => {
    const { windowMs, limit } = rates.windows[rates.plan.counterOf[name]].options;
    const concurrencyMax = concurrencyMaxOf(rates, name);
    const minTimeMs = rates.plan.sendsHeaders ? 0 : Math.floor((windowMs / limit) * paceFloor);
    const gate = makeGate({ concurrencyMax, minTimeMs });
    return { name, gate, gateWeightMax: concurrencyMax, waiting: new Set(), alarm: makeAlarm(deps.clock) };
  });
  const gated: Gated = { rates, deps, lanes, stopped: false };
  const laneOf = (name: RequestClass) => lanes[requestClasses.indexOf(name)] as Lane;
  return {
    admit: (name, job, weight = 1) => admit(gated, laneOf(name), job, weight),
    giveBack(name, count) {
      giveBackRequests(rates, name, count);
      admitWaiting(gated);
    },
    expect(name, count) {
      expectRequests(rates, name, count);
      admitWaiting(gated);
    },
    usedBefore: (name, use) => noteUsedBefore(rates, name, use),
    observe(name, headers) {
      observeHeaders(rates, name, headers);
      admitWaiting(gated);
    },
    hold(name, ms) {
      holdAccount(rates, name, ms);
      for (const lane of lanes) takeBackUnused(gated, lane);
      admitWaiting(gated);
    },
    rest(name, ms) {
      restClass(rates, name, ms);
      takeBackUnused(gated, laneOf(name));
      admitWaiting(gated);
    },
    isHeld: (name) => isHeld(rates, name),
    usage: (name) => usageOf(rates, name),
    async stop() {
      gated.stopped = true;
      for (const lane of lanes) {
        lane.alarm.clear();
        lane.gate.stop();
        for (const job of lane.waiting) job.refuse();
        lane.waiting.clear();
      }
    },
  };
}

async function admit<Result>(
  gated: Gated,
  lane: Lane,
  work: (count: number) => Promise<Result>,
  weight: number,
): Promise<Result> {
  assert(Number.isInteger(weight) && weight >= 1, 'a job is admitted with a whole number of requests');
  if (gated.stopped) throw new LimiterStopped();
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const job: Job = {
    weight,
    gateWeight: Math.min(weight, lane.gateWeightMax),
    admitted: 0,
    goOn: null,
    refuse: () => {
      reject(new LimiterStopped());
      job.goOn?.();
    },
    run: async () => {
      lane.waiting.delete(job);
      const { admitted } = job;
      await (async () => work(admitted))().then(resolve, reject);
      endRequests(gated.rates, lane.name, gated.deps.clock.monotonic(), admitted);
      admitWaiting(gated);
    },
  };
  lane.waiting.add(job);
  lane.gate.enqueue(job.gateWeight, async () => {
    if (job.admitted === 0 && !gated.stopped) await new Promise<void>((goOn) => (job.goOn = goOn));
    if (gated.stopped) return;
    await job.run();
  });
  admitLane(gated, lane);
  return promise;
}

function admitWaiting(gated: Gated): void {
  for (const lane of gated.lanes) admitLane(gated, lane);
}

/** Admits the lane's next jobs that may start now, and sets the alarm for the first that may not. */
function admitLane(gated: Gated, lane: Lane): void {
  lane.alarm.clear();
  if (gated.stopped || lane.waiting.size === 0) return;
  const now = gated.deps.clock.monotonic();
  let opened = 0;
  let nextAt = Infinity;
  for (const job of lane.waiting) {
    if (job.admitted > 0) continue;
    const count = admittedOf(gated.rates, lane.name, job.weight);
    nextAt = admissionAt(gated.rates, lane.name, now, count);
    if (nextAt > now) break;
    beginRequests(gated.rates, lane.name, now, count);
    job.admitted = count;
    if (job.goOn) job.goOn();
    else opened += job.gateWeight;
  }
  if (nextAt > now && nextAt < Infinity) lane.alarm.set(nextAt - now, () => admitLane(gated, lane));
  if (opened > 0) lane.gate.open(opened);
}

/** Takes back unused admissions: they were given before the account had to wait. */
function takeBackUnused({ rates }: Gated, lane: Lane): void {
  let taken = 0;
  for (const job of lane.waiting) {
    if (job.admitted === 0) break;
    takeBackRequests(rates, lane.name, job.admitted);
    taken += job.admitted;
    job.admitted = 0;
  }
  if (taken > 0) lane.gate.shut();
}

import { assert } from '../core/basics/assert.ts';
import { requestClasses } from '../gateway/contract/gateway.ts';
import { makeClassPlan } from './classes.ts';
import { admittedOf, type Gate, type GateOptions, type Job, type Lane, makeLanes, usageOf } from './lanes.ts';
import { type LimitedJob, type Limiter, type LimiterDeps, type LimiterOptions, LimiterStopped } from './limiter.ts';
import { startsAt } from './window.ts';
import { noteAnswer, noteRefusal } from './window-answers.ts';
import { noteEnd, noteRelease, noteStart, noteUsedBefore } from './window-counts.ts';

interface Account {
  readonly clock: LimiterDeps['clock'];
  readonly lanes: readonly Lane[];
  /** Until when the whole account waits after a 429 (monotonic ms). */
  heldUntil: number;
  stopped: boolean;
}

/** A limiter whose jobs wait in gates. It opens a gate when the service's windows have room for the next jobs. */
export function makeGatedLimiter(
  options: LimiterOptions,
  { clock, onLimitDiffers }: LimiterDeps,
  makeGate: (options: GateOptions) => Gate,
): Limiter {
  const plan = makeClassPlan(options.version, options.limits);
  const lanes = makeLanes(plan, clock, makeGate);
  const account: Account = {
    clock,
    lanes: requestClasses.map((name) => lanes[name]),
    heldUntil: -Infinity,
    stopped: false,
  };
  return {
    admit(name, job, weight = 1) {
      const also = plan.alsoCounts[name];
      if (!also) return admit(account, lanes[name], job, weight);
      return admit(account, lanes[name], (count) => admit(account, lanes[also], job, count), weight);
    },
    expect(name, count) {
      lanes[name].window.expected = count;
      admitWaiting(account);
    },
    usedBefore: (name, ended) => noteUsedBefore(lanes[name].window, clock.monotonic(), ended),
    observe(name, headers) {
      const { window, counter } = lanes[name];
      const before = window.limit;
      noteAnswer(window, clock.monotonic(), clock.now(), headers);
      const { limit, options } = window;
      if (limit !== before && limit !== options.limit) onLimitDiffers?.(counter, options.limit, limit);
      admitWaiting(account);
    },
    hold(name, ms) {
      const { window } = lanes[name];
      const now = clock.monotonic();
      account.heldUntil = Math.max(account.heldUntil, now + ms + window.options.resetMarginMs);
      noteRefusal(window, now);
      for (const lane of account.lanes) takeBackUnused(lane);
      admitWaiting(account);
    },
    rest(name, ms) {
      lanes[name].restUntil = clock.monotonic() + ms;
      takeBackUnused(lanes[name]);
      admitWaiting(account);
    },
    isHeld: (name) => clock.monotonic() < (name ? waitsUntil(account, lanes[name]) : account.heldUntil),
    usage: (name) => usageOf(lanes[name], clock, waitsUntil(account, lanes[name])),
    async stop() {
      account.stopped = true;
      for (const lane of account.lanes) {
        lane.alarm.clear();
        lane.gate.stop();
        for (const job of lane.waiting) job.refuse();
        lane.waiting.clear();
      }
    },
  };
}

/** Until when nothing of this class may start: the account is held (invariant I10), or the class rests. */
function waitsUntil({ heldUntil }: Account, { restUntil }: Lane): number {
  return Math.max(heldUntil, restUntil);
}

async function admit<Result>(account: Account, lane: Lane, work: LimitedJob<Result>, weight: number): Promise<Result> {
  assert(Number.isInteger(weight) && weight >= 1, 'a job is admitted with a whole number of requests');
  if (account.stopped) throw new LimiterStopped();
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
      let sent = job.admitted;
      const release = (unused: number) => {
        sent -= unused;
        noteRelease(lane.window, unused);
        admitWaiting(account);
      };
      await (async () => work(job.admitted, release))().then(resolve, reject);
      noteEnd(lane.window, account.clock.monotonic(), sent);
      admitWaiting(account);
    },
  };
  lane.waiting.add(job);
  lane.gate.enqueue(job.gateWeight, async () => {
    if (job.admitted === 0 && !account.stopped) await new Promise<void>((goOn) => (job.goOn = goOn));
    if (account.stopped) return;
    await job.run();
  });
  admitLane(account, lane);
  return promise;
}

function admitWaiting(account: Account): void {
  for (const lane of account.lanes) admitLane(account, lane);
}

/** Admits the lane's next jobs that may start now, and sets the alarm for the first that may not. */
function admitLane(account: Account, lane: Lane): void {
  if (account.stopped || lane.waiting.size === 0) {
    ringAt(account, lane, Infinity);
    return;
  }
  const now = account.clock.monotonic();
  const heldUntil = waitsUntil(account, lane);
  let opened = 0;
  let nextAt = Infinity;
  for (const job of lane.waiting) {
    if (job.admitted > 0) continue;
    const count = admittedOf(lane, now, job.weight);
    nextAt = now < heldUntil ? heldUntil : startsAt(lane.window, now, count);
    if (nextAt > now) break;
    noteStart(lane.window, now, count);
    job.admitted = count;
    if (job.goOn) job.goOn();
    else opened += job.gateWeight;
  }
  ringAt(account, lane, nextAt > now ? nextAt : Infinity);
  if (opened > 0) lane.gate.open(opened);
}

/**
 * Sets the lane's alarm. One that rings earlier stays: every answer comes here, and a lane that wakes too early only
 * sets its alarm again.
 */
function ringAt(account: Account, lane: Lane, at: number): void {
  if (at < Infinity && lane.ringsAt <= at) return;
  lane.ringsAt = at;
  lane.alarm.clear();
  if (at === Infinity) return;
  lane.alarm.set(at - account.clock.monotonic(), () => {
    lane.ringsAt = Infinity;
    admitLane(account, lane);
  });
}

/** Takes back unused admissions: they were given before the account had to wait. */
function takeBackUnused(lane: Lane): void {
  let taken = 0;
  for (const job of lane.waiting) {
    if (job.admitted === 0) break;
    noteRelease(lane.window, job.admitted);
    taken += job.admitted;
    job.admitted = 0;
  }
  if (taken > 0) lane.gate.shut();
}

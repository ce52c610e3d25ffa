import Bottleneck from 'bottleneck';
import { systemClock } from '../core/clock.ts';
import type { LimiterDeps, LimiterOptions } from './account-rates.ts';
import { type Gate, type GateOptions, makeGatedLimiter } from './gated-limiter.ts';
import type { Limiter } from './limiter.ts';

/**
 * The limiter in production: each class of requests has a Bottleneck that queues its jobs, caps what runs at once, and starts a
 * job when its reservoir holds the job's weight. This file is all that knows of Bottleneck; docs/bottleneck.md says what is
 * used of it, what is not, and why.
 */
export function makeBottleneckLimiter(options: LimiterOptions, deps: LimiterDeps): Limiter {
  return makeGatedLimiter(options, deps, makeBottleneckGate);
}

/** Bottleneck waits for so long as the machine's clock is set back: more than what a clock is corrected by while it runs well, in ms. */
const setBackMs = 1_000;

interface Waiting {
  weight: number;
  start: () => Promise<void>;
}

function makeBottleneckGate({ concurrencyMax, minTimeMs }: GateOptions): Gate {
  // No refresh or increase interval: any later change of settings would end it for good (Bottleneck's issue 185), and it
  // lets bursts straddle windows (issue 153). The reservoir is filled by hand, with what the rates admit.
  const make = (reservoir: number) => new Bottleneck({ reservoir, maxConcurrent: concurrencyMax, minTime: minTimeMs });
  const waiting = new Set<Waiting>();
  let admitted = 0;
  let bottleneck = make(admitted);
  let seenAt = systemClock.now();

  const hand = (job: Waiting) => {
    const start = async () => {
      if (!waiting.delete(job)) return;
      // It may have been taken back after Bottleneck had counted it: such a job starts all the same.
      admitted = Math.max(0, admitted - job.weight);
      heedClock();
      await job.start();
    };
    // What becomes of a job is told by its own promise; Bottleneck's only says that it was dropped.
    bottleneck.schedule({ weight: job.weight }, start).catch((error: unknown) => {
      if (!(error instanceof Bottleneck.BottleneckError)) throw error;
    });
  };
  /** It keeps the wall time at which the next job may start: of a clock that was set back since, a new one goes on with what waits. */
  const heedClock = () => {
    const now = systemClock.now();
    const isSetBack = now < seenAt - setBackMs;
    seenAt = now;
    if (!isSetBack) return;
    end();
    bottleneck = make(admitted);
    for (const job of waiting) hand(job);
  };
  const end = () => {
    // Never `dropWaitingJobs: false`: that hangs on an empty reservoir. Nor is it waited for: running jobs end by themselves.
    bottleneck.stop({ dropWaitingJobs: true }).catch(() => undefined);
  };

  return {
    enqueue(weight, start) {
      heedClock();
      const job = { weight, start };
      waiting.add(job);
      hand(job);
    },
    open(weight) {
      heedClock();
      admitted += weight;
      void bottleneck.incrementReservoir(weight);
    },
    shut() {
      admitted = 0;
      void bottleneck.updateSettings({ reservoir: 0 });
    },
    stop() {
      waiting.clear();
      end();
    },
  };
}

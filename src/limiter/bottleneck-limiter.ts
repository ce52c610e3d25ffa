import Bottleneck from 'bottleneck';
import { systemClock } from '../core/time/clock.ts';
import { makeGatedLimiter } from './gated-limiter.ts';
import type { Gate, GateOptions } from './lanes.ts';
import type { Limiter, LimiterDeps, LimiterOptions } from './limiter.ts';

/**
 * The limiter in production. Each class of requests has a Bottleneck that queues its jobs, caps how many run at the
 * same time, and starts a job when its reservoir holds the job's weight. No other file uses Bottleneck;
 * docs/bottleneck.md says which of its features are used, and why.
 */
export function makeBottleneckLimiter(options: LimiterOptions, deps: LimiterDeps): Limiter {
  return makeGatedLimiter(options, deps, makeBottleneckGate);
}

/**
 * Clock corrections below this (ms) are normal. If the clock is set back further, Bottleneck would wait just as long.
 */
const setBackMs = 1_000;

interface Waiting {
  weight: number;
  start: () => Promise<void>;
}

function makeBottleneckGate({ concurrencyMax, minTimeMs }: GateOptions): Gate {
  // No refresh or increase interval: a later change of settings would end it for good (Bottleneck's issue 185), and it
  // lets bursts straddle windows (issue 153). This file fills the reservoir with what the rates admit.
  const make = (reservoir: number) => new Bottleneck({ reservoir, maxConcurrent: concurrencyMax, minTime: minTimeMs });
  const waiting = new Set<Waiting>();
  let admitted = 0;
  /** Made with the first job: a program with a thousand accounts has four thousand classes, and most rest. */
  let bottleneck: Bottleneck | null = null;
  let seenAt = systemClock.now();

  const hand = (job: Waiting) => {
    const start = async () => {
      if (!waiting.delete(job)) return;
      // Bottleneck starts a job that it has counted, even if its admission was taken back since.
      admitted = Math.max(0, admitted - job.weight);
      restartIfClockWasSetBack();
      await job.start();
    };
    // The job's own promise carries its result; Bottleneck's promise only says that the job was dropped.
    bottleneck ??= make(admitted);
    bottleneck.schedule({ weight: job.weight }, start).catch((error: unknown) => {
      if (!(error instanceof Bottleneck.BottleneckError)) throw error;
    });
  };
  /**
   * Bottleneck stores the wall time of the next start. If the clock was set back, a new Bottleneck takes over the
   * queue.
   */
  const restartIfClockWasSetBack = () => {
    const now = systemClock.now();
    const isSetBack = now < seenAt - setBackMs;
    seenAt = now;
    if (!isSetBack) return;
    end();
    bottleneck = null;
    for (const job of waiting) hand(job);
  };
  const end = () => {
    // Never `dropWaitingJobs: false`: that hangs on an empty reservoir. Running jobs end by themselves, so nothing
    // waits.
    bottleneck?.stop({ dropWaitingJobs: true }).catch(() => undefined);
  };

  return {
    enqueue(weight, start) {
      restartIfClockWasSetBack();
      const job = { weight, start };
      waiting.add(job);
      hand(job);
    },
    open(weight) {
      restartIfClockWasSetBack();
      admitted += weight;
      void bottleneck?.incrementReservoir(weight);
    },
    shut() {
      admitted = 0;
      void bottleneck?.updateSettings({ reservoir: 0 });
    },
    stop() {
      waiting.clear();
      end();
    },
  };
}

import Bottleneck from 'bottleneck';
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

function makeBottleneckGate({ concurrencyMax, minTimeMs }: GateOptions): Gate {
  // No refresh or increase interval: any later change of settings would end it for good (Bottleneck's issue 185), and it
  // lets bursts straddle windows (issue 153). The reservoir is filled by hand, with what the rates admit.
  const bottleneck = new Bottleneck({ reservoir: 0, maxConcurrent: concurrencyMax, minTime: minTimeMs });
  return {
    enqueue(weight, start) {
      // What becomes of a job is told by its own promise; Bottleneck's only says that it was dropped.
      bottleneck.schedule({ weight }, start).catch((error: unknown) => {
        if (!(error instanceof Bottleneck.BottleneckError)) throw error;
      });
    },
    open(weight) {
      void bottleneck.incrementReservoir(weight);
    },
    shut() {
      void bottleneck.updateSettings({ reservoir: 0 });
    },
    stop() {
      // Never `dropWaitingJobs: false`: that hangs on an empty reservoir. Nor is it waited for: running jobs end by themselves.
      bottleneck.stop({ dropWaitingJobs: true }).catch(() => undefined);
    },
  };
}

import { makeGatedLimiter } from '../../src/limiter/gated-limiter.ts';
import type { Gate } from '../../src/limiter/lanes.ts';
import type { Limiter, LimiterDeps, LimiterOptions } from '../../src/limiter/limiter.ts';

/** The limiter with an injected clock and a plain queue, for the simulation: Bottleneck uses the machine's clock. */
export function makeVirtualLimiter(options: LimiterOptions, deps: LimiterDeps): Limiter {
  return makeGatedLimiter(options, deps, makeQueueGate);
}

function makeQueueGate(): Gate {
  const queue: { weight: number; start: () => Promise<void> }[] = [];
  let admissions = 0;
  return {
    enqueue(weight, start) {
      queue.push({ weight, start });
    },
    open(weight) {
      admissions += weight;
      for (let next = queue[0]; next && next.weight <= admissions; next = queue[0]) {
        admissions -= next.weight;
        queue.shift();
        void next.start();
      }
    },
    shut() {
      admissions = 0;
    },
    stop() {
      queue.length = 0;
    },
  };
}

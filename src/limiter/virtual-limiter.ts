import { type LimiterDeps, type LimiterOptions, makeGates } from './gates.ts';
import type { Limiter } from './limiter.ts';

/** The gates alone, on whatever clock: for the simulation, since Bottleneck runs on the machine's own. */
export function makeVirtualLimiter(options: LimiterOptions, deps: LimiterDeps): Limiter {
  const gates = makeGates(options, deps);
  return {
    ...gates,
    async admit(requestClass, job, weight = 1) {
      await gates.enter(requestClass, weight);
      try {
        return await job();
      } finally {
        gates.leave(requestClass, weight);
      }
    },
  };
}

import Bottleneck from 'bottleneck';
import { type RequestClass, requestClasses } from '../gateway/gateway.ts';
import { type LimiterDeps, type LimiterOptions, makeGates } from './gates.ts';
import { type Limiter, LimiterStopped } from './limiter.ts';

/** Jobs of a class that run at once: enough to keep a slow service busy, few enough that a 429 finds little under way. */
const jobsAtOnceMax = 12;

/**
 * The limiter in production: a Bottleneck for each class of requests queues the jobs and caps how many run; before a job runs
 * it passes the gate that follows the service's windows.
 */
export function makeBottleneckLimiter(options: LimiterOptions, deps: LimiterDeps): Limiter {
  const gates = makeGates(options, deps);
  const queues = new Map<RequestClass, Bottleneck>(
    requestClasses.map((name) => [name, new Bottleneck({ maxConcurrent: jobsAtOnceMax })]),
  );
  let stopped = false;
  return {
    ...gates,
    async admit(requestClass, job, weight = 1) {
      if (stopped) throw new LimiterStopped();
      const queue = queues.get(requestClass) as Bottleneck;
      return queue.schedule(async () => {
        await gates.enter(requestClass, weight);
        try {
          return await job();
        } finally {
          gates.leave(requestClass, weight);
        }
      });
    },
    async stop() {
      // Waiting jobs come to their gates, which are shut, one after the other: Bottleneck's own stop can hang (issue 160).
      stopped = true;
      await gates.stop();
    },
  };
}

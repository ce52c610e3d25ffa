import pLimit, { type LimitFunction } from 'p-limit';
import type { Clock } from '../../src/core/time/clock.ts';
import { requestClasses } from '../../src/gateway/contract/gateway.ts';
import { type Limiter, LimiterStopped, type RateUsage } from '../../src/limiter/limiter.ts';

/** That of an account of which nothing was asked yet. */
export const idleUsage: RateUsage = {
  limit: 60,
  windowMs: 60_000,
  used: 0,
  usedOfWindow: null,
  outlook: {
    nextAt: 0,
    expected: 0,
    left: 60,
    until: 0,
    windowMs: 60_000,
    perWindow: 60,
    evenly: false,
    endFreeMs: 0,
    keptBack: [],
    keptBackLater: [],
  },
  heldMs: 0,
  shared: false,
};

/**
 * A limiter that obeys holds, with so many jobs at once: for tests that are about something else. Creations are
 * `paceMs` apart, or as fast as they come.
 */
export function makeOpenLimiter(clock: Clock, { jobsAtOnce = 50, paceMs = 0 } = {}): Limiter {
  // Each class has a lane of its own, as in the real limiter: a creation asks for reads before it sends.
  const lanes = new Map(requestClasses.map((requestClass) => [requestClass, pLimit(jobsAtOnce)]));
  let stopped = false;
  let heldUntil = 0;
  let restUntil = 0;
  let nextCreationAt = 0;
  return {
    admit: (requestClass, job, weight = 1) =>
      (lanes.get(requestClass) as LimitFunction)(async () => {
        const until = () => (requestClass === 'creation' ? Math.max(heldUntil, restUntil) : heldUntil);
        while (!stopped && clock.now() < until()) await clock.sleep(Math.min(1_000, until() - clock.now()));
        if (requestClass === 'creation' && paceMs > 0) {
          const at = Math.max(nextCreationAt, clock.now());
          nextCreationAt = at + paceMs;
          await clock.sleep(at - clock.now());
        }
        if (stopped) throw new LimiterStopped();
        return job(weight, () => undefined);
      }),
    expect: () => undefined,
    usedBefore: () => undefined,
    observe: () => undefined,
    hold(_requestClass, ms) {
      heldUntil = Math.max(heldUntil, clock.now() + ms);
    },
    rest(_requestClass, ms) {
      restUntil = clock.now() + ms;
    },
    isHeld: (requestClass) => clock.now() < (requestClass ? Math.max(heldUntil, restUntil) : heldUntil),
    usage() {
      const until = Math.max(heldUntil, restUntil);
      const heldMs = Math.max(0, until - clock.now());
      return { ...idleUsage, heldMs, outlook: { ...idleUsage.outlook, nextAt: until } };
    },
    async stop() {
      stopped = true;
    },
  };
}

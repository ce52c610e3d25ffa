import type { Clock } from '../../core/time/clock.ts';
import { longThrottleMs } from '../../core/time/throttle-wait.ts';
import type { RequestClass } from '../../gateway/contract/gateway.ts';
import type { Limiter } from '../../limiter/limiter.ts';

/**
 * Until when (epoch ms) a class of requests is blocked, if for a quarter of an hour or more; otherwise null. Only the
 * service's own `Retry-After` blocks that long. Callers then do without an answer that is not about a payment.
 */
export function longThrottle(
  { limiter, clock }: { limiter: Pick<Limiter, 'usage'>; clock: Pick<Clock, 'now'> },
  requestClass: RequestClass,
): number | null {
  // Calculated from the remaining time: the limiter uses the machine's clock, which may be set back; the runner's is
  // not.
  const { heldMs } = limiter.usage(requestClass);
  return heldMs >= longThrottleMs ? clock.now() + heldMs : null;
}

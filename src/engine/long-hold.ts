import type { Clock } from '../core/clock.ts';
import { longWaitMs } from '../core/told-wait.ts';
import type { RequestClass } from '../gateway/gateway.ts';
import type { Limiter } from '../limiter/limiter.ts';

/**
 * Until when (epoch ms) a class of requests is held, where that is for a quarter of an hour or more: only what the service has told takes so
 * long. Nobody waits then for what is asked beside the payments themselves; that is done without. Null where it is not held so long.
 */
export function longHold(
  { limiter, clock }: { limiter: Pick<Limiter, 'usage'>; clock: Pick<Clock, 'now'> },
  requestClass: RequestClass,
): number | null {
  // Not until when the limiter says: its clock is the machine's, and a runner's is not set back with that.
  const { heldMs } = limiter.usage(requestClass);
  return heldMs >= longWaitMs ? clock.now() + heldMs : null;
}

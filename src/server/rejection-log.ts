import type { Log } from '../core/text/log.ts';
import type { Clock } from '../core/time/clock.ts';

/** Of rejected webhooks with the same reason, one is logged in this time: anybody can send them by the million. */
const quietMs = 60_000;
/** The most reasons that are remembered at once. Accounts times schemes times problems are far fewer. */
const reasonsMax = 1_000;

/** Logs why webhooks are rejected: the first of a kind at once, later ones as a count. */
export function makeRejectionLog(
  clock: Clock,
  log: Log,
): (reason: { account: string; scheme: string; problem: string }) => void {
  const kinds = new Map<string, { loggedAt: number; unlogged: number }>();
  return (reason) => {
    const key = JSON.stringify(Object.values(reason));
    const now = clock.monotonic();
    const kind = kinds.get(key);
    if (kind && now - kind.loggedAt < quietMs) {
      kind.unlogged += 1;
      return;
    }
    if (kinds.size >= reasonsMax) kinds.clear();
    kinds.set(key, { loggedAt: now, unlogged: 0 });
    log.warn('a webhook was rejected', { ...reason, others_since_last: kind?.unlogged ?? 0 });
  };
}

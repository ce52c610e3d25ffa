import { isoTime } from '../../core/time/clock.ts';
import type { ThrottleWait } from '../../core/time/throttle-wait.ts';
import { makeAccountThrottle } from '../../engine/pacing/account-throttle.ts';
import { type RequestDeps, requestOnce, type Throttled } from '../../engine/pacing/request-with-retry-after.ts';
import type { RequestClass } from '../../gateway/contract/gateway.ts';
import { storedThrottleOf } from '../../ledger/accounts/pace.ts';
import type { Limiter } from '../../limiter/limiter.ts';
import { accountLog } from '../logging/log.ts';
import type { Session } from '../session/session.ts';

/** The part of an account that throttling needs. */
export interface ThrottledAccount {
  name: string;
  limiter: Limiter;
}

/** Applies a throttle that another program has stored for the account to this program's requests. */
export async function applyStoredThrottle(
  account: ThrottledAccount,
  session: Pick<Session, 'db' | 'clock' | 'log'>,
): Promise<void> {
  const stored = await storedThrottleOf(session.db, account.name);
  // If the account's runner works in this program, the limiter already knows the throttle.
  if (account.limiter.isHeld('creation')) return;
  const wait = makeAccountThrottle({ limiter: account.limiter, clock: session.clock }).restore(stored);
  if (wait !== null) logThrottle(account, session, wait);
}

/**
 * The dependencies of requests outside the runner (`requestOnce`, `requestWithRetryAfter`). Throttles that another
 * program has stored apply, and waits are logged.
 */
export async function requestDepsFor<Account extends ThrottledAccount>(
  account: Account,
  session: Pick<Session, 'db' | 'clock' | 'log'>,
): Promise<Account & Pick<RequestDeps, 'onWait'>> {
  await applyStoredThrottle(account, session);
  return { ...account, onWait: (throttle) => logThrottle(account, session, throttle) };
}

/** Makes a request as `requestOnce` does. Throttles that other programs have stored apply. */
export async function askOnce<Outcome extends { kind: string }>(
  account: ThrottledAccount,
  session: Pick<Session, 'db' | 'clock' | 'log'>,
  requestClass: RequestClass,
  ask: () => Promise<Outcome>,
): Promise<Outcome | Throttled> {
  const { limiter, onWait } = await requestDepsFor(account, session);
  return requestOnce({ limiter, onWait, clock: session.clock }, requestClass, ask);
}

export function logThrottle(
  { name }: Pick<ThrottledAccount, 'name'>,
  { log }: Pick<Session, 'log'>,
  { until, saidMs }: ThrottleWait,
): void {
  accountLog(log, name).warn('the service throttles the account; airbatch asks again after the wait', {
    until: isoTime(until),
    retry_after_ms: saidMs,
  });
}

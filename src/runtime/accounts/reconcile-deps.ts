import type { ThrottleWait } from '../../core/time/throttle-wait.ts';
import { holdThrottled } from '../../engine/pacing/request-with-retry-after.ts';
import { unusableText } from '../../gateway/transport/answers.ts';
import type { ReconcileDeps } from '../../reports/reconcile/reconcile-source.ts';
import { accountLog } from '../logging/log.ts';
import type { Session } from '../session/session.ts';
import type { OpenAccount } from './account.ts';
import { credentialsRefused } from './credentials-refused.ts';
import { logThrottle } from './throttled-requests.ts';

/**
 * What a reconciliation asks of an account's service, at the pace that its limits allow. `next`: what a person does
 * whose credentials were refused. `showWait` shows a wait that the service has told of until it is over; without it
 * the log tells of each.
 */
export function reconcileDeps(
  account: OpenAccount,
  session: Pick<Session, 'clock' | 'random' | 'log'>,
  { next, showWait }: { next: string; showWait?: ((throttle: ThrottleWait) => Promise<void>) | undefined },
): ReconcileDeps & Pick<Session, 'random'> {
  const { clock, random } = session;
  const { gateway, limiter } = account;
  return {
    gateway,
    clock,
    random,
    admit: (ask) => limiter.admit('read', ask),
    async noteThrottled(saidMs, lastedMs) {
      // The limiter waits before it asks again.
      const throttle = holdThrottled({ limiter, clock }, 'read', saidMs, lastedMs);
      if (showWait) await showWait(throttle);
      else logThrottle(account, session, throttle);
    },
    refused: (evidence) => credentialsRefused(account, evidence, next, 'airtime.transactions.read and wallets.read'),
    unanswered: (evidence) =>
      accountLog(session.log, account.name).warn(`${unusableText(evidence)}; it is tried again`, {
        code: evidence.code,
        http_status: evidence.httpStatus,
      }),
  };
}

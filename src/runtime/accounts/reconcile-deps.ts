import type { ThrottleWait } from '../../core/time/throttle-wait.ts';
import { makeAccountThrottle } from '../../engine/pacing/account-throttle.ts';
import { unusableText } from '../../gateway/transport/answers.ts';
import type { ReconcileDeps } from '../../reports/reconcile/reconcile-source.ts';
import { accountLog } from '../logging/log.ts';
import type { Session } from '../session/session.ts';
import type { OpenAccount } from './account.ts';
import { credentialsRefused } from './credentials-refused.ts';
import { logThrottle } from './throttled-requests.ts';

/**
 * The requests that a reconciliation makes to an account's service, at the pace of the rate limits. `next` says what a
 * person does if the credentials were refused. `showWait` shows a wait that the service asks for until it is over;
 * without it, the log reports each wait.
 */
export function reconcileDeps(
  account: OpenAccount,
  session: Pick<Session, 'clock' | 'random' | 'log'>,
  { next, showWait }: { next: string; showWait?: ((throttle: ThrottleWait) => Promise<void>) | undefined },
): ReconcileDeps & Pick<Session, 'random'> {
  const { clock, random } = session;
  const { gateway, limiter } = account;
  const throttle = makeAccountThrottle({ limiter, clock });
  return {
    gateway,
    clock,
    random,
    async admit(ask) {
      const answer = await limiter.admit('read', ask);
      if (answer.kind !== 'throttled') throttle.end();
      return answer;
    },
    async noteThrottled(saidMs) {
      // The limiter waits before the next request.
      const { wait } = throttle.hold('read', saidMs);
      if (showWait) await showWait(wait);
      else logThrottle(account, session, wait);
    },
    refused: (evidence) => credentialsRefused(account, evidence, next, 'airtime.transactions.read and wallets.read'),
    unanswered: (evidence) =>
      accountLog(session.log, account.name).warn(`${unusableText(evidence)}; airbatch tries again`, {
        code: evidence.code,
        http_status: evidence.httpStatus,
        request_id: evidence.requestId,
      }),
  };
}

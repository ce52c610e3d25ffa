import { isoTime } from '../core/clock.ts';
import { type ToldWait, waitMsOf } from '../core/told-wait.ts';
import type { ReconcileDeps } from '../reports/reconcile-source.ts';
import type { OpenAccount } from './account.ts';
import { credentialsRefused } from './credentials-refused.ts';
import { accountLog } from './log.ts';
import type { Session } from './session.ts';

/**
 * What a reconciliation asks of an account's service, at the pace that its limits allow. `next`: what a person does whose credentials were
 * refused. `showWait` shows a wait that the service has told of until it is over; without it the log tells of each.
 */
export function reconcileDeps(
  account: OpenAccount,
  { clock, random, log }: Pick<Session, 'clock' | 'random' | 'log'>,
  { next, showWait }: { next: string; showWait?: ((told: ToldWait) => Promise<void>) | undefined },
): ReconcileDeps & Pick<Session, 'random'> {
  const { name, gateway, limiter } = account;
  const logWait = async ({ until, saidMs }: ToldWait) =>
    accountLog(log, name).warn('the service tells the account to wait, and is asked again then', {
      until: isoTime(until),
      retry_after_ms: saidMs,
    });
  return {
    gateway,
    clock,
    random,
    admit: (ask) => limiter.admit('read', ask),
    async waitAsTold(saidMs) {
      // The limiter waits, and whatever else goes on for the account with it.
      limiter.hold('read', waitMsOf(saidMs));
      const at = clock.now();
      await (showWait ?? logWait)({ since: at, at, saidMs, until: at + waitMsOf(saidMs) });
    },
    refused: (evidence) => credentialsRefused(account, evidence, next),
    unanswered: ({ code }) => accountLog(log, name).warn('the service cannot be reached; it is tried again', { code }),
  };
}

import { basename } from 'node:path';
import { dayMs } from '../../core/time/clock.ts';
import { reconcile } from '../../reports/reconcile/reconcile.ts';
import { isSettled, outcomeOf } from '../../reports/reconcile/reconciliation.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import { reconcileDeps } from '../../runtime/accounts/reconcile-deps.ts';
import { applyStoredThrottle } from '../../runtime/accounts/throttled-requests.ts';
import { type Session, sessionKey } from '../../runtime/session/session.ts';
import type { SlotOutcome } from './claimed-slot.ts';

/**
 * Compares the days before a slot with the service, and leaves the reports where `airbatch reconcile` would. What is
 * open makes the slot a failed one, so that whoever is told of those is told of it.
 */
export async function reconcileSlot(
  session: Session,
  account: OpenAccount,
  dueAt: number,
  days: number,
): Promise<SlotOutcome> {
  await applyStoredThrottle(account, session);
  const { dir, reconciliation } = await reconcile(
    session.db,
    {
      ...reconcileDeps(account, session, { next: 'run the job again' }),
      key: await sessionKey(session),
      readableByGroup: session.config.readableByGroup,
    },
    { account: account.name, fromMs: dueAt - days * dayMs, toMs: dueAt },
    session.config.out,
  );
  return {
    outcome: isSettled(reconciliation) ? 'done' : 'failed',
    detail: `${outcomeOf(reconciliation)} (${basename(dir)})`,
  };
}

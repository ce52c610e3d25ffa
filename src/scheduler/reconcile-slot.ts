import { basename } from 'node:path';
import { dayMs } from '../core/clock.ts';
import { reconcile } from '../reports/reconcile.ts';
import { isSettled, outcomeOf } from '../reports/reconciliation.ts';
import type { OpenAccount } from '../runtime/account.ts';
import { credentialsRefused } from '../runtime/credentials-refused.ts';
import type { Session } from '../runtime/session.ts';
import type { SlotOutcome } from './claimed-slot.ts';

/**
 * Compares the days before a slot with the service, and leaves the reports where `airbatch reconcile` would. What is open makes the slot
 * a failed one, so that whoever is told of those is told of it.
 */
export async function reconcileSlot(
  { db, clock, random, config }: Session,
  account: OpenAccount,
  dueAt: number,
  days: number,
): Promise<SlotOutcome> {
  const { name, gateway, limiter } = account;
  const { dir, reconciliation } = await reconcile(
    db,
    {
      gateway,
      clock,
      random,
      admit: (ask) => limiter.admit('read', ask),
      refused: (evidence) => credentialsRefused(account, evidence, 'run the job again'),
    },
    { account: name, fromMs: dueAt - days * dayMs, toMs: dueAt },
    config.out,
  );
  return {
    outcome: isSettled(reconciliation) ? 'done' : 'failed',
    detail: `${outcomeOf(reconciliation)} (${basename(dir)})`,
  };
}

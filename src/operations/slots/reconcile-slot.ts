import { basename } from 'node:path';
import { slotPart, slotResult } from '../../core/basics/slot-result.ts';
import { dayMs, isoTime } from '../../core/time/clock.ts';
import { paymentsIn } from '../../reports/reconcile/reconcile-buckets.ts';
import { outcomeOf, type Reconciliation } from '../../reports/reconcile/reconciliation.ts';
import type { Job } from '../../runtime/jobs/define-job.ts';
import { reconcileAccount } from '../proof/reconcile-account.ts';
import type { SlotOutcome } from './claimed-slot.ts';
import { callsOf } from './slot-batch.ts';
import type { SlotRunnerDeps } from './slot-files.ts';

/**
 * Compares the days before a slot with the service, and writes the reports to the same place as `airbatch reconcile`.
 * Open items make the slot fail, so that people are notified.
 */
export async function reconcileSlot(
  { session, withAccount }: Pick<SlotRunnerDeps, 'session' | 'withAccount'>,
  job: Job,
  dueAt: number,
  days: number,
): Promise<SlotOutcome> {
  const { reconciliation, reports, is_settled } = await callsOf(
    session,
    job,
    withAccount,
  )(reconcileAccount, {
    account: job.account,
    from: isoTime(dueAt - days * dayMs),
    to: isoTime(dueAt),
  });
  const folder = basename(reports.dir);
  const values = { count: paymentsIn(reconciliation.counts), why: whyOf(reconciliation, is_settled), folder };
  return {
    outcome: is_settled ? 'done' : 'failed',
    ...slotResult([slotPart('SLOT_RECONCILED', values, `${outcomeOf(reconciliation)} (${folder})`)]),
  };
}

/** Which of the cases of `outcomeOf` it is. */
function whyOf({ wallets, open }: Reconciliation, isSettled: boolean): 'agrees' | 'no_wallets' | 'open' | 'wallets' {
  if (isSettled) return wallets ? 'agrees' : 'no_wallets';
  return open > 0 ? 'open' : 'wallets';
}

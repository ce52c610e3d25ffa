import { basename } from 'node:path';
import { dayMs, isoTime } from '../../core/time/clock.ts';
import { outcomeOf } from '../../reports/reconcile/reconciliation.ts';
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
  return {
    outcome: is_settled ? 'done' : 'failed',
    detail: `${outcomeOf(reconciliation)} (${basename(reports.dir)})`,
  };
}

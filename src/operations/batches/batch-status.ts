import { z } from 'zod';
import type { ErrorReason } from '../../core/basics/errors.ts';
import { hasEnded, pauseReasons } from '../../core/state/batch-state.ts';
import { needsPerson } from '../../core/state/situation.ts';
import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { openPauses, whyOf } from '../../ledger/batches/pauses.ts';
import { countRows } from '../../ledger/batches/row-counts.ts';
import { countContradicted } from '../../ledger/reporting/contradictions.ts';
import { costsOfBatch } from '../../ledger/rows/costs.ts';
import type { Session } from '../../runtime/session/session.ts';
import type { AccountNow } from '../base/account-now.ts';
import { approvals, approvalsNow } from '../base/approvals-now.ts';
import { situationText } from '../base/blockers.ts';
import { accountName, batchId, batchStatus, priority, stableReason, sums, time } from '../base/fields.ts';
import { finishFields, finishNow } from '../base/finish-now.ts';
import { situationNow } from '../base/situation-now.ts';

const text = z.string().nullable();

/** A batch at this moment. */
export const statusShape = z.strictObject({
  batch_id: batchId,
  run_id: z.string(),
  account: accountName,
  service: z.string(),
  file_name: z.string(),
  status: batchStatus,
  /** What the batch is doing, in a few words: `status`, or details that `status` does not show. */
  stands: z.string(),
  /** Whether something is needed that a person can give; false for a batch that has ended. */
  needs_person: z.boolean(),
  /** The process that works for its account now (`host/pid/start`), or null if there is none. */
  worker: text,
  /** Why it is paused. The first pause must be dealt with first. */
  pauses: z.array(
    z.strictObject({
      reason: z.enum(pauseReasons),
      detail: text,
      /** Says the same as `detail`; null if a person or an earlier version has written it. */
      detail_reason: stableReason,
      paused_by: z.string(),
      since: time,
    }),
  ),
  /** Why a person rejected or withdrew it (`cancelled`), or why its file could not be read (`rejected`). */
  rejection: text,
  /** Says the same as `rejection`, if the file could not be read. */
  rejection_reason: stableReason,
  /** Who rejected it; null if nobody did. */
  rejected_by: text,
  /** Who withdrew it: the person who had submitted it; null if nobody did. */
  withdrawn_by: text,
  created_by: z.string(),
  created_at: time,
  approved_by: text,
  approved_at: time.nullable(),
  approvals,
  priority,
  ...finishFields,
  /** Rows by status. */
  counts: z.record(z.string(), z.int()),
  /** Failed rows that count as paid, because the service contradicts the failure. */
  contradicted: z.int(),
  /** What the batch has been charged so far, by the currency of the wallets. */
  charged: sums,
});
export type Status = z.output<typeof statusShape>;

export async function statusOf(session: Session, batch: BatchRecord, account: AccountNow): Promise<Status> {
  const { db, clock } = session;
  const { batch_id, run_id, service, file_name, status, rejection, rejection_reason } = batch;
  const counts = await countRows(db, batch_id);
  const situation = await situationNow(session, batch, { counts, account });
  return {
    ...{ batch_id, run_id, account: batch.account, service, file_name, status },
    stands: situationText(batch, situation),
    needs_person: !hasEnded(status) && needsPerson(situation),
    worker: account.worker,
    pauses: (await openPauses(db, batch)).map((pause) => ({
      ...{ reason: pause.reason, detail: pause.detail, detail_reason: whyOf(pause).reason },
      ...{ paused_by: pause.paused_by, since: isoTime(pause.since) },
    })),
    rejection,
    rejection_reason: rejection_reason === null ? null : (JSON.parse(rejection_reason) as ErrorReason),
    rejected_by: batch.rejected_by,
    withdrawn_by: batch.withdrawn_by,
    created_by: batch.created_by,
    created_at: isoTime(batch.created_at),
    approved_by: batch.approved_by,
    approved_at: isoOrNull(batch.approved_at),
    approvals: await approvalsNow(session, batch),
    priority: batch.priority,
    ...finishNow(batch, account, clock.now()),
    counts: Object.fromEntries(counts),
    contradicted: await countContradicted(db, batch_id),
    charged: Object.fromEntries(await costsOfBatch(db, batch_id)),
  };
}

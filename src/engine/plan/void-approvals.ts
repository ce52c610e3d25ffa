import { storedPolicy } from '../../core/state/batch-policy.ts';
import type { EventWhy } from '../../core/state/event-whys.ts';
import { type Actor, inUnitOf } from '../../ledger/actor.ts';
import { deleteApprovals } from '../../ledger/batches/approvals.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { approvalNeeded } from './approval.ts';
import { requestedNow } from './preflight.ts';

/** Voids the approvals of a batch that still waits for others: what these people saw has changed. */
export async function voidApprovals(unit: Unit, batchId: string, why: EventWhy): Promise<void> {
  const { status } = await requireBatch(unit.tx, batchId);
  if (status !== 'awaiting_approval' || (await deleteApprovals(unit.tx, batchId)) === 0) return;
  await unit.append(batchId, 'batch.void_approvals', { why });
}

/** Counts again how many people must approve a batch that waits, after its rows have changed. */
export async function renewApprovalsNeeded(actor: Actor, batchId: string): Promise<void> {
  const batch = await requireBatch(actor.db, batchId);
  if (batch.status !== 'awaiting_approval') return;
  const needed = approvalNeeded(storedPolicy(batch.policy), await requestedNow(actor.db, batchId));
  await inUnitOf(actor, (unit) => unit.noteBatch(batch, { approvals_needed: needed?.approvers ?? 1 }));
}

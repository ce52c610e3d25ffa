import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { cancelUnsent } from '../../engine/batches/batch-commands.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { stepsToMove } from '../../ledger/drafts/draft-changes.ts';
import { type DraftRecord, dropBatchOfDraft, requireDraft, requireOpenDraft } from '../../ledger/drafts/drafts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import type { OperationContext } from '../base/operation.ts';
import { changedMeanwhile } from '../mending/change-rows.ts';
import { draftId, version } from '../mending/draft-fields.ts';
import { step, stepJson } from '../mending/step-json.ts';

export const changeInput = z.strictObject({ draft_id: draftId, version });

/** What every change of a draft answers. */
export const changeResult = z.strictObject({
  draft_id: draftId,
  version: z.int(),
  undo: step.nullable(),
  redo: step.nullable(),
});

/**
 * Changes an open draft of the version that the caller has seen. `change` calls `dropPlan` right before it writes, once
 * nothing can refuse the change: a batch that was planned of the draft and not submitted is then cancelled, because it
 * is no longer what the draft says. A refused change leaves the plan of a colleague as it is. Throws `DRAFT_STATE` or
 * `CHANGED_MEANWHILE`.
 */
export async function changing<Done extends object>(
  { session, actor, withAccount }: OperationContext,
  { draft_id, version }: z.output<typeof changeInput>,
  change: (draft: DraftRecord, account: OpenAccount, dropPlan: () => Promise<void>) => Promise<Done>,
): Promise<Done & z.output<typeof changeResult>> {
  const { db } = session;
  const draft = await requireSeenDraft(db, { draft_id, version });
  const dropPlan = () => dropPlanned(actor, draft);
  const done = await withAccount(draft.account, (account) => change(draft, account, dropPlan));
  const now = await requireDraft(db, draft_id);
  const { undo, redo } = await stepsToMove(db, draft_id);
  return { ...done, draft_id, version: now.version, undo: undo && stepJson(undo), redo: redo && stepJson(redo) };
}

/** The open draft, of the version that the caller has seen. Throws `DRAFT_STATE` or `CHANGED_MEANWHILE`. */
export async function requireSeenDraft(
  db: Queryable,
  { draft_id, version }: z.output<typeof changeInput>,
): Promise<DraftRecord> {
  const draft = await requireOpenDraft(db, draft_id);
  if (version !== undefined && version !== draft.version) throw changedMeanwhile(draft);
  return draft;
}

/** Cancels a batch that was planned of the draft, if any. Throws `DRAFT_STATE` if it was submitted. */
export async function dropPlanned(actor: OperationContext['actor'], draft: DraftRecord): Promise<void> {
  const { batch_id: batchId } = draft;
  if (batchId === null) return;
  const requireUndecided = ({ status }: BatchRecord) => {
    if (!['validated', 'cancelled', 'rejected'].includes(status))
      throw new AirbatchError('DRAFT_STATE', `draft ${draft.draft_id} was submitted as batch ${batchId}`);
  };
  const batch = await requireBatch(actor.db, batchId);
  requireUndecided(batch);
  // Checked again as it is cancelled: somebody else may submit it at this moment.
  if (batch.status === 'validated') await cancelUnsent(actor, batchId, 'its draft was changed', requireUndecided);
  await actor.db.transact((tx) => dropBatchOfDraft(tx, draft));
}

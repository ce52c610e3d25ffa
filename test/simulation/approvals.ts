import { AirbatchError } from '../../src/core/basics/errors.ts';
import { approve, requestApproval } from '../../src/engine/batches/batch-commands.ts';
import { approvalsOf } from '../../src/ledger/batches/approvals.ts';
import { type BatchRecord, listBatches } from '../../src/ledger/batches/batches.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { approvalBy, unplanned } from '../support/ledger.ts';
import type { SimulatedProcess } from './process.ts';
import { note, type World } from './world.ts';

const submitter = 'submitter';

/** What a batch has that waits for a second person, as intake leaves it. */
export const waitingBatch: Pick<BatchRecord, 'policy' | 'created_by'> = {
  policy: JSON.stringify({ approval: { needed: 'always', tiers: [{ rows: 2, approvers: 2 }] } }),
  created_by: submitter,
};

/** Leaves a batch that intake has made for a second person. */
export async function leaveForApproval(db: Database, process: SimulatedProcess, batchId: string): Promise<void> {
  await requestApproval({ db, clock: process.clock, person: submitter, through: 'cli' }, batchId, approvalBy(1));
}

/**
 * Everything that people try with a batch that waits: who submitted it approves it, somebody approves what he saw
 * before it was changed, and what was changed behind the program's back; only then, from the plan's life on, the right
 * one what is right.
 */
export async function tryApprovals(world: World, process: SimulatedProcess, db: Database, life: number): Promise<void> {
  const { approvedAtLife } = world.plan;
  if (approvedAtLife === null) return;
  for (const { batch_id: batchId, status } of await listBatches(db, 10)) {
    if (status !== 'awaiting_approval') continue;
    const by = (person: string, seenDigest: string | null) =>
      approve({ db, clock: process.clock, person, through: 'cli' }, batchId, { ...unplanned, seenDigest });
    await refused(world, 'own', by(submitter, null));
    await refused(world, 'stale', by('approver', 'of another day'));
    // The approval is bound to what was validated: what somebody changes after it is not its matter.
    const edit = (from: string, to: string) =>
      db.transact((tx) =>
        tx.execute(
          `UPDATE rows SET amount = ? WHERE batch_id = ? AND amount = ?
             AND batch_id IN (SELECT batch_id FROM batches WHERE status = 'awaiting_approval')`,
          [to, batchId, from],
        ),
      );
    await edit('101', '9101');
    const isRefused = await refused(world, 'edited', by('approver', null));
    if (isRefused) await edit('9101', '101');
    if (!isRefused || !(world.approveNext || life >= approvedAtLife)) continue;
    // A program that died between two approvals has left the first.
    const approved = (await approvalsOf(db, batchId)).length > 0 ? null : await by('approver', null);
    if (approved?.status === 'approved') continue;
    if (await refused(world, 'twice', by('approver', null))) await by('another approver', null);
  }
}

/** Whether an approval was refused; other trouble ends the program, as it does elsewhere. */
async function refused(world: World, what: string, approval: Promise<unknown>): Promise<boolean> {
  try {
    await approval;
    return false;
  } catch (error) {
    const isRefusal =
      error instanceof AirbatchError && ['SECOND_PERSON_NEEDED', 'CONTENT_CHANGED', 'BATCH_STATE'].includes(error.code);
    if (!isRefusal) throw error;
    note(world, `approval_${what}`, '');
    return true;
  }
}

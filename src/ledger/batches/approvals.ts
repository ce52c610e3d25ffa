import type { Queryable } from '../drivers/database.ts';
import { saveRecord } from '../drivers/write.ts';

/** One person's approval of a batch. An approval that no longer counts is deleted; the audit log keeps it. */
export interface ApprovalRecord {
  batch_id: string;
  person: string;
  /** The door through which the person came. */
  through: string;
  /** Epoch ms. */
  approved_at: number;
  /** What the person approved: the digest of the rows, and JSON of what would be sent (`ApprovedPlan`). */
  content_sha256: string;
  plan: string;
}

/** The approvals of a batch that count, the first one first. */
export function approvalsOf(db: Queryable, batchId: string): Promise<ApprovalRecord[]> {
  return db.query('SELECT * FROM approvals WHERE batch_id = ? ORDER BY approved_at, person', [batchId]);
}

/** Stores an approval, in place of an earlier one of the same person. */
export async function saveApproval(tx: Queryable, approval: ApprovalRecord): Promise<void> {
  await saveRecord(tx, 'approvals', ['batch_id', 'person'], approval);
}

/** Deletes the approvals of a batch. Returns how many there were. */
export function deleteApprovals(tx: Queryable, batchId: string): Promise<number> {
  return tx.execute('DELETE FROM approvals WHERE batch_id = ?', [batchId]);
}

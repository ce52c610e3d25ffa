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

/** Whether the person of an approval may still approve: with the role, for the account, and not disabled or revoked. */
const isUserStill = `EXISTS (SELECT 1 FROM users JOIN user_roles ON user_roles.name = users.name
     WHERE users.name = approvals.person AND role = 'approve' AND disabled_at IS NULL
       AND (NOT EXISTS (SELECT 1 FROM user_accounts WHERE user_accounts.name = users.name)
         OR EXISTS (SELECT 1 FROM user_accounts WHERE user_accounts.name = users.name AND account = batches.account)))`;
const isKeyStill = `EXISTS (SELECT 1 FROM api_keys JOIN api_key_roles ON api_key_roles.key_id = api_keys.key_id
     WHERE api_keys.name = approvals.person AND role = 'approve' AND revoked_at IS NULL)`;
const countingSql = `SELECT approvals.* FROM approvals JOIN batches ON batches.batch_id = approvals.batch_id
   WHERE approvals.batch_id = ? AND (status <> 'awaiting_approval' OR through NOT IN ('console', 'api')
     OR (through = 'console' AND ${isUserStill}) OR (through = 'api' AND ${isKeyStill}))
   ORDER BY approved_at, person`;

/**
 * The approvals of a batch that count, the first one first. While the batch waits for more, that of a person of the
 * console or of a key that may no longer approve does not.
 */
export function approvalsOf(db: Queryable, batchId: string): Promise<ApprovalRecord[]> {
  return db.query(countingSql, [batchId]);
}

/** Stores an approval, in place of an earlier one of the same person. */
export async function saveApproval(tx: Queryable, approval: ApprovalRecord): Promise<void> {
  await saveRecord(tx, 'approvals', ['batch_id', 'person'], approval);
}

/** Deletes the approvals of a batch. Returns how many there were. */
export function deleteApprovals(tx: Queryable, batchId: string): Promise<number> {
  return tx.execute('DELETE FROM approvals WHERE batch_id = ?', [batchId]);
}

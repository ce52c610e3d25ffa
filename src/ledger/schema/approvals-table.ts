/** The migration that makes each approval a row: more than one person may have to approve a batch. */
export const approvalsTable: readonly string[] = [
  `CREATE TABLE approvals (
    batch_id TEXT NOT NULL,
    person TEXT NOT NULL,
    through TEXT NOT NULL,
    approved_at BIGINT NOT NULL,
    content_sha256 TEXT NOT NULL,
    plan TEXT NOT NULL,
    PRIMARY KEY (batch_id, person)
  )`,
  // How many different people must approve the batch; 0 if nobody was asked.
  'ALTER TABLE batches ADD COLUMN approvals_needed INTEGER NOT NULL DEFAULT 0',
  `UPDATE batches SET approvals_needed = 1
    WHERE status = 'awaiting_approval' OR approved_plan LIKE '%"asked":true%'`,
  // Earlier versions did not keep the door. The audit log has it.
  `INSERT INTO approvals (batch_id, person, through, approved_at, content_sha256, plan)
    SELECT batch_id, approved_by, 'cli', approved_at, COALESCE(content_sha256, ''), approved_plan FROM batches
    WHERE approved_plan LIKE '%"asked":true%' AND approved_by IS NOT NULL AND approved_at IS NOT NULL`,
];

/** The migration that replaces facts about single batches by columns, which are deleted with the batch. */
export const batchFacts: readonly string[] = [
  // The folder of its reports, if it is not the configured one.
  'ALTER TABLE batches ADD COLUMN reports_place TEXT',
  `UPDATE batches SET reports_place = (SELECT value FROM facts WHERE name = 'reports_out:' || batch_id)`,
  // Whether the retry by its job's policy is still to be made, and for which end of the batch (epoch ms) it was
  // decided.
  'ALTER TABLE batches ADD COLUMN retry_is_due INTEGER',
  'ALTER TABLE batches ADD COLUMN retry_decided_for BIGINT',
  `UPDATE batches SET retry_is_due = 1 WHERE 'due' = (SELECT value FROM facts WHERE name = 'job_retry:' || batch_id)`,
  `UPDATE batches SET retry_decided_for =
    (SELECT CAST(value AS BIGINT) FROM facts WHERE name = 'job_retry:' || batch_id AND value <> 'due')`,
  "DELETE FROM facts WHERE name LIKE 'reports_out:%' OR name LIKE 'job_retry:%'",
];

/** What an earlier reconciliation is shown by: its batch, and what ledger and service charged (sums by currency). */
export const reconciliationFacts: readonly string[] = [
  'ALTER TABLE reconciliations ADD COLUMN batch_id TEXT',
  'ALTER TABLE reconciliations ADD COLUMN charged_by_ledger TEXT',
  'ALTER TABLE reconciliations ADD COLUMN charged_by_service TEXT',
];

/** Who withdrew a batch that they had submitted, before it was approved. */
export const withdrawal: readonly string[] = ['ALTER TABLE batches ADD COLUMN withdrawn_by TEXT'];

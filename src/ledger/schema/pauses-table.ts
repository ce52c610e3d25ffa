/** The last event with which a person paused the batch: only the engine's own pauses have a reason in their data. */
const byPerson = `(SELECT EVENT FROM events WHERE events.batch_id = batches.batch_id
  AND (kind = 'batch.pause_besides' OR (kind = 'batch.pause' AND body NOT LIKE '%"reason":%'))
  ORDER BY seq DESC LIMIT 1)`;
/** The last event with which the batch was paused for the reason in its record. */
const byReason = `(SELECT EVENT FROM events WHERE events.batch_id = batches.batch_id
  AND kind = 'batch.pause' ORDER BY seq DESC LIMIT 1)`;

function whoAndSince(event: string): string {
  return `COALESCE(${event.replace('EVENT', 'actor')}, 'engine'), COALESCE(${event.replace('EVENT', 'at')}, created_at)`;
}

/**
 * The migration that makes pauses a table. Before, a batch had one reason, a fact stored that a person had paused it as
 * well, and another fact stored why an account sends nothing.
 */
export const pausesTable: readonly string[] = [
  `CREATE TABLE pauses (
    account TEXT NOT NULL,
    batch_id TEXT,
    reason TEXT NOT NULL,
    detail TEXT,
    paused_by TEXT NOT NULL,
    since BIGINT NOT NULL,
    cleared_at BIGINT,
    cleared_by TEXT
  )`,
  `CREATE UNIQUE INDEX pauses_open ON pauses (account, COALESCE(batch_id, ''), reason) WHERE cleared_at IS NULL`,
  `INSERT INTO pauses (account, batch_id, reason, detail, paused_by, since)
    SELECT account, batch_id, COALESCE(pause_reason, 'by_person'), pause_detail, ${whoAndSince(byReason)}
    FROM batches WHERE status = 'paused'`,
  `INSERT INTO pauses (account, batch_id, reason, detail, paused_by, since)
    SELECT account, batch_id, 'by_person', facts.value, ${whoAndSince(byPerson)}
    FROM batches JOIN facts ON facts.name = 'paused_by_person:' || batch_id
    WHERE status = 'paused' AND COALESCE(pause_reason, 'by_person') <> 'by_person'`,
  `INSERT INTO pauses (account, batch_id, reason, detail, paused_by, since)
    SELECT SUBSTR(name, 8), NULL, 'service_mismatch', value, 'engine',
      COALESCE((SELECT MAX(since) FROM pauses WHERE account = SUBSTR(name, 8) AND reason = 'service_mismatch'), 0)
    FROM facts WHERE name LIKE 'halted:%'`,
  "DELETE FROM facts WHERE name LIKE 'halted:%' OR name LIKE 'paused_by_person:%'",
  'ALTER TABLE batches DROP COLUMN pause_reason',
  'ALTER TABLE batches DROP COLUMN pause_detail',
];

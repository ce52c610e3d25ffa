/** The migration that adds what people do about rows in doubt. */
export const doubtsTable: readonly string[] = [
  `CREATE TABLE doubts (
    batch_id TEXT NOT NULL,
    row_no INTEGER NOT NULL,
    owner TEXT,
    looked_up_at BIGINT,
    looked_up_by TEXT,
    look_up TEXT,
    PRIMARY KEY (batch_id, row_no)
  )`,
];

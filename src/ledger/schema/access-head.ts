/** The end of the chain of access events, in one record: the number and the hash of the last event. */
export const accessHeadTable: readonly string[] = [
  'CREATE TABLE access_head (seq BIGINT NOT NULL, hash TEXT NOT NULL)',
  `INSERT INTO access_head (seq, hash)
   SELECT COUNT(*), COALESCE((SELECT hash FROM access_events ORDER BY seq DESC LIMIT 1), '${'0'.repeat(64)}')
   FROM access_events`,
];

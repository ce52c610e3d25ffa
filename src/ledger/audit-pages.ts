import type { Queryable } from './database.ts';
import type { AuditEvent } from './events.ts';

/** A page of what happened to one row, after event `afterSeq` (0 for the first page). */
export function pageRowEvents(
  db: Queryable,
  batchId: string,
  rowNo: number,
  afterSeq: number,
  limit: number,
): Promise<AuditEvent[]> {
  return db.query('SELECT * FROM events WHERE batch_id = ? AND row_no = ? AND seq > ? ORDER BY seq LIMIT ?', [
    batchId,
    rowNo,
    afterSeq,
    limit,
  ]);
}

/** What happened lately to batches as a whole, and what persons did to rows; the newest first. */
export function latestEvents(db: Queryable, limit: number): Promise<AuditEvent[]> {
  return db.query(
    `SELECT * FROM events WHERE row_no IS NULL OR actor NOT IN ('engine', 'intake')
     ORDER BY at DESC, batch_id DESC, seq DESC LIMIT ?`,
    [limit],
  );
}

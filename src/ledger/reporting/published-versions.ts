import type { Queryable } from '../drivers/database.ts';
import type { Unit } from '../unit-of-work.ts';

/**
 * The event that a version of a batch's reports was given out: it is in that version itself, as the last of its
 * events.
 */
const kind = 'batch.report';

/** A version of a batch's reports that was given out, wherever it was written to. */
export interface PublishedVersion {
  version: number;
  /** Epoch milliseconds. */
  at: number;
  /** Its place in the batch's audit chain, and its hash. */
  seq: number;
  hash: string;
}

/** The last version of a batch's reports that was given out, up to an event of its chain; null where none was. */
export async function lastPublishedVersion(
  db: Queryable,
  batchId: string,
  uptoSeq: number,
): Promise<PublishedVersion | null> {
  const [event] = await db.query<{ at: number; seq: number; hash: string; body: string }>(
    'SELECT at, seq, hash, body FROM events WHERE batch_id = ? AND seq <= ? AND kind = ? ORDER BY seq DESC LIMIT 1',
    [batchId, uptoSeq, kind],
  );
  if (!event) return null;
  const { at, seq, hash, body } = event;
  return { version: Number(JSON.parse(body).version), at, seq, hash };
}

/** Writes down that a version is given out: from then on no other has its number. */
export function savePublishedVersion(unit: Unit, batchId: string, version: number): Promise<void> {
  return unit.append(batchId, kind, { version });
}

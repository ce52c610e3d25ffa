import { AirbatchError } from '../../core/basics/errors.ts';
import { readData } from '../audit/events.ts';
import type { Queryable } from '../drivers/database.ts';
import type { Unit } from '../unit-of-work.ts';

/** The event that a version of a batch's reports was published. It is the last event in that version itself. */
const kind = 'batch.report';

/** A published version of a batch's reports, whatever folder it was written to. */
export interface PublishedVersion {
  version: number;
  /** Epoch milliseconds. */
  at: number;
  /** Its place in the batch's audit chain, and its hash. */
  seq: number;
  hash: string;
}

/** The last version of a batch's reports that was published up to an event of its chain; null if there is none. */
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
  const version = Number(readData(body).version);
  if (!Number.isSafeInteger(version))
    throw new AirbatchError(
      'LEDGER_DAMAGED',
      `event ${seq} of batch ${batchId} does not say which version it published`,
    );
  return { version, at, seq, hash };
}

/** Records that a version is published. From then on, no other version gets its number. */
export function savePublishedVersion(unit: Unit, batchId: string, version: number): Promise<void> {
  return unit.append(batchId, kind, { version });
}

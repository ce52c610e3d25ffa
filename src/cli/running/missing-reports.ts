import { join } from 'node:path';
import { dayMs } from '../../core/time/clock.ts';
import { lastLateAt } from '../../ledger/audit/events.ts';
import { completedSince } from '../../ledger/batches/batches.ts';
import { readVersion } from '../../reports/versions/versions.ts';
import type { Session } from '../../runtime/session/session.ts';

/**
 * How long after its end a batch is looked after: reports that somebody has moved away later do not come again by
 * themselves.
 */
const missingWithinMs = dayMs;

/**
 * The completed batches whose reports a program was killed before, or could not write: the folder has none, only those
 * of before the end, or those of before the service said something late.
 */
export async function batchesWithoutReports(
  { db, clock }: Pick<Session, 'db' | 'clock'>,
  out: string,
): Promise<string[]> {
  const found: string[] = [];
  for (const { batch_id } of await completedSince(db, clock.now() - missingWithinMs)) {
    const version = await readVersion(join(out, batch_id));
    const isCurrent = version?.isFinal === true && (await lastLateAt(db, batch_id, version.audit.events)) === null;
    if (!isCurrent) found.push(batch_id);
  }
  return found;
}

import type { Queryable } from '../drivers/database.ts';
import { readValue } from '../drivers/read.ts';

/** The folder for the reports of a batch if it is not the configured one (`--out`), else null. */
export function reportPlace(db: Queryable, batchId: string): Promise<string | null> {
  return readValue(db, 'SELECT reports_place FROM batches WHERE batch_id = ?', [batchId]);
}

/** Stores that folder; null for the configured one. */
export async function noteReportPlace(tx: Queryable, batchId: string, place: string | null): Promise<void> {
  await tx.execute('UPDATE batches SET reports_place = ? WHERE batch_id = ?', [place, batchId]);
}

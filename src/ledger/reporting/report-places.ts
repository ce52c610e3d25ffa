import type { Queryable } from '../drivers/database.ts';

/** The folder for the reports of a batch if it is not the configured one (`--out`), else null. */
export async function reportPlace(db: Queryable, batchId: string): Promise<string | null> {
  const [batch] = await db.query<{ reports_place: string | null }>(
    'SELECT reports_place FROM batches WHERE batch_id = ?',
    [batchId],
  );
  return batch?.reports_place ?? null;
}

/** Stores that folder; null for the configured one. */
export async function noteReportPlace(tx: Queryable, batchId: string, place: string | null): Promise<void> {
  await tx.execute('UPDATE batches SET reports_place = ? WHERE batch_id = ?', [place, batchId]);
}

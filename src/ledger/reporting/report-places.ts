import type { Queryable } from '../drivers/database.ts';
import { forgetFact, readFact, writeFact } from '../schema/facts.ts';

/** The folder for the reports of a batch if it is not the configured one (`--out`), else null. */
export function reportPlace(db: Queryable, batchId: string): Promise<string | null> {
  return readFact(db, factName(batchId));
}

/** Stores that folder; null for the configured one. */
export function noteReportPlace(tx: Queryable, batchId: string, place: string | null): Promise<void> {
  return place === null ? forgetFact(tx, factName(batchId)) : writeFact(tx, factName(batchId), place);
}

const factName = (batchId: string) => `reports_out:${batchId}`;

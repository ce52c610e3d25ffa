import type { Queryable } from '../drivers/database.ts';
import { forgetFact, readFact, writeFact } from '../schema/facts.ts';

/** The folder in which the reports of a batch are written where it is not the configured one (`--out`), or null. */
export function reportPlace(db: Queryable, batchId: string): Promise<string | null> {
  return readFact(db, factName(batchId));
}

/** Null for the configured folder. */
export function noteReportPlace(tx: Queryable, batchId: string, place: string | null): Promise<void> {
  return place === null ? forgetFact(tx, factName(batchId)) : writeFact(tx, factName(batchId), place);
}

const factName = (batchId: string) => `reports_out:${batchId}`;

import type { Queryable } from '../drivers/database.ts';
import { readFact, writeFact } from '../schema/facts.ts';

/** The folder from which a job last took files, or null. */
export function usedFolder(db: Queryable, job: string): Promise<string | null> {
  return readFact(db, factName(job));
}

export function noteUsedFolder(tx: Queryable, job: string, folder: string): Promise<void> {
  return writeFact(tx, factName(job), folder);
}

const factName = (job: string) => `job_folder:${job}`;

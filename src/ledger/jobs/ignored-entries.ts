import type { Queryable } from '../drivers/database.ts';
import { forgetFact, readFact, writeFact } from '../schema/facts.ts';

/**
 * Records the entries in a job's inbox that are not files. Returns those that were not there at the last call: people
 * have been notified of the others.
 */
export async function noteIgnoredEntries(tx: Queryable, job: string, names: readonly string[]): Promise<string[]> {
  const noted = await readFact(tx, factName(job));
  const known = new Set(noted === null ? [] : (JSON.parse(noted) as string[]));
  if (names.length > 0) await writeFact(tx, factName(job), JSON.stringify(names));
  else if (noted !== null) await forgetFact(tx, factName(job));
  return names.filter((name) => !known.has(name));
}

const factName = (job: string) => `job_ignored:${job}`;

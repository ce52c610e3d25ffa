import type { Queryable } from '../drivers/database.ts';
import { forgetFact, readFact, writeFact } from '../schema/facts.ts';

/**
 * Notes what lies in the inbox of a job and is no file. Returns what was not there when it was noted last: people know
 * of the rest.
 */
export async function noteIgnoredEntries(tx: Queryable, job: string, names: readonly string[]): Promise<string[]> {
  const noted = await readFact(tx, factName(job));
  const known = new Set(noted === null ? [] : (JSON.parse(noted) as string[]));
  if (names.length > 0) await writeFact(tx, factName(job), JSON.stringify(names));
  else if (noted !== null) await forgetFact(tx, factName(job));
  return names.filter((name) => !known.has(name));
}

const factName = (job: string) => `job_ignored:${job}`;

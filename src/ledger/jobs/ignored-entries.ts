import type { Queryable } from '../drivers/database.ts';
import { jobState } from '../schema/state-columns.ts';

/**
 * Records the entries in a job's inbox that are not files. Returns those that were not there at the last call: people
 * have been notified of the others.
 */
export async function noteIgnoredEntries(tx: Queryable, job: string, names: readonly string[]): Promise<string[]> {
  const noted = await jobState.ignoredEntries.read(tx, job);
  const known = new Set(noted === null ? [] : (JSON.parse(noted) as string[]));
  await jobState.ignoredEntries.write(tx, job, names.length > 0 ? JSON.stringify(names) : null);
  return names.filter((name) => !known.has(name));
}

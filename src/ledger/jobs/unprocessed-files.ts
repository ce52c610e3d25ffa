import type { Queryable } from '../drivers/database.ts';
import { forgetFact, readFact, writeFact } from '../schema/facts.ts';

/**
 * A file in a job's `working` of which there is no batch, or none that was decided about, and that no slot takes up by
 * itself.
 */
export interface LeftFile {
  /** Its name there. */
  file: string;
  /** The due time (epoch ms) of the slot that brings it when it is run again; null where none does. */
  due_at: number | null;
}

/** What of a job was left, and since when (epoch ms) the last of it is known. */
export interface LeftFiles {
  noted_at: number;
  files: LeftFile[];
}

export async function leftFiles(db: Queryable, job: string): Promise<LeftFiles | null> {
  const noted = await readFact(db, factName(job));
  return noted === null ? null : (JSON.parse(noted) as LeftFiles);
}

/** Notes what of a job is left now. True where a file of it is new. */
export async function noteLeftFiles(
  tx: Queryable,
  job: string,
  files: readonly LeftFile[],
  now: number,
): Promise<boolean> {
  const before = await leftFiles(tx, job);
  const isNew = files.some(({ file }) => !before?.files.some((known) => known.file === file));
  if (files.length > 0)
    await writeFact(tx, factName(job), JSON.stringify({ noted_at: isNew ? now : before?.noted_at, files }));
  else if (before !== null) await forgetFact(tx, factName(job));
  return isNew;
}

const factName = (job: string) => `job_left:${job}`;

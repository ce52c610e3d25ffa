import type { Queryable } from '../drivers/database.ts';
import { jobState } from '../schema/state-columns.ts';

/**
 * A file in a job's `working` folder without a batch, or whose batch was not decided, that no slot processes by itself.
 */
export interface UnprocessedFile {
  /** Its name in that folder. */
  file: string;
  /** The due time (epoch ms) of the slot that processes it when the slot is run again; null if none does. */
  due_at: number | null;
}

/** The unprocessed files of a job, and when the latest of them was first noticed (epoch ms). */
export interface UnprocessedFiles {
  noted_at: number;
  files: UnprocessedFile[];
}

export async function findUnprocessedFiles(db: Queryable, job: string): Promise<UnprocessedFiles | null> {
  const noted = await jobState.unprocessedFiles.read(db, job);
  return noted === null ? null : (JSON.parse(noted) as UnprocessedFiles);
}

/** Stores the unprocessed files of a job. Returns true if one of them is new. */
export async function saveUnprocessedFiles(
  tx: Queryable,
  job: string,
  files: readonly UnprocessedFile[],
  now: number,
): Promise<boolean> {
  const before = await findUnprocessedFiles(tx, job);
  const isNew = files.some(({ file }) => !before?.files.some((known) => known.file === file));
  const left = { noted_at: isNew ? now : before?.noted_at, files };
  await jobState.unprocessedFiles.write(tx, job, files.length > 0 ? JSON.stringify(left) : null);
  return isNew;
}

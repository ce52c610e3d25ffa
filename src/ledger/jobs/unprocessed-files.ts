import type { Queryable } from '../drivers/database.ts';
import { jobState } from '../schema/state-columns.ts';

/**
 * A file in a job's `working` folder without a batch, or whose batch was not decided, that no slot processes by itself.
 */
export interface LeftFile {
  /** Its name in that folder. */
  file: string;
  /** The due time (epoch ms) of the slot that processes it when the slot is run again; null if none does. */
  due_at: number | null;
}

/** The unprocessed files of a job, and when the latest of them was first noticed (epoch ms). */
export interface LeftFiles {
  noted_at: number;
  files: LeftFile[];
}

export async function leftFiles(db: Queryable, job: string): Promise<LeftFiles | null> {
  const noted = await jobState.unprocessedFiles.read(db, job);
  return noted === null ? null : (JSON.parse(noted) as LeftFiles);
}

/** Stores the unprocessed files of a job. Returns true if one of them is new. */
export async function noteLeftFiles(
  tx: Queryable,
  job: string,
  files: readonly LeftFile[],
  now: number,
): Promise<boolean> {
  const before = await leftFiles(tx, job);
  const isNew = files.some(({ file }) => !before?.files.some((known) => known.file === file));
  const left = { noted_at: isNew ? now : before?.noted_at, files };
  await jobState.unprocessedFiles.write(tx, job, files.length > 0 ? JSON.stringify(left) : null);
  return isNew;
}

import type { Queryable } from '../drivers/database.ts';
import { insertRecord } from '../drivers/write.ts';

/** A file that is being read into a batch: by which process, and until when (epoch ms) unless the process renews it. */
export interface Reading {
  batch_id: string;
  /**
   * `host/pid/start`, as for leases; `host/pid/start/ending` for a process that deletes the rows of an interrupted
   * reading.
   */
  holder: string;
  expires_at: number;
}

export async function beginReading(tx: Queryable, reading: Reading): Promise<void> {
  await insertRecord(tx, 'readings', reading);
}

/** Renews a reading. Returns false if another process took the reader for dead and ended the reading. */
export async function renewReading(tx: Queryable, { batch_id, holder, expires_at }: Reading): Promise<boolean> {
  const changed = await tx.execute('UPDATE readings SET expires_at = ? WHERE batch_id = ? AND holder = ?', [
    expires_at,
    batch_id,
    holder,
  ]);
  return changed === 1;
}

/**
 * Takes a reading away from its reader, unless the reader has renewed it since. `ender` then has until `until` to
 * delete what was read, and nobody disturbs it while its own process lives. Returns false if another process was first.
 */
export async function takeOverReading(tx: Queryable, seen: Reading, ender: string, until: number): Promise<boolean> {
  const changed = await tx.execute(
    'UPDATE readings SET holder = ?, expires_at = ? WHERE batch_id = ? AND holder = ? AND expires_at <= ?',
    // The suffix distinguishes it from a reader, which may be the same process.
    [`${ender}/ending`, until, seen.batch_id, seen.holder, seen.expires_at],
  );
  return changed === 1;
}

export async function endReading(tx: Queryable, batchId: string): Promise<void> {
  await tx.execute('DELETE FROM readings WHERE batch_id = ?', [batchId]);
}

/** All files that are being read, including those whose reader has crashed. */
export function listReadings(db: Queryable): Promise<Reading[]> {
  return db.query('SELECT * FROM readings ORDER BY batch_id');
}

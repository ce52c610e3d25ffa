import type { Queryable } from '../drivers/database.ts';

/**
 * A file that is being read into a batch: by whom, and until when (epoch ms) unless the reader says again that it goes
 * on.
 */
export interface Reading {
  batch_id: string;
  /**
   * `host/pid/start`, as for leases; `host/pid/start/ending` of a process that takes out of the ledger what was read.
   */
  holder: string;
  expires_at: number;
}

export async function beginReading(tx: Queryable, { batch_id, holder, expires_at }: Reading): Promise<void> {
  await tx.execute('INSERT INTO readings (batch_id, holder, expires_at) VALUES (?, ?, ?)', [
    batch_id,
    holder,
    expires_at,
  ]);
}

/** Says that the reading goes on. False when somebody has ended it, taking its reader for dead. */
export async function renewReading(tx: Queryable, { batch_id, holder, expires_at }: Reading): Promise<boolean> {
  const changed = await tx.execute('UPDATE readings SET expires_at = ? WHERE batch_id = ? AND holder = ?', [
    expires_at,
    batch_id,
    holder,
  ]);
  return changed === 1;
}

/**
 * Shuts the reader out, as long as it has not said since that it goes on: `ender` ends the reading, until `until`
 * without being disturbed while its own process lives. False when somebody else was faster.
 */
export async function takeOverReading(tx: Queryable, seen: Reading, ender: string, until: number): Promise<boolean> {
  const changed = await tx.execute(
    'UPDATE readings SET holder = ?, expires_at = ? WHERE batch_id = ? AND holder = ? AND expires_at <= ?',
    // It is no reader, though it may be the same process.
    [`${ender}/ending`, until, seen.batch_id, seen.holder, seen.expires_at],
  );
  return changed === 1;
}

export async function endReading(tx: Queryable, batchId: string): Promise<void> {
  await tx.execute('DELETE FROM readings WHERE batch_id = ?', [batchId]);
}

/** Every file that is being read, or was when its reader ended without a word. */
export function listReadings(db: Queryable): Promise<Reading[]> {
  return db.query('SELECT * FROM readings ORDER BY batch_id');
}

import { systemClock } from '../../core/time/clock.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { openSqlite } from '../../ledger/drivers/sqlite/sqlite.ts';
import { migrate } from '../../ledger/schema/schema.ts';
import { isDeadProcess } from './process-holder.ts';

/** Opens the ledger at `path`; creates it, or upgrades its schema, if needed. */
export async function openLedger(path: string): Promise<Database> {
  const db = openSqlite(path);
  try {
    await migrate(db, ({ holder, expires_at }) => expires_at > systemClock.now() && !isDeadProcess(holder));
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

import type { Queryable } from '../drivers/database.ts';
import { readColumn } from '../drivers/read.ts';

/** The accounts that have an open batch, or a webhook that is not handled. */
export async function accountsWithWork(db: Queryable): Promise<Set<string>> {
  const sql = `SELECT account FROM batches WHERE status IN ('approved', 'running', 'paused')
     UNION SELECT account FROM inbox WHERE due_at IS NOT NULL`;
  return new Set(await readColumn<string>(db, sql));
}

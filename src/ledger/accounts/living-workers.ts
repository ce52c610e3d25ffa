import type { Queryable } from '../drivers/database.ts';
import { readColumn, readValue } from '../drivers/read.ts';

/**
 * The processes that take accounts, on all machines, also those that have none now: as pg-boss knows them, which keeps
 * its tables in the same PostgreSQL database. Empty before the first one has made these tables.
 */
export async function livingWorkers(db: Queryable): Promise<string[]> {
  const table = `SELECT CAST(to_regclass('airbatch_placement.instance') AS TEXT)`;
  if ((await readValue<string>(db, table)) === null) return [];
  // As pg-boss counts them: three heartbeats without a sign of life.
  const sql = `SELECT DISTINCT name FROM airbatch_placement.instance WHERE name IS NOT NULL AND stopped_on IS NULL
       AND heartbeat_on >= clock_timestamp() - heartbeat_seconds * 3 * INTERVAL '1 second' ORDER BY name`;
  return readColumn<string>(db, sql);
}

import { writeSync } from 'node:fs';
import type { CheckpointLimits } from '../../../../src/ledger/drivers/sqlite/checkpoints.ts';
import { openSqlite } from '../../../../src/ledger/drivers/sqlite/sqlite.ts';

/** So short that a few commits have a thread bring the log into the database. */
export const soonLong: CheckpointLimits = {
  longPages: 40,
  shareMin: 0,
  countedMs: 0,
  idleMs: 60_000,
  threadPages: 20,
  behindPages: 10_000,
  lateMs: 3_600_000,
};

/** So that commits alone never do it, but a timer does all the time. */
export const soonLate: CheckpointLimits = { ...soonLong, longPages: 10_000, lateMs: 1 };

/** Writes rows 1, 2, 3, ... into the ledger at `path`, and tells of each that is durable, until it is killed. */
async function writeForEver(path: string, checkpoints: CheckpointLimits): Promise<void> {
  const db = openSqlite(path, { checkpoints });
  await db.execute('CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, text TEXT)');
  const [last] = await db.query<{ n: number | null }>('SELECT MAX(n) AS n FROM t');
  for (let n = (last?.n ?? 0) + 1; ; n++) {
    await db.transact((tx) => tx.execute('INSERT INTO t (n, text) VALUES (?, ?)', [n, 'x'.repeat(16_000)]));
    writeSync(1, `${n}\n`);
  }
}

if (process.argv[1] === import.meta.filename) {
  await writeForEver(process.argv[2] ?? '', process.argv[3] === 'late' ? soonLate : soonLong);
}

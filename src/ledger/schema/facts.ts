import type { Database, Queryable } from '../drivers/database.ts';

/** The value of a fact by its name, or null. */
export async function readFact(db: Queryable, name: string): Promise<string | null> {
  const [fact] = await db.query<{ value: string }>('SELECT value FROM facts WHERE name = ?', [name]);
  return fact?.value ?? null;
}

export async function writeFact(tx: Queryable, name: string, value: string): Promise<void> {
  await tx.execute(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    [name, value],
  );
}

export async function forgetFact(tx: Queryable, name: string): Promise<void> {
  await tx.execute('DELETE FROM facts WHERE name = ?', [name]);
}

const highestClockName = 'highest_clock_ms';

/** The highest time that any process on this ledger has seen (epoch ms), or 0. */
export async function highestClock(db: Queryable): Promise<number> {
  return Number((await readFact(db, highestClockName)) ?? 0);
}

/** Fails if the ledger cannot be written: its disk is full, or its file was moved. */
export async function proveWritable(db: Database, now: number): Promise<void> {
  await db.transact((tx) => writeFact(tx, 'proved_writable_at', String(now)));
}

/** Stores `now` if it is higher than every time before it. */
export async function raiseHighestClock(tx: Queryable, now: number): Promise<void> {
  if (now <= (await highestClock(tx))) return;
  await writeFact(tx, highestClockName, String(now));
}

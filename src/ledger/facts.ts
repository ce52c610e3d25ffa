import type { Queryable } from './database.ts';

const highestClockName = 'highest_clock_ms';

/** The highest time that any process on this ledger has seen (epoch ms), or 0. */
export async function highestClock(db: Queryable): Promise<number> {
  const [fact] = await db.query<{ value: string }>('SELECT value FROM facts WHERE name = ?', [highestClockName]);
  return fact ? Number(fact.value) : 0;
}

/** Remembers `now` when it is higher than every time before it. */
export async function raiseHighestClock(tx: Queryable, now: number): Promise<void> {
  if (now <= (await highestClock(tx))) return;
  await tx.execute(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    [highestClockName, String(now)],
  );
}

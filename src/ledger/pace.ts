import type { Queryable } from './database.ts';
import { readFact, writeFact } from './facts.ts';

/** How fast an account is sending, as its runner last noted it: for whoever watches from another process. */
export interface NotedPace {
  /** Epoch milliseconds. */
  at: number;
  /** Creations of ours in the last window, and those that the service allows in one. */
  used: number;
  limit: number;
  windowMs: number;
  /** When the next creation may start (epoch ms). */
  nextAt: number;
  /** Whether others were seen to use the account. */
  shared: boolean;
  /** Since when the service cannot be reached (epoch ms); null where it can, as far as is known. */
  unreachableSince: number | null;
}

const factName = (account: string) => `pace:${account}`;

export async function notePace(tx: Queryable, account: string, pace: NotedPace): Promise<void> {
  await writeFact(tx, factName(account), JSON.stringify(pace));
}

export async function notedPace(db: Queryable, account: string): Promise<NotedPace | null> {
  const text = await readFact(db, factName(account));
  return text === null ? null : (JSON.parse(text) as NotedPace);
}

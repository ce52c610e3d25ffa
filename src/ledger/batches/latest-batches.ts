import { type BatchState, batchStates } from '../../core/state/batch-state.ts';
import type { Queryable, SqlValue } from '../drivers/database.ts';
import { filledLists, places } from '../drivers/filled-lists.ts';
import type { BatchRecord } from './batches.ts';

/** Accounts in one statement. */
const accountsPerQuery = 50;

/** The accounts of a list of `accountLists`, after its first value. */
export const accountPlaces = places(accountsPerQuery);

/** Lists for `? = 1 OR account IN (${accountPlaces})`, one a statement: 1 for all accounts (null). */
export function accountLists(accounts: readonly string[] | null): SqlValue[][] {
  if (accounts === null) return [[1, ...Array<null>(accountsPerQuery).fill(null)]];
  return filledLists(accounts, accountsPerQuery).map((list) => [0, ...list]);
}

const latestSql = `SELECT * FROM batches WHERE (created_at, batch_id) < (?, ?)
  AND status IN (${places(batchStates.length)}) AND (? = 1 OR account IN (${accountPlaces})) ORDER BY created_at DESC, batch_id DESC LIMIT ?`;

export interface LatestBatches {
  /** Null: all accounts. */
  accounts: readonly string[] | null;
  states: readonly BatchState[];
  /** Only older batches than this one; null: the newest ones. */
  before: Pick<BatchRecord, 'created_at' | 'batch_id'> | null;
  limit: number;
}

/** The newest batches, the newest first. */
export async function latestBatches(
  db: Queryable,
  { accounts, states, before, limit }: LatestBatches,
): Promise<BatchRecord[]> {
  const { created_at, batch_id } = before ?? { created_at: Number.MAX_SAFE_INTEGER, batch_id: '' };
  const wanted = batchStates.map((state) => (states.includes(state) ? state : null));
  const found: BatchRecord[] = [];
  for (const list of accountLists(accounts))
    found.push(...(await db.query<BatchRecord>(latestSql, [created_at, batch_id, ...wanted, ...list, limit])));
  return found.toSorted(newestFirst).slice(0, limit);
}

function newestFirst(a: BatchRecord, b: BatchRecord): number {
  return b.created_at - a.created_at || (a.batch_id < b.batch_id ? 1 : -1);
}

import { type BatchState, batchStates } from '../../core/state/batch-state.ts';
import type { Queryable } from '../drivers/database.ts';
import { accountLists, accountPlaces, places } from '../drivers/filled-lists.ts';
import type { BatchRecord } from './batches.ts';

/** A batch that was planned of a draft, and not submitted: people find it in the draft. */
const planOfDraft = `SELECT 1 FROM draft_batches p LEFT JOIN drafts d ON d.draft_id = p.draft_id
  WHERE p.batch_id = batches.batch_id
    AND (d.draft_id IS NULL OR d.status <> 'submitted' OR d.batch_id <> batches.batch_id)`;

const latestSql = `SELECT * FROM batches WHERE (created_at, batch_id) < (?, ?)
  AND status IN (${places(batchStates.length)}) AND (? = 1 OR account IN (${accountPlaces}))
  AND NOT (status IN ('validated', 'cancelled') AND approved_at IS NULL AND EXISTS (${planOfDraft})) ORDER BY created_at DESC, batch_id DESC LIMIT ?`;

export interface LatestBatches {
  /** Null: all accounts. */
  accounts: readonly string[] | null;
  states: readonly BatchState[];
  /** Only older batches than this one; null: the newest ones. */
  before: Pick<BatchRecord, 'created_at' | 'batch_id'> | null;
  limit: number;
}

/** The newest batches, the newest first, without those that were planned of a draft and not submitted. */
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

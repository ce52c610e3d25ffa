import { maySend } from '../core/batch-state.ts';
import { eachPaidOnce } from '../core/same-rows.ts';
import { batchStateWords } from '../core/state-words.ts';
import { type BatchRecord, batchesWithContent, countRows } from '../ledger/batches.ts';
import type { Queryable } from '../ledger/database.ts';
import { grouped } from './words.ts';

/** Another batch of the same run that has the very same rows: each of them is paid by one of the two. */
export interface SameRows {
  batch_id: string;
  status: BatchRecord['status'];
  /** How many of them it has paid. */
  paid: number;
}

/** Finds the batches of a batch's run whose files had the same rows, and that have paid some of them or may. The latest first. */
export async function sameRowsOf(db: Queryable, batch: BatchRecord): Promise<SameRows[]> {
  if (batch.content_sha256 === null) return [];
  const found: SameRows[] = [];
  for (const { batch_id, account, run_id, status } of await batchesWithContent(db, batch.content_sha256)) {
    if (batch_id === batch.batch_id || account !== batch.account || run_id !== batch.run_id) continue;
    const paid = (await countRows(db, batch_id)).get('completed') ?? 0;
    if (paid > 0 || maySend(status)) found.push({ batch_id, status, paid });
  }
  return found;
}

/** Says of one of them that what it pays is not paid here. */
export function sameRowsText({ batch_id, status, paid }: SameRows): string {
  const sofar = paid === 0 ? '' : `, ${grouped(paid)} paid`;
  return `the same rows are in batch ${batch_id} of this very run (${batchStateWords[status].label}${sofar}): ${eachPaidOnce}`;
}

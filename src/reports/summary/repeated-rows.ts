import { z } from 'zod';
import { eachPaidOnce } from '../../core/identity/same-rows.ts';
import { batchStates } from '../../core/state/batch-state.ts';
import { batchStateTexts } from '../../core/state/state-texts.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { sharedRows } from '../../ledger/reporting/shared-rows.ts';
import { grouped } from '../text/counted-text.ts';

/** Another batch of the same run with some of the rows to pay: each of them is paid by one of the two. */
export const sameRows = z.strictObject({
  batch_id: z.string(),
  status: z.enum(batchStates),
  /** How many of the rows to pay it shares. */
  rows: z.int(),
  /** How many of these it has paid. */
  paid: z.int(),
});
export type SameRows = z.output<typeof sameRows>;

/** The batches of the same run that share rows to send and have paid some of them, or may. The latest comes first. */
export async function sameRowsOf(db: Queryable, batch: BatchRecord): Promise<SameRows[]> {
  return (await sharedRows(db, batch)).map(({ batch_id, status, rows, paid }) => ({ batch_id, status, rows, paid }));
}

/** Says that the rows that the other batch pays are not paid here. */
export function sameRowsText({ batch_id, status, rows, paid }: SameRows): string {
  const sofar = paid === 0 ? '' : `, ${grouped(paid)} of them paid`;
  return `${sharedText(rows)} also in batch ${batch_id} of this run (${batchStateTexts[status].label}${sofar}): ${eachPaidOnce}`;
}

/** "12 of the rows to pay are". */
function sharedText(rows: number): string {
  return `${grouped(rows)} of the rows to pay ${rows === 1 ? 'is' : 'are'}`;
}

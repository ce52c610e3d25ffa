import { type Actor, inUnitOf } from '../../ledger/actor.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { findDoubt, saveDoubt } from '../../ledger/rows/doubts.ts';
import { requireRowInState } from './release-or-skip.ts';

/**
 * Makes a person the owner of rows in doubt (null: nobody). Either all rows change or none. Returns how many have
 * another owner than before.
 */
export async function assignDoubts(
  actor: Actor,
  batchId: string,
  rowNos: readonly number[],
  owner: string | null,
): Promise<number> {
  await requireBatch(actor.db, batchId);
  return inUnitOf(actor, async (unit) => {
    let changed = 0;
    for (const rowNo of rowNos) {
      const row = await requireRowInState(unit.tx, { batchId, rowNo, status: 'in_doubt' });
      const before = (await findDoubt(unit.tx, row))?.owner ?? null;
      if (before === owner) continue;
      await saveDoubt(unit.tx, row, { owner });
      await unit.append(batchId, 'row.assign', { owner, before }, rowNo);
      changed += 1;
    }
    return changed;
  });
}

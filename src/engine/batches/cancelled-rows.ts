import type { Actor } from '../../ledger/actor.ts';
import { cancelledWithRows } from '../../ledger/batches/row-counts.ts';
import { pageRowsInState } from '../../ledger/rows/rows.ts';
import { inUnit, type UnitOptions } from '../../ledger/unit-of-work.ts';

/** Rows changed in one transaction: it delays other writers by about 30 ms. */
const rowsPerUnit = 500;

/**
 * Cancels the remaining rows of cancelled batches, so that no row of them appears to wait for its turn. This runs after
 * the batch itself is cancelled, because changing a million rows in one transaction would delay every other writer. It
 * also runs at each start, because a crash may have interrupted it.
 */
export async function cancelRowsLeft(
  { db, clock }: Pick<Actor, 'db' | 'clock'>,
  by: Pick<UnitOptions, 'actor' | 'through'>,
): Promise<void> {
  for (const batchId of await cancelledWithRows(db)) {
    for (const state of ['ready', 'held'] as const) {
      for (;;) {
        const changed = await inUnit(db, { clock, ...by }, async (unit) => {
          const rows = await pageRowsInState(unit.tx, batchId, state, 0, rowsPerUnit);
          for (const row of rows) await unit.changeRow(row, 'cancel', {}, {});
          return rows.length;
        });
        if (changed < rowsPerUnit) break;
        await clock.turn();
      }
    }
  }
}

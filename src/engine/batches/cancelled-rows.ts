import type { Actor } from '../../ledger/actor.ts';
import { cancelledWithRows } from '../../ledger/batches/batch-counts.ts';
import { pageRowsInState } from '../../ledger/rows/rows.ts';
import { inUnit, type UnitOptions } from '../../ledger/unit-of-work.ts';

/** Rows changed in one transaction: other writers wait for some 30 ms. */
const rowsPerUnit = 500;

/**
 * Cancels what is left of cancelled batches, so that no row of them is called one that waits for its turn: after the
 * batch itself, since a million rows would hold up every other writer, and at each start, since a crash may have come
 * between.
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

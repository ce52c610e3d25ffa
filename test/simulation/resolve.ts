import { AirbatchError } from '../../src/core/basics/errors.ts';
import { type ResolvingService, resolveOverdue } from '../../src/engine/decisions/resolve.ts';
import { unfinishedBatches } from '../../src/ledger/batches/batches.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { firstOverdue } from '../../src/ledger/rows/in-flight-rows.ts';
import type { SimulatedProcess } from './process.ts';
import { note, type World } from './world.ts';

/** Every row that is overdue, in no simulated run more than this. */
const rowsMax = 100;

/**
 * What an operator does about rows that the service does not end: he says what he believes became of them, while a
 * program follows them. The service still has each, so that he is wrong where he calls one not paid: it must not be
 * paid again all the same.
 */
export async function resolveStuck(
  world: World,
  process: SimulatedProcess,
  db: Database,
  service: ResolvingService,
): Promise<void> {
  if (!world.resolveNext) return;
  const operator = { db, clock: process.clock, person: 'operator', through: 'cli' as const };
  for (const { batch_id } of await unfinishedBatches(db)) {
    for (const { row_no } of await firstOverdue(db, batch_id, rowsMax)) {
      // Where somebody else's payment lives under the reference, nobody may call the row not paid.
      const isPaid = (world.plan.seed + row_no) % 2 === 0 || world.plan.foreign.includes(row_no);
      const as = isPaid ? 'paid' : 'not-paid';
      try {
        await resolveOverdue(operator, service, batch_id, row_no, { as, evidence: 'what he believes' });
        note(world, 'resolved', `row ${row_no} of ${batch_id} as ${as}`);
      } catch (error) {
        // Not answered, or changed meanwhile: he tries again in the next life.
        if (!(error instanceof AirbatchError)) throw error;
        world.trace.push(`not resolved: ${error.code}`);
      }
    }
  }
}

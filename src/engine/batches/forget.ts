import { AirbatchError } from '../../core/basics/errors.ts';
import { idempotencyKey, isContentRowRef } from '../../core/identity/ids.ts';
import { batchPolicy, storedPolicy } from '../../core/state/batch-policy.ts';
import { hasEnded } from '../../core/state/batch-state.ts';
import { withoutNumbers } from '../../core/text/redact.ts';
import { dayMs } from '../../core/time/clock.ts';
import { eraseAnswersAbout } from '../../ledger/access/api-requests.ts';
import { type Actor, inUnitOf } from '../../ledger/actor.ts';
import { type BatchRecord, policiesSince } from '../../ledger/batches/batches.ts';
import { batchesToForget, forgetPayment, forgetRows, keyedRows, lastNamed } from '../../ledger/batches/forget-rows.ts';
import { requireBatch, wrongState } from '../../ledger/batches/require-batch.ts';
import { countRows } from '../../ledger/batches/row-counts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { dropLostBefore, dropLostOf } from '../../ledger/rows/lost-payments.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { writtenBatch } from './batch-commands.ts';

/** The most rows that one transaction changes, so that it does not delay other writers for long. */
const rowsPerUnit = 500;
/** Batches that are read at once. */
const batchesPerPage = 100;
/** A finished batch is read again after a day and may be refunded, so its personal data is kept until then. */
const daysMin = 2;

/**
 * How many rows were forgotten. `traceable`: for how many of them the row ref and the key are derived from the row's
 * content, so that somebody could find the phone number by trying all numbers.
 */
export interface Forgotten {
  rows: number;
  traceable: number;
}

/**
 * Erases everything that names a person from a batch that has ended, for good. The audit chain stays valid, because it
 * identifies rows by their number in the file. Sums, times, states, keys and references stay. Continues where an
 * earlier call was killed. Call `db.emptyLog()` or `db.compact()` afterwards: until then the log still contains the
 * overwritten data.
 */
export async function forgetBatch(actor: Actor, batchId: string, why: string): Promise<Forgotten> {
  const batch = await inUnitOf(actor, (unit) => decideToForget(unit, batchId, why));
  const forgotten = { rows: 0, traceable: 0 };
  // The first row is erased last, so while it contains personal data, the erasing is not complete.
  for (let to = await lastNamed(actor.db, batchId); to > 0; to -= rowsPerUnit) {
    const some = await inUnitOf(actor, ({ tx }) => forgetBetween(tx, batch, to - rowsPerUnit + 1, to));
    forgotten.rows += some.rows;
    forgotten.traceable += some.traceable;
  }
  return forgotten;
}

/** Erases the personal data of the rows between two row numbers, and of their payments of all generations. */
async function forgetBetween(tx: Queryable, batch: BatchRecord, from: number, to: number): Promise<Forgotten> {
  const { account, run_id: runId, batch_id } = batch;
  let traceable = 0;
  for (const { row_ref: rowRef, generation: last } of await keyedRows(tx, batch_id, from, to)) {
    if (isContentRowRef(rowRef)) traceable += 1;
    for (let generation = 1; generation <= last; generation++)
      await forgetPayment(tx, batch_id, idempotencyKey({ account, runId, rowRef, generation }));
    await dropLostOf(tx, batch, { row_ref: rowRef });
  }
  return { rows: await forgetRows(tx, batch_id, from, to), traceable };
}

/** Fails with `BATCH_STATE` if the personal data of a batch is still needed at `at` (epoch ms). */
export async function requireForgettable(db: Queryable, batch: BatchRecord, at: number): Promise<void> {
  const { batch_id: batchId, status, forgotten_at: forgottenAt } = batch;
  if (!hasEnded(status)) throw wrongState(batch, 'it still needs the names and numbers of its people');
  if (forgottenAt !== null || batch.started_at === null) return;
  // Until then, other batches are compared with the phone numbers of this one.
  const days = Math.max(daysMin, await daysCompared(db, batch.account, batch.created_at));
  if (at - (batch.completed_at ?? batch.created_at) < days * dayMs)
    throw new AirbatchError('BATCH_STATE', `batch ${batchId} ended less than ${days} days ago`, {
      hint: 'Until then its numbers are compared with other files, so that nobody is paid twice. Forget it later.',
    });
}

/**
 * Marks the batch as forgotten before any row is erased. From then on nobody retries a row of it, even if the erasing
 * is interrupted.
 */
async function decideToForget(unit: Unit, batchId: string, why: string): Promise<BatchRecord> {
  const batch = await requireBatch(unit.tx, batchId);
  await requireForgettable(unit.tx, batch, unit.at);
  await eraseAnswersAbout(unit.tx, batchId);
  if (batch.forgotten_at !== null) return batch;
  writtenBatch(batch, await unit.noteBatch(batch, { forgotten_at: unit.at }));
  const counts = await countRows(unit.tx, batchId);
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  await unit.append(batchId, 'batch.forget', { why: withoutNumbers(why), rows });
  return batch;
}

/**
 * For how many days back later batches, and batches that have not ended, are compared with earlier payments. Read from
 * the policies of these batches, because another job may have its own policy, and the configuration may have changed.
 */
async function daysCompared(db: Queryable, account: string | null, since: number): Promise<number> {
  const policies = (await policiesSince(db, account, since)).map(storedPolicy);
  return Math.max(
    0,
    ...policies.map(({ repeatWithinDays, recipientMaximum }) =>
      Math.max(repeatWithinDays, recipientMaximum?.days ?? 0),
    ),
  );
}

/** Forgets every batch (of one job, or of all jobs) that ended before `endedBefore` (epoch ms). Returns their ids. */
export async function forgetEnded(
  actor: Actor,
  endedBefore: number,
  why: string,
  job: string | null = null,
): Promise<Forgotten & { batches: string[] }> {
  const done = { batches: [] as string[], rows: 0, traceable: 0 };
  if (job === null) {
    // A lost payment of a restored ledger belongs to an unknown batch, and any batch may be compared with it. So it is
    // dropped after the longest time for which any batch is compared.
    const days = Math.max(batchPolicy().repeatWithinDays, await daysCompared(actor.db, null, 0));
    await dropLostBefore(actor.db, Math.min(endedBefore, actor.clock.now() - days * dayMs));
  }
  // Batches whose numbers are still compared stay until a later call.
  const kept = new Set<string>();
  for (;;) {
    const found = await batchesToForget(actor.db, { endedBefore, job }, batchesPerPage + kept.size);
    const fresh = found.filter(({ batch_id }) => !kept.has(batch_id));
    if (fresh.length === 0) return done;
    for (const { batch_id } of fresh) {
      const some = await forgetBatch(actor, batch_id, why).catch((error: unknown) => {
        if (error instanceof AirbatchError && error.code === 'BATCH_STATE') return null;
        throw error;
      });
      if (some === null) kept.add(batch_id);
      else {
        done.rows += some.rows;
        done.traceable += some.traceable;
        done.batches.push(batch_id);
      }
    }
  }
}

import { AirbatchError, reasonOf } from '../../core/basics/errors.ts';
import type { FileReason } from '../../core/basics/rejected-file.ts';
import type { EventWhy } from '../../core/state/event-whys.ts';
import type { Clock } from '../../core/time/clock.ts';
import { type BatchRecord, findBatch } from '../../ledger/batches/batches.ts';
import { endReading, listReadings, type Reading, takeOverReading } from '../../ledger/batches/readings.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { holdTime } from '../../ledger/schema/lease-table.ts';
import { inUnit, type Unit } from '../../ledger/unit-of-work.ts';

interface Deps {
  db: Database;
  clock: Clock;
}

/** Rows deleted from the ledger in one transaction, which blocks the event loop for about 10 ms. */
const rowsPerUnit = 5_000;

/** How long the deletion of stored rows may take before other processes take this one for dead as well. */
const endingMs = 10 * 60_000;

/** Whether an error means that the file as a whole cannot be read or paid. Its batch then says why. */
export function isRejection(error: unknown): error is AirbatchError {
  return error instanceof AirbatchError && ['FILE_REJECTED', 'FILE_UNREADABLE'].includes(error.code);
}

/**
 * Ends the reading of a file that cannot be finished: `rejected` with the reason, or `cancelled` if it was interrupted.
 */
export async function giveUp(deps: Deps, own: Pick<Reading, 'batch_id' | 'holder'>, error: unknown): Promise<void> {
  // Whatever the reader itself has renewed.
  const reading = { ...own, expires_at: Number.MAX_SAFE_INTEGER };
  await endWithoutRows(deps, reading, own.holder, (unit, batch) =>
    isRejection(error)
      ? unit.changeBatch(batch, 'reject', rejectionOf(error), { code: error.code })
      : unit.changeBatch(batch, 'cancel', {}, { why: 'reading the file was interrupted' satisfies EventWhy }),
  ).catch(() => undefined);
  // If the ledger cannot be written, the thrown error says so, and a later start ends the reading.
}

function rejectionOf({ message, reason }: AirbatchError): Pick<BatchRecord, 'rejection' | 'rejection_reason'> {
  const stored = reason ?? reasonOf<FileReason>('UNREADABLE', { error: message });
  return { rejection: message, rejection_reason: JSON.stringify(stored) };
}

/**
 * Ends, in the name of `ender`, readings that a crash has interrupted: their reader (or the process that was ending the
 * reading) is known to be dead (`isDead`), or was silent for too long. Their batches become `rejected`, have no rows,
 * and leave the run id free.
 */
export async function endAbandoned(deps: Deps, ender: string, isDead: (holder: string) => boolean): Promise<void> {
  for (const reading of await listReadings(deps.db)) {
    if (!isDead(reading.holder) && reading.expires_at > (await holdTime(deps.db, deps.clock.now()))) continue;
    const rejection = 'the program ended while it was reading the file: run the file again';
    const rejection_reason = JSON.stringify(reasonOf<FileReason>('READING_ABANDONED'));
    await endWithoutRows(deps, reading, ender, (unit, batch) =>
      unit.changeBatch(
        batch,
        'reject',
        { rejection, rejection_reason },
        { code: 'READING_ABANDONED', holder: reading.holder },
      ),
    );
  }
}

async function endWithoutRows(
  { db, clock }: Deps,
  reading: Reading,
  ender: string,
  end: (unit: Unit, batch: BatchRecord) => Promise<unknown>,
): Promise<void> {
  const unitOf = <Result>(work: (unit: Unit) => Promise<Result>) => inUnit(db, { clock, actor: 'intake' }, work);
  // First takes the reading over from its reader, so that no row is added after the last one is deleted.
  const isTaken = await unitOf(async ({ tx, at }) =>
    takeOverReading(tx, reading, ender, (await holdTime(tx, at)) + endingMs),
  );
  if (!isTaken) return;
  while (!(await unitOf((unit) => unit.discardRows(reading.batch_id, rowsPerUnit)))) await clock.turn();
  await unitOf(async (unit) => {
    const batch = await findBatch(unit.tx, reading.batch_id);
    if (batch?.status === 'received') await end(unit, batch);
    await endReading(unit.tx, reading.batch_id);
  });
}

import { z } from 'zod';
import { hasEnded, sendingStates } from '../../core/state/batch-state.ts';
import { isoOrNull } from '../../core/time/clock.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { AccountNow } from './account-now.ts';
import { time } from './fields.ts';

/** When a batch with a finish time will be done, as it is known now. */
export const finishFields = {
  finish_by: time.nullable(),
  /** When it was done, or will be done; null if that is not known. */
  done_at: time.nullable(),
  /** Null if that is not known, or if the batch has no finish time. */
  in_time: z.boolean().nullable(),
  /** Whether the batch is sent before the others because of its finish time. */
  goes_first: z.boolean(),
  /** In how many milliseconds it will be sent first; null if it already is, or never has to be. */
  goes_first_in_ms: z.number().nullable(),
};
const finish = z.object(finishFields);
export type FinishNow = z.output<typeof finish>;

export function finishNow(batch: BatchRecord, { foreseen }: AccountNow, now: number): FinishNow {
  const { status, finish_by: finishBy, completed_at, boosted_at } = batch;
  const ahead = sendingStates.includes(status) ? foreseen().get(batch.batch_id) : undefined;
  const doneAt = completed_at ?? (ahead === undefined ? null : now + ahead.doneMs);
  const isPast = !hasEnded(status) && finishBy !== null && finishBy < now;
  const inTime = finishBy === null ? null : isPast ? false : doneAt === null ? null : doneAt <= finishBy;
  const goesFirst = !hasEnded(status) && boosted_at !== null;
  return {
    finish_by: isoOrNull(finishBy),
    done_at: isoOrNull(doneAt),
    in_time: inTime,
    goes_first: goesFirst,
    goes_first_in_ms: goesFirst ? null : (ahead?.boostedMs ?? null),
  };
}

import type { PauseReason } from '../core/batch-state.ts';
import { type BatchRecord, openBatches } from '../ledger/batches.ts';
import type { Queryable } from '../ledger/database.ts';
import { foresee, type PaceAhead } from './foresee.ts';
import { type Sending, sendingAs } from './sending.ts';

/** When a batch will be done if it begins at once, given all that its account has to send. Times are epoch milliseconds. */
export interface PlannedFinish {
  finishBy: number | null;
  /** When every row that is sent can be expected to have ended; null where that is not known. */
  doneAt: number | null;
  /** Why it is not known: the service is not reached, or the account's batches are paused for a reason that is the account's. */
  unknown: 'unreachable' | PauseReason | null;
  /** Where it will be late: how it would be done in time, as an urgent batch or without the others of the account; null where in no way. */
  inTimeIf: 'urgent' | 'alone' | null;
  /** Other batches that it makes late: they would be done in time without it. */
  makesLate: { batch: string; finishBy: number; doneAt: number }[];
}

/** What keeps every batch of an account from being sent, and not only the one that it has paused. */
const reasonsOfAccount: readonly (PauseReason | null)[] = [
  'insufficient_balance',
  'credentials_rejected',
  'service_mismatch',
];

/** What an account has to send, how fast it is sent, and from when on (epoch ms). */
export interface LineNow {
  sending: readonly Sending[];
  pace: PaceAhead;
  now: number;
}

export async function plannedFinish(
  db: Queryable,
  batch: BatchRecord,
  toSend: number,
  { sending, pace, now }: LineNow,
): Promise<PlannedFinish> {
  const { batch_id: id, finish_by: finishBy } = batch;
  const nothing = { finishBy, doneAt: null, inTimeIf: null, makesLate: [] };
  const stopped = (await openBatches(db, batch.account)).find(({ pause_reason }) =>
    reasonsOfAccount.includes(pause_reason),
  );
  const unknown = pace.unreachableSince === null ? (stopped?.pause_reason ?? null) : 'unreachable';
  if (toSend === 0 || unknown !== null) return { ...nothing, unknown };
  const others = sending.filter((other) => other.batch !== id);
  const own = sendingAs(batch, toSend);
  const doneOf = (line: readonly Sending[]) => {
    const foreseen = foresee(line, pace, now);
    return (name: string) => now + (foreseen.get(name)?.doneMs ?? 0);
  };
  const [without, withIt] = [doneOf(others), doneOf([...others, own])];
  const doneAt = withIt(id);
  const isLate = finishBy !== null && doneAt > finishBy;
  const urgent: Sending = { ...own, priority: 'urgent' };
  const isInTime = (line: readonly Sending[]) => finishBy !== null && doneOf(line)(id) <= finishBy;
  const way = () => (isInTime([...others, urgent]) ? 'urgent' : isInTime([own]) ? 'alone' : null);
  return {
    finishBy,
    doneAt,
    unknown,
    inTimeIf: isLate ? way() : null,
    makesLate: others.flatMap(({ batch: other, finish_by: by }) =>
      by !== null && without(other) <= by && withIt(other) > by
        ? [{ batch: other, finishBy: by, doneAt: withIt(other) }]
        : [],
    ),
  };
}

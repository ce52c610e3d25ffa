import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { accountPauses, accountPausesOf, causeOf, gateOf } from '../pacing/account-gate.ts';
import { forecast, type PaceAhead } from './forecast.ts';
import { type Sending, sendingAs } from './sending.ts';

/** The reasons that keep an account's gate closed for an unknown time although a program works for the account. */
const endless = [...accountPauses, 'unreachable'] as const;

/** When a batch will finish if it starts now, given all that its account still has to send. Times are epoch ms. */
export interface PlannedFinish {
  finishBy: number | null;
  /** When all its rows should be terminal; null if unknown. */
  doneAt: number | null;
  /** Why that is unknown: the reason that keeps the account's gate closed for an unknown time. */
  unknown: (typeof endless)[number] | null;
  /** If it will be late: what would finish it in time (urgent, or alone); null if nothing would. */
  inTimeIf: 'urgent' | 'alone' | null;
  /** Other batches that would finish in time without it, and will not with it. */
  makesLate: { batch: string; finishBy: number; doneAt: number }[];
}

/** The queue of an account, its pace, and the time from which it sends (epoch ms). */
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
  const gate = gateOf({ ...pace.gate, pauses: await accountPausesOf(db, batch.account) }, now);
  const unknown = endless.find((why) => causeOf(gate, why) !== null) ?? null;
  if (toSend === 0 || unknown !== null) return { ...nothing, unknown };
  const others = sending.filter((other) => other.batch !== id);
  const own = sendingAs(batch, toSend);
  const doneOf = (line: readonly Sending[]) => {
    const foreseen = forecast(line, pace, now);
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

import { isoOrNull } from '../../core/time/clock.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { AccountNow } from '../../operations/base/account-now.ts';
import { endedText, forecastText, minuteText } from '../../reports/sentences/finish-text.ts';
import { durationText } from '../../reports/sentences/format.ts';

/** When a batch is done that is to be by a time, as far as is known now. Times are epoch milliseconds. */
export interface FinishNow {
  finishBy: number | null;
  /** When it was done, or, while it is sent, will be; null where that is not known. */
  doneAt: number | null;
  /**
   * Whether it was done in time, or, while it is sent, will be; null where that is not known, or it is to be by no
   * time.
   */
  inTime: boolean | null;
  /** Whether it goes before the others for that. */
  goesFirst: boolean;
  /** In how many milliseconds it will, as it is foreseen; null where it does, or need not. */
  goesFirstMs: number | null;
  hasEnded: boolean;
}

const sent = ['approved', 'running'];
const given = ['validated', 'awaiting_approval', 'paused', ...sent];

export function finishNow(batch: BatchRecord, { foreseen }: AccountNow, now: number): FinishNow {
  const { status, finish_by: finishBy, completed_at, pressed_at } = batch;
  const hasEnded = !given.includes(status);
  const ahead = sent.includes(status) ? foreseen().get(batch.batch_id) : undefined;
  const doneAt = completed_at ?? (ahead === undefined ? null : now + ahead.doneMs);
  const isPast = !hasEnded && finishBy !== null && finishBy < now;
  const inTime = finishBy === null ? null : isPast ? false : doneAt === null ? null : doneAt <= finishBy;
  const goesFirst = !hasEnded && pressed_at !== null;
  return { finishBy, doneAt, inTime, goesFirst, goesFirstMs: goesFirst ? null : (ahead?.boostedMs ?? null), hasEnded };
}

/** The same for programs. */
export function finishJson({ finishBy, doneAt, inTime, goesFirst }: FinishNow) {
  return { finish_by: isoOrNull(finishBy), done_at: isoOrNull(doneAt), in_time: inTime, goes_first: goesFirst };
}

/** The same in words; null of a batch that is to be done by no time. */
export function finishText(finish: FinishNow): string | null {
  const { finishBy, doneAt, inTime, goesFirst, goesFirstMs, hasEnded } = finish;
  if (finishBy === null) return null;
  const from = goesFirst || (goesFirstMs ?? 0) < 1_000 ? '' : `, in ${durationText(goesFirstMs ?? 0)}`;
  const first = goesFirst || goesFirstMs !== null ? `; it goes before the others for that${from}` : '';
  if (hasEnded) return doneAt === null ? null : `done ${endedText(doneAt, finishBy)}`;
  if (doneAt !== null) return `done ${forecastText(doneAt, finishBy)}${first}`;
  const by = `to be done by ${minuteText(finishBy)}`;
  return inTime === false ? `late: it was ${by}${first}` : `${by}; whether it will be is not known now`;
}

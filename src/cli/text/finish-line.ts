import { type BatchState, hasEnded } from '../../core/state/batch-state.ts';
import type { FinishNow } from '../../operations/base/finish-now.ts';
import { endedText, forecastText, minuteText } from '../../reports/sentences/finish-text.ts';
import { durationText } from '../../reports/sentences/format.ts';

/** Says when a batch will be done; null for a batch without a finish time. */
export function finishLine({ status, ...finish }: FinishNow & { status: BatchState }): string | null {
  if (finish.finish_by === null) return null;
  const { in_time: inTime, goes_first: goesFirst, goes_first_in_ms: goesFirstMs } = finish;
  const finishBy = Date.parse(finish.finish_by);
  const doneAt = finish.done_at === null ? null : Date.parse(finish.done_at);
  const from = goesFirst || (goesFirstMs ?? 0) < 1_000 ? '' : `, in ${durationText(goesFirstMs ?? 0)}`;
  const first = goesFirst || goesFirstMs !== null ? `; airbatch sends it before the others for that${from}` : '';
  if (hasEnded(status)) return doneAt === null ? null : `done ${endedText(doneAt, finishBy)}`;
  if (doneAt !== null) return `done ${forecastText(doneAt, finishBy)}${first}`;
  const by = `to be done by ${minuteText(finishBy)}`;
  return inTime === false ? `late: it was ${by}${first}` : `${by}; when it will finish is not known now`;
}

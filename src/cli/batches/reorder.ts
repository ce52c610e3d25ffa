import { isoTime } from '../../core/time/clock.ts';
import type { Priority } from '../../operations/base/fields.ts';
import { reorderBatch } from '../../operations/batches/reorder-batch.ts';
import { minuteText } from '../../reports/sentences/finish-text.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { momentOf } from '../base/dates.ts';
import { call } from '../session/call.ts';

/** `airbatch reorder BATCH`. */
export async function execute(
  context: CommandContext,
  [batchId = '']: string[],
  { priority, finishBy }: { priority?: Priority; finishBy?: string | false },
): Promise<number> {
  const finish_by = finishBy ? isoTime(momentOf('--finish-by', finishBy)) : finishBy === false ? null : undefined;
  const batch = await call(context, reorderBatch, { batch_id: batchId, priority, finish_by });
  const time =
    batch.finish_by === null ? 'without a deadline' : `to be done by ${minuteText(Date.parse(batch.finish_by))}`;
  answer(
    context,
    batch,
    `Batch ${batchId} has the priority ${batch.priority} now, ${time}. "airbatch status ${batchId}" says whether it will finish in time.`,
  );
  return 0;
}

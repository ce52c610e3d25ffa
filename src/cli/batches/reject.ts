import { rejectBatch } from '../../operations/batches/reject-batch.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { call } from '../session/call.ts';

/** `airbatch reject BATCH --why`. */
export async function execute(
  context: CommandContext,
  [batchId = '']: string[],
  { why }: { why: string },
): Promise<number> {
  const rejected = await call(context, rejectBatch, { batch_id: batchId, why });
  answer(
    context,
    rejected,
    `Rejected: nothing of batch ${batchId} is sent. Its run id stays free for a corrected file.`,
  );
  return 0;
}

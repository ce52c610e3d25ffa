import { withdrawBatch } from '../../operations/batches/withdraw-batch.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { call } from '../session/call.ts';

/** `airbatch withdraw BATCH --why`. */
export async function execute(
  context: CommandContext,
  [batchId = '']: string[],
  { why }: { why: string },
): Promise<number> {
  const withdrawn = await call(context, withdrawBatch, { batch_id: batchId, why });
  answer(
    context,
    withdrawn,
    `Withdrawn: nothing of batch ${batchId} is sent. Its run id stays free for a corrected file.`,
  );
  return 0;
}

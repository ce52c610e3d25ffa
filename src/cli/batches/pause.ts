import { pauseBatch } from '../../operations/batches/pause-batch.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { call } from '../session/call.ts';

/** `airbatch pause BATCH --why`. */
export async function execute(
  context: CommandContext,
  [batchId = '']: string[],
  { why }: { why: string },
): Promise<number> {
  const paused = await call(context, pauseBatch, { batch_id: batchId, why });
  answer(
    context,
    paused,
    `Paused: nothing more of batch ${batchId} is sent until "airbatch resume ${batchId}". Payments already sent are followed to the end. ` +
      `"airbatch skip ${batchId} --unsent --why TEXT" skips the rest.`,
  );
  return 0;
}

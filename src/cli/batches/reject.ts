import { rejectBatch } from '../../engine/batches/batch-commands.ts';
import type { CommandContext } from '../base/command.ts';
import { actOnBatch } from './act-on-batch.ts';

/** `airbatch reject BATCH --why`: decides that a batch which waits for approval is not paid. */
export function execute(
  context: CommandContext,
  [batchId = '']: string[],
  options: Record<string, unknown>,
): Promise<number> {
  return actOnBatch(context, batchId, options, {
    role: 'approve',
    act: rejectBatch,
    words: (id) => `Rejected: nothing of batch ${id} is sent. Its run id stays free for a corrected file.`,
  });
}

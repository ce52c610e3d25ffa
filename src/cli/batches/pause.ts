import { pauseBatch } from '../../engine/batches/batch-commands.ts';
import type { CommandContext } from '../base/command.ts';
import { actOnBatch } from './act-on-batch.ts';

/** `airbatch pause BATCH --why`: nothing more of a batch is sent, by whichever program works on its account. */
export function execute(
  context: CommandContext,
  [batchId = '']: string[],
  options: Record<string, unknown>,
): Promise<number> {
  return actOnBatch(context, batchId, options, {
    role: 'run',
    act: pauseBatch,
    words: (id) =>
      `Paused: nothing more of batch ${id} is sent until "airbatch resume ${id}". Payments already sent will be followed to the end. ` +
      `"airbatch skip ${id} --unsent --why TEXT" gives up the rest.`,
  });
}

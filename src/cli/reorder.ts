import { isoOrNull } from '../core/clock.ts';
import { AirbatchError } from '../core/errors.ts';
import { reorderBatch } from '../engine/reorder.ts';
import type { Priority } from '../ledger/batches.ts';
import { minuteText } from '../reports/finish-words.ts';
import { requireRole } from '../runtime/people.ts';
import { answer } from './answer.ts';
import type { CommandContext } from './command.ts';
import { comingMomentOf } from './dates.ts';
import { withLedger } from './session.ts';

/** `airbatch reorder BATCH`: another place among the batches of its account, whichever program works on it. */
export function execute(
  context: CommandContext,
  [batchId = '']: string[],
  options: { priority?: Priority; finishBy?: string | false },
): Promise<number> {
  const { priority, finishBy } = options;
  if (priority === undefined && finishBy === undefined)
    throw new AirbatchError('USAGE', 'nothing to change was given', {
      hint: 'Say --priority, --finish-by or --no-finish-by.',
    });
  return withLedger(context, async (session) => {
    requireRole(session, 'run');
    const at = finishBy ? comingMomentOf('--finish-by', finishBy, session.clock.now()) : null;
    const place = { priority, finishBy: finishBy === undefined ? undefined : at };
    const batch = await reorderBatch({ ...session, name: session.person }, batchId, place);
    const { status, finish_by } = batch;
    const time = finish_by === null ? 'at no set time' : `by ${minuteText(finish_by)}`;
    answer(
      context,
      { batch_id: batchId, status, priority: batch.priority, finish_by: isoOrNull(finish_by) },
      `Batch ${batchId} is ${batch.priority} now, and to be done ${time}. "airbatch status ${batchId}" says whether it will be.`,
    );
    return 0;
  });
}

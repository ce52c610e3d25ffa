import { AirbatchError } from '../../core/basics/errors.ts';
import { isoOrNull } from '../../core/time/clock.ts';
import { reorderBatch } from '../../engine/batches/reorder.ts';
import type { Priority } from '../../ledger/batches/batches.ts';
import { minuteText } from '../../reports/sentences/finish-text.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { comingMomentOf } from '../base/dates.ts';
import { withLedger } from '../session/session.ts';

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

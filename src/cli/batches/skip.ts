import { can, maySend } from '../../core/state/batch-state.ts';
import { skipRows } from '../../operations/rows/skip-rows.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { rowNumbers } from '../base/row-numbers.ts';
import { decidedText } from '../session/after-decision.ts';
import { call } from '../session/call.ts';

/** `airbatch skip BATCH [ROW...] --why`. */
export async function execute(
  context: CommandContext,
  [batchId = '', ...given]: string[],
  { why, unsent = false, ...group }: { why: string; unsent?: boolean; code?: string; earlierBatch?: string },
): Promise<number> {
  const done = await call(context, skipRows, {
    ...{ batch_id: batchId, rows: rowNumbers(given), code: group.code, earlier_batch: group.earlierBatch },
    ...{ why, unsent },
  });
  const text =
    done.skipped === 0
      ? noneText(done, unsent)
      : `Skipped ${counted(done.skipped, 'row')}. ${decidedText(done, 'continues the batch')}`;
  answer(context, done, text);
  return 0;
}

/** Says that no row could be skipped, and how to skip rows that are not held but wait to be sent. */
function noneText(
  { batch_id: id, status, ready }: { batch_id: string; status: Parameters<typeof maySend>[0]; ready: number },
  isUnsent: boolean,
): string {
  if (isUnsent) return 'No row of this batch is left to be sent.';
  if (ready === 0 || !maySend(status)) return 'No row of this batch is held.';
  const first = can(status, 'pause') ? `airbatch pause ${id} --why TEXT, then ` : '';
  return `No row of this batch is held; ${counted(ready, 'row')} ${ready === 1 ? 'is' : 'are'} not yet sent. To skip ${ready === 1 ? 'it' : 'them'}: ${first}airbatch skip ${id} --unsent --why TEXT`;
}

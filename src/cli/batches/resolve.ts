import { resolveRow } from '../../operations/rows/resolve-row.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { rowNumbers } from '../base/row-numbers.ts';
import { decidedText } from '../session/after-decision.ts';
import { call } from '../session/call.ts';

/** `airbatch resolve BATCH ROW --as paid|not-paid --evidence TEXT`. */
export async function execute(
  context: CommandContext,
  [batchId = '', given = '']: string[],
  { as, evidence }: { as: 'paid' | 'not-paid'; evidence: string },
): Promise<number> {
  const [row = 0] = rowNumbers([given]);
  const done = await call(context, resolveRow, { batch_id: batchId, row, as, evidence });
  const next = decidedText({ ...done, status: done.batch_status }, 'continues the batch');
  answer(context, done, `Row ${row} is ${done.status} now, by the decision of ${done.resolved_by}. ${next}`);
  return 0;
}

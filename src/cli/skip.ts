import { skipRows } from '../engine/acts.ts';
import { counted } from '../reports/words.ts';
import { requireRole } from '../runtime/people.ts';
import { answer } from './answer.ts';
import type { CommandContext } from './command.ts';
import { reasonText } from './reason-text.ts';
import { rowNumbers } from './row-numbers.ts';
import { withSession } from './session.ts';

/** `airbatch skip BATCH [ROW...] --why`: held rows are not sent. */
export async function execute(
  context: CommandContext,
  [batchId = '', ...given]: string[],
  options: Record<string, unknown>,
): Promise<number> {
  const rowNos = rowNumbers(given);
  const why = reasonText('--why', options.why);
  return withSession(context, async (session) => {
    requireRole(session, 'run');
    const skipped = await skipRows({ ...session, name: session.person }, batchId, rowNos, why);
    const words =
      skipped === 0
        ? 'No row of this batch is held.'
        : `Skipped ${counted(skipped, 'row')}. "airbatch resume ${batchId}" goes on with the batch.`;
    answer(context, { batch: batchId, skipped }, words);
    return 0;
  });
}

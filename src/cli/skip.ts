import { requireBatch } from '../engine/acts.ts';
import { skipRows } from '../engine/release-or-skip.ts';
import { counted } from '../reports/words.ts';
import { requireRole } from '../runtime/people.ts';
import { afterDecision } from './after-decision.ts';
import { answer } from './answer.ts';
import type { CommandContext } from './command.ts';
import { reasonText } from './reason-text.ts';
import { rowNumbers } from './row-numbers.ts';
import { withLedger } from './session.ts';

/** `airbatch skip BATCH [ROW...] --why`: held rows are not sent, or with `--unsent` the rest of a batch that a person has paused. */
export async function execute(
  context: CommandContext,
  [batchId = '', ...given]: string[],
  options: Record<string, unknown>,
): Promise<number> {
  const rowNos = rowNumbers(given);
  const why = reasonText('--why', options.why);
  const isUnsent = options.unsent === true;
  return withLedger(context, async (session) => {
    requireRole(session, 'run');
    const actor = { ...session, name: session.person };
    const skipped = await skipRows(actor, batchId, rowNos, why, isUnsent ? 'ready' : 'held');
    const words =
      skipped === 0
        ? `No row of this batch ${isUnsent ? 'is left to be sent' : 'is held'}.`
        : `Skipped ${counted(skipped, 'row')}. ${afterDecision(await requireBatch(session.db, batchId), 'goes on with the batch')}`;
    answer(context, { batch_id: batchId, skipped }, words);
    return 0;
  });
}

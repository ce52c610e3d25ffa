import { rejectBatch } from '../engine/acts.ts';
import { requireRole } from '../runtime/people.ts';
import { answer } from './answer.ts';
import type { CommandContext } from './command.ts';
import { reasonText } from './reason-text.ts';
import { withSession } from './session.ts';

/** `airbatch reject BATCH --why`: decides that a batch which waits for approval is not paid. */
export async function execute(
  context: CommandContext,
  [batchId = '']: string[],
  options: Record<string, unknown>,
): Promise<number> {
  const why = reasonText('--why', options.why);
  return withSession(context, async (session) => {
    requireRole(session, 'approve');
    const batch = await rejectBatch({ ...session, name: session.person }, batchId, why);
    const words = `Rejected: nothing of batch ${batchId} is sent. Its run id stays free for a corrected file.`;
    answer(context, { batch: batchId, status: batch.status }, words);
    return 0;
  });
}

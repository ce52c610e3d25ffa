import { pauseBatch } from '../engine/acts.ts';
import { requireRole } from '../runtime/people.ts';
import { answer } from './answer.ts';
import type { CommandContext } from './command.ts';
import { reasonText } from './reason-text.ts';
import { withSession } from './session.ts';

/** `airbatch pause BATCH --why`: nothing more of a batch is sent, by whichever program works on its account. */
export async function execute(
  context: CommandContext,
  [batchId = '']: string[],
  options: Record<string, unknown>,
): Promise<number> {
  const why = reasonText('--why', options.why);
  return withSession(context, async (session) => {
    requireRole(session, 'run');
    const batch = await pauseBatch({ ...session, name: session.person }, batchId, why);
    const words = `Paused: nothing more of batch ${batchId} is sent until "airbatch resume ${batchId}". What is under way ends.`;
    answer(context, { batch: batchId, status: batch.status }, words);
    return 0;
  });
}

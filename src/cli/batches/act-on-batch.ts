import type { Actor } from '../../engine/runner/actor.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { reasonText } from '../base/reason-text.ts';
import { withLedger } from '../session/session.ts';

/** What a person with the role does to a batch and says why, and the words that tell of it. */
interface BatchAct {
  role: Parameters<typeof requireRole>[1];
  act: (actor: Actor, batchId: string, why: string) => Promise<BatchRecord>;
  words: (batchId: string) => string;
}

/** Does it to the batch that the command line names, for the reason that it gives. */
export async function actOnBatch(
  context: CommandContext,
  batchId: string,
  options: Record<string, unknown>,
  { role, act, words }: BatchAct,
): Promise<number> {
  const why = reasonText('--why', options.why);
  return withLedger(context, async (session) => {
    requireRole(session, role);
    const batch = await act({ ...session, name: session.person }, batchId, why);
    answer(context, { batch_id: batchId, status: batch.status }, words(batchId));
    return 0;
  });
}

import { resolveDoubt } from '../engine/decisions.ts';
import { requireRole } from '../runtime/people.ts';
import { answer } from './answer.ts';
import type { CommandContext } from './command.ts';
import { reasonText } from './reason-text.ts';
import { rowNumbers } from './row-numbers.ts';
import { withSession } from './session.ts';

/** `airbatch resolve BATCH ROW --as paid|not-paid --evidence TEXT`: a person ends a doubt. */
export async function execute(
  context: CommandContext,
  [batchId = '', row = '']: string[],
  options: Record<string, unknown>,
): Promise<number> {
  const [rowNo = 0] = rowNumbers([row]);
  const evidence = reasonText('--evidence', options.evidence);
  const as = options.as === 'paid' ? 'paid' : 'not-paid';
  return withSession(context, async (session) => {
    requireRole(session, 'run');
    const resolved = await resolveDoubt({ ...session, name: session.person }, batchId, rowNo, { as, evidence });
    const words = `Row ${rowNo} is ${resolved.status} now, by ${session.person}. "airbatch resume ${batchId}" goes on with the batch.`;
    answer(context, { batch: batchId, row: rowNo, status: resolved.status }, words);
    return 0;
  });
}

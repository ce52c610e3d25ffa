import { releaseRows } from '../engine/acts.ts';
import { counted } from '../reports/words.ts';
import { requireRole } from '../runtime/people.ts';
import { answer } from './answer.ts';
import type { CommandContext } from './command.ts';
import { rowNumbers } from './row-numbers.ts';
import { withSession } from './session.ts';

/** `airbatch release BATCH [ROW...]`: held rows become ready. */
export async function execute(context: CommandContext, [batchId = '', ...given]: string[]): Promise<number> {
  const rowNos = rowNumbers(given);
  return withSession(context, async (session) => {
    requireRole(session, 'approve');
    const released = await releaseRows({ ...session, name: session.person }, batchId, rowNos);
    const words = `Released ${counted(released, 'row')}. "airbatch resume ${batchId}" sends ${released === 1 ? 'it' : 'them'}.`;
    answer(context, { batch: batchId, released }, words);
    return 0;
  });
}

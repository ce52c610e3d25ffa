import { releaseRows } from '../engine/acts.ts';
import { counted } from '../reports/words.ts';
import { requireRole } from '../runtime/people.ts';
import type { CommandContext } from './command.ts';
import { rowNumbers } from './row-numbers.ts';
import { withSession } from './session.ts';

/** `airbatch release BATCH [ROW...]`: held rows become ready. */
export async function execute(context: CommandContext, [batchId = '', ...given]: string[]): Promise<number> {
  const rowNos = rowNumbers(given);
  return withSession(context, async (session) => {
    requireRole(session, 'approve');
    const released = await releaseRows({ ...session, name: session.person }, batchId, rowNos);
    if (context.json) context.terminal.print(`${JSON.stringify({ batch: batchId, released })}\n`);
    else context.terminal.print(`Released ${counted(released, 'row')}. "airbatch resume ${batchId}" sends them.\n`);
    return 0;
  });
}

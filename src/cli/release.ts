import { releaseRows, requireBatch } from '../engine/acts.ts';
import { counted } from '../reports/words.ts';
import { requireRole } from '../runtime/people.ts';
import { afterDecision } from './after-decision.ts';
import { answer } from './answer.ts';
import type { CommandContext } from './command.ts';
import { rowNumbers } from './row-numbers.ts';
import { withSession } from './session.ts';

/** `airbatch release BATCH [ROW...]`: held rows become ready, but for those whose reference another batch has. */
export async function execute(context: CommandContext, [batchId = '', ...given]: string[]): Promise<number> {
  const rowNos = rowNumbers(given);
  return withSession(context, async (session) => {
    requireRole(session, 'approve');
    const { released, kept } = await releaseRows({ ...session, name: session.person }, batchId, rowNos);
    const batch = await requireBatch(session.db, batchId);
    const sends = released === 0 ? '' : ` ${afterDecision(batch, released === 1 ? 'sends it' : 'sends them')}`;
    const none = released + kept.length === 0;
    const lines = [none ? 'No row of this batch is held.' : `Released ${counted(released, 'row')}.${sends}`];
    for (const { row, code, why, suggestion } of kept)
      lines.push(`  Row ${row} stays held (${code}): ${why} ${suggestion}`);
    answer(context, { batch_id: batchId, released, kept }, lines.join('\n'));
    return 0;
  });
}

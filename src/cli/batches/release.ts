import { requireBatch } from '../../engine/batches/batch-commands.ts';
import { releaseRows, requireReleaser, requireRow } from '../../engine/decisions/release-or-skip.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { requestedText } from '../../reports/sentences/format.ts';
import { heldRows } from '../../reports/summary/held.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import type { Session } from '../../runtime/session/session.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { rowNumbers } from '../base/row-numbers.ts';
import { afterDecision } from '../session/after-decision.ts';
import { withLedger } from '../session/session.ts';
import { heldLines } from '../text/held-lines.ts';

/** `airbatch release BATCH [ROW...]`: held rows become ready, but for those whose reference another batch has. */
export async function execute(
  context: CommandContext,
  [batchId = '', ...given]: string[],
  options: Record<string, unknown>,
): Promise<number> {
  const rowNos = [...new Set(rowNumbers(given))];
  return withLedger(context, async (session) => {
    requireRole(session, 'approve');
    const seen = await requireBatch(session.db, batchId);
    if (!(await isAgreed(context, session, { batch: seen, rowNos, isSure: options.yes === true }))) {
      context.terminal.error('Not released: the rows stay held.\n');
      return 5;
    }
    const actor = { ...session, name: session.person };
    const { released, kept } = await releaseRows(actor, batchId, rowNos, seen.audit_seq);
    const batch = await requireBatch(session.db, batchId);
    const sends =
      released === 0 ? '' : ` ${await afterDecision(session, batch, released === 1 ? 'sends it' : 'sends them')}`;
    const none = released + kept.length === 0;
    const lines = [none ? 'No row of this batch is held.' : `Released ${counted(released, 'row')}.${sends}`];
    for (const { row, code, why, suggestion } of kept)
      lines.push(`  Row ${row} stays held (${code}): ${why} ${suggestion}`);
    answer(context, { batch_id: batchId, released, kept }, lines.join('\n'));
    return 0;
  });
}

/**
 * Shows what the rows are held for and what they would pay, and asks, where a person can be asked: a release may pay
 * twice.
 */
async function isAgreed(
  { terminal, json }: CommandContext,
  { db, person }: Session,
  { batch, rowNos, isSure }: { batch: BatchRecord; rowNos: readonly number[]; isSure: boolean },
): Promise<boolean> {
  if (json) return true;
  const { batch_id: batchId } = batch;
  const named = await Promise.all(rowNos.map((rowNo) => requireRow(db, { batchId, rowNo, status: 'held' })));
  const held = await heldRows(db, batchId, named);
  if (held.count === 0) return true;
  terminal.error(heldLines(batch, held));
  if (isSure || !terminal.canAsk) return true;
  // Nobody is asked for what would be refused.
  await requireReleaser(db, batch, named.length > 0 ? named : null, person);
  return terminal.confirm(`Release ${counted(held.count, 'row')}: ${requestedText(held.sums, held.products)}? [y/N] `);
}

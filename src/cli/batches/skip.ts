import { can, maySend } from '../../core/state/batch-state.ts';
import { requireBatch } from '../../engine/batches/batch-commands.ts';
import { skipRows } from '../../engine/decisions/release-or-skip.ts';
import { countRows } from '../../ledger/batches/batch-counts.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import type { Session } from '../../runtime/session/session.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { reasonText } from '../base/reason-text.ts';
import { rowNumbers } from '../base/row-numbers.ts';
import { afterDecision } from '../session/after-decision.ts';
import { withLedger } from '../session/session.ts';

/**
 * `airbatch skip BATCH [ROW...] --why`: held rows are not sent, or with `--unsent` the rest of a batch that a person
 * has paused.
 */
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
    const batch = await requireBatch(session.db, batchId);
    const words =
      skipped === 0
        ? await noneText(session, batch, isUnsent)
        : `Skipped ${counted(skipped, 'row')}. ${await afterDecision(session, batch, 'goes on with the batch')}`;
    answer(context, { batch_id: batchId, skipped }, words);
    return 0;
  });
}

/** Says that there was nothing to skip, and how rows are given up that are not held but wait for their turn. */
async function noneText({ db }: Session, { batch_id: id, status }: BatchRecord, isUnsent: boolean): Promise<string> {
  if (isUnsent) return 'No row of this batch is left to be sent.';
  const unsent = (await countRows(db, id)).get('ready') ?? 0;
  if (unsent === 0 || !maySend(status)) return 'No row of this batch is held.';
  const first = can(status, 'pause') ? `airbatch pause ${id} --why TEXT, then ` : '';
  return `No row of this batch is held; ${counted(unsent, 'row')} ${unsent === 1 ? 'is' : 'are'} not yet sent. To give ${unsent === 1 ? 'it' : 'them'} up: ${first}airbatch skip ${id} --unsent --why TEXT`;
}

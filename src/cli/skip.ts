import { can, maySend } from '../core/batch-state.ts';
import { requireBatch } from '../engine/acts.ts';
import { skipRows } from '../engine/release-or-skip.ts';
import { type BatchRecord, countRows } from '../ledger/batches.ts';
import { counted } from '../reports/words.ts';
import { requireRole } from '../runtime/people.ts';
import type { Session } from '../runtime/session.ts';
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

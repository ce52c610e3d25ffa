import { requireBatch } from '../../engine/batches/batch-commands.ts';
import { resolveDoubt, resolveOverdue } from '../../engine/decisions/resolve.ts';
import { findRow } from '../../ledger/rows/rows.ts';
import { requestDepsFor } from '../../runtime/accounts/throttled-requests.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { reasonText } from '../base/reason-text.ts';
import { rowNumbers } from '../base/row-numbers.ts';
import { withAccount } from '../session/account.ts';
import { afterDecision } from '../session/after-decision.ts';
import { withLedger } from '../session/session.ts';

/** `airbatch resolve BATCH ROW --as paid|not-paid --evidence TEXT`: a person ends what the service does not. */
export async function execute(
  context: CommandContext,
  [batchId = '', row = '']: string[],
  options: Record<string, unknown>,
): Promise<number> {
  const [rowNo = 0] = rowNumbers([row]);
  const evidence = reasonText('--evidence', options.evidence);
  const as = options.as === 'paid' ? 'paid' : 'not-paid';
  return withLedger(context, async (session) => {
    requireRole(session, 'run');
    const actor = { ...session, name: session.person };
    const batch = await requireBatch(session.db, batchId);
    const isAccepted = (await findRow(session.db, batchId, rowNo))?.status === 'accepted';
    const resolved = isAccepted
      ? await withAccount(session, batch.account, async (account) =>
          resolveOverdue(actor, await requestDepsFor(account, session), batchId, rowNo, { as, evidence }),
        )
      : await resolveDoubt(actor, batchId, rowNo, { as, evidence });
    const next = await afterDecision(session, batch, 'goes on with the batch');
    const words = `Row ${rowNo} is ${resolved.status} now, by the decision of ${session.person}. ${next}`;
    answer(context, { batch_id: batchId, row: rowNo, status: resolved.status }, words);
    return 0;
  });
}

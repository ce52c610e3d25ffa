import { z } from 'zod';
import { resolveDoubt, resolveOverdue } from '../../engine/decisions/resolve.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { findRow } from '../../ledger/rows/rows.ts';
import { requestDepsFor } from '../../runtime/accounts/throttled-requests.ts';
import { hasWorker } from '../base/account-now.ts';
import { batchId, batchStatus, isWorkedOn, reason, rowNo, rowStatus } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';

/** A person ends a row that the service does not end: a row in doubt, or an accepted row. */
export const resolveRow = defineOperation({
  name: 'resolve-row',
  role: 'resolve',
  ledger: 'change',
  input: z.strictObject({ batch_id: batchId, row: rowNo, as: z.enum(['paid', 'not-paid']), evidence: reason }),
  result: z.strictObject({
    batch_id: batchId,
    row: rowNo,
    /** The row's new status. */
    status: rowStatus,
    batch_status: batchStatus,
    is_worked_on: isWorkedOn,
    resolved_by: z.string(),
  }),
  async run({ withAccount, actor, session }, { batch_id, row, as, evidence }) {
    const { account: name } = await requireBatch(actor.db, batch_id);
    const isAccepted = (await findRow(actor.db, batch_id, row))?.status === 'accepted';
    const { status } = isAccepted
      ? await withAccount(name, async (account) =>
          resolveOverdue(actor, await requestDepsFor(account, session), batch_id, row, { as, evidence }),
        )
      : await resolveDoubt(actor, batch_id, row, { as, evidence });
    const { status: batch_status } = await requireBatch(actor.db, batch_id);
    const is_worked_on = await hasWorker(session, name);
    return { batch_id, row, status, batch_status, is_worked_on, resolved_by: actor.person };
  },
});

import { z } from 'zod';
import { lacksDetails, readDetailsNow } from '../../engine/tracking/details.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { requireRow } from '../../ledger/rows/rows.ts';
import { requestDepsFor } from '../../runtime/accounts/throttled-requests.ts';
import { batchId, rowNo } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';

/**
 * The details of a row's payment that the service's list does not show. Those that nobody has read are read now, unless
 * payments that have not ended need the account's reads.
 */
export const readDetails = defineOperation({
  name: 'read-details',
  role: 'audit',
  ledger: 'change',
  input: z.strictObject({ batch_id: batchId, row: rowNo }),
  result: z.strictObject({
    batch_id: batchId,
    row_no: rowNo,
    /** The network's own reference of the payment; null if there is none, or if it is not known. */
    provider_reference: z.string().nullable(),
    /** Not read yet, because others need the reads or the service does not answer: ask again. */
    is_unread: z.boolean(),
  }),
  async run({ actor, session, withAccount }, { batch_id, row: row_no }) {
    const batch = await requireBatch(actor.db, batch_id);
    const found = await requireRow(actor.db, batch_id, row_no);
    const { row, isUnread } = lacksDetails(found)
      ? await withAccount(batch.account, async (account) =>
          readDetailsNow(actor, await requestDepsFor(account, session), batch, found),
        )
      : { row: found, isUnread: false };
    return { batch_id, row_no, provider_reference: row.provider_reference, is_unread: isUnread };
  },
});

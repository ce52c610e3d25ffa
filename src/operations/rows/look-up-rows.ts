import { z } from 'zod';
import { lookUpNow } from '../../engine/decisions/look-up-now.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { pageRowsInState } from '../../ledger/rows/rows.ts';
import { requestDepsFor } from '../../runtime/accounts/throttled-requests.ts';
import { afterNo, batchId, rowNo, rowStatus } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { rowTextFor } from '../base/row-texts.ts';

/** Rows that one call looks up: a third of the requests that an account may read with in a minute. */
const rowsMax = 100;

/** Looks rows in doubt up at the service now. The audit chain keeps each answer. */
export const lookUpRows = defineOperation({
  name: 'look-up-rows',
  role: 'operate',
  ledger: 'change',
  input: z.strictObject({
    batch_id: batchId,
    /** If it is empty: the next 100 rows in doubt after row `after`. */
    rows: z.array(rowNo).max(rowsMax).default([]),
    /** `next` of the previous call. */
    after: afterNo,
  }),
  result: z.strictObject({
    batch_id: batchId,
    rows: z.array(
      z.strictObject({
        row: rowNo,
        /**
         * `adopted`: the service has the payment, and the row has left its doubt. `found`: a failed payment of a
         * refused attempt. `halted`: another payment, or several, so the account is paused. `changed`: another program
         * changed the row meanwhile.
         */
        outcome: z.enum(['adopted', 'found', 'halted', 'not_found', 'unanswered', 'changed']),
        /** The row's status now. */
        status: rowStatus,
        /** The service's last status of its payment. */
        service_status: z.string().nullable(),
        /** The service's answer. */
        answer: z.strictObject({ code: z.string(), message: z.string() }),
      }),
    ),
    /** The last row that was looked up, if more rows in doubt follow; else null. */
    next: z.int().nullable(),
  }),
  async run({ actor, session, withAccount }, { batch_id, rows: named, after }) {
    const { account: name } = await requireBatch(actor.db, batch_id);
    const page = named.length > 0 ? [] : await pageRowsInState(actor.db, batch_id, 'in_doubt', after, rowsMax + 1);
    const rows = named.length > 0 ? [...new Set(named)] : page.slice(0, rowsMax).map(({ row_no }) => row_no);
    const results =
      rows.length === 0
        ? []
        : await withAccount(name, async (account) =>
            lookUpNow(actor, await requestDepsFor(account, session), batch_id, rows),
          );
    const shown = rowTextFor(session);
    return {
      batch_id,
      rows: results.map(({ row: { row_no, status, service_status }, outcome, evidence: { code, message } }) => ({
        ...{ row: row_no, outcome, status, service_status },
        answer: { code, message: shown(message) },
      })),
      next: page.length > rowsMax ? (rows.at(-1) ?? null) : null,
    };
  },
});

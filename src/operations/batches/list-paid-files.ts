import { z } from 'zod';
import { multiplyAmount, Sums, sumOf } from '../../core/money/money.ts';
import { isoTime } from '../../core/time/clock.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { batchesSentIn, chargedFor, paidRows, refundedOf, type Span } from '../../ledger/reporting/paid-rows.ts';
import { accountName, batchId, batchStatus, moment, sums, time } from '../base/fields.ts';
import { spanOf } from '../base/input-times.ts';
import { defineOperation } from '../base/operation.ts';
import { visibleAccounts } from '../base/visible.ts';

const paidFile = z.strictObject({
  batch_id: batchId,
  run_id: z.string(),
  account: accountName,
  file_name: z.string(),
  /** Where the batch stands now. */
  status: batchStatus,
  /**
   * Rows that count as paid (`countsAsPaid`) and ended in this time; `products` of them bought a product and are in no
   * sum of `paid`.
   */
  rows: z.int(),
  products: z.int(),
  paid: sums,
  /**
   * What these rows cost, in the currencies of the wallets, without what was refunded later. A row that had ended
   * unpaid counts what the service charged when it completed it. Other changes after its end are not included.
   */
  charged: sums,
  /** Those of these rows whose money the service has given back: the recipient may not have the airtime. */
  refunded_rows: z.int(),
  first_paid_at: time,
  last_paid_at: time,
});

/** The files whose rows were paid in a time, the one that was paid last first. */
export const listPaidFiles = defineOperation({
  name: 'list-paid-files',
  role: 'audit',
  // Not 'read': without a ledger, nobody can say that nothing was paid.
  ledger: 'change',
  showsOnlyVisible: true,
  input: z.strictObject({
    account: accountName.optional(),
    from: moment,
    /** If it is left out: now. */
    to: moment.optional(),
  }),
  result: z.strictObject({
    from: time,
    to: time,
    files: z.array(paidFile),
    rows: z.int(),
    paid: sums,
    charged: sums,
    refunded_rows: z.int(),
  }),
  async run({ session, nameOf }, { account, from, to }) {
    const accounts = account === undefined ? visibleAccounts(session) : [account];
    const span = spanOf({ from, to }, session.clock.now(), nameOf);
    return session.db.snapshot(async (view) => {
      const files: z.output<typeof paidFile>[] = [];
      for (const id of await batchesSentIn(view, { accounts, ...span })) {
        const file = await fileOf(view, id, span);
        if (file !== null) files.push(file);
      }
      const times = { from: isoTime(span.fromMs), to: isoTime(span.toMs) };
      files.sort((a, b) => (a.last_paid_at < b.last_paid_at ? 1 : -1));
      return {
        ...times,
        files,
        rows: files.reduce((sum, file) => sum + file.rows, 0),
        paid: sumOf(files.map((file) => file.paid)),
        charged: sumOf(files.map((file) => file.charged)),
        refunded_rows: files.reduce((sum, file) => sum + file.refunded_rows, 0),
      };
    });
  },
});

/** Null if none of its rows was paid in this time. */
async function fileOf(view: Queryable, id: string, span: Span): Promise<z.output<typeof paidFile> | null> {
  const groups = await paidRows(view, id, span);
  if (groups.length === 0) return null;
  const { batch_id, run_id, account, file_name, status } = await requireBatch(view, id);
  const paid = new Sums();
  for (const { currency, amount, count } of groups)
    if (amount !== null && currency !== null) paid.add(currency, multiplyAmount(amount, count));
  const rowsOf = (some: typeof groups) => some.reduce((sum, { count }) => sum + count, 0);
  return {
    ...{ batch_id, run_id, account, file_name, status },
    rows: rowsOf(groups),
    products: rowsOf(groups.filter(({ amount }) => amount === null)),
    paid: paid.toObject(),
    charged: chargedFor(groups),
    refunded_rows: refundedOf(groups),
    first_paid_at: isoTime(Math.min(...groups.map(({ first_at }) => first_at))),
    last_paid_at: isoTime(Math.max(...groups.map(({ last_at }) => last_at))),
  };
}

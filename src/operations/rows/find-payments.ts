import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { Sums } from '../../core/money/money.ts';
import { isTerminal } from '../../core/state/row-state.ts';
import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import { readPhone } from '../../intake/cells/phone.ts';
import { countryCode } from '../../intake/columns/settings.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import { countsAsPaid, takenBackRows } from '../../ledger/reporting/counts-as-paid.ts';
import {
  chargedFor,
  forgottenBatches,
  type PaidRows,
  paidRows,
  refundedOf,
  rowsSentTo,
} from '../../ledger/reporting/paid-rows.ts';
import { pageReported, type ReportedRow } from '../../ledger/reporting/reported-rows.ts';
import { doubtReasonsOf } from '../../ledger/rows/doubts.ts';
import { maskPhone } from '../../reports/text/mask.ts';
import { noteNumberSearch } from '../access/complete-numbers.ts';
import { accountName, batchId, moment, sums, time } from '../base/fields.ts';
import { spanOf } from '../base/input-times.ts';
import { type Door, defineOperation } from '../base/operation.ts';
import { visibleAccounts } from '../base/visible.ts';
import { listed, listedRow } from './list-rows.ts';

/** A person who is paid every day for a year has fewer payments. */
const paymentsMax = 500;

const anyTime = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

const sentRow = listedRow.omit({ paid_by: true }).extend({
  batch_id: batchId,
  run_id: z.string(),
  account: accountName,
  file_name: z.string(),
  /** Whether it is paid, as the service now says: see `countsAsPaid`. */
  counts_as_paid: z.boolean(),
  /** A second payment of the row at the service: its recipient may have been paid twice. No sum includes it. */
  second_topup_id: z.string().nullable(),
  refunded_at: time.nullable(),
});

/**
 * What was sent to one phone number, in all batches. The answer masks the number, which the caller knows. No log and no
 * list of requests keeps it.
 */
export const findPayments = defineOperation({
  name: 'find-payments',
  role: 'audit',
  // Not 'read': without a ledger, nobody can say that nothing was sent.
  ledger: 'change',
  showsOnlyVisible: true,
  input: z.strictObject({
    /** As people write it, with its country code, or in national form with `country`. */
    number: z.string().trim().min(1).max(40),
    /** Two letters. If it is left out: the configured one. */
    country: countryCode.optional(),
    account: accountName.optional(),
    /** Rows that were first sent in this time. If both are left out: at any time. */
    from: moment.optional(),
    to: moment.optional(),
  }),
  result: z.strictObject({
    /** Masked: `2********118`. */
    phone_number: z.string(),
    from: time.nullable(),
    to: time,
    /** The latest first; 500 at most. */
    payments: z.array(sentRow),
    /** Whether there are older ones in this time, which no sum includes. */
    is_cut: z.boolean(),
    /** Rows that count as paid, and what they were paid; products are only counted. */
    paid_rows: z.int(),
    paid: sums,
    paid_products: z.int(),
    /** Rows that may have been paid twice. */
    paid_twice_rows: z.int(),
    /** Those of these rows whose money the service has given back: the recipient may not have the airtime. */
    refunded_rows: z.int(),
    /**
     * What these rows cost, in the currencies of the wallets, without what was refunded later. A row that had ended
     * unpaid counts what the service charged when it completed it. `export-journal` has other later charges.
     */
    charged: sums,
    /** Rows that have no result yet, and what they ask for. */
    open_rows: z.int(),
    open: sums,
    /** Batches of this time whose numbers were removed (`forget-batches`): they may have paid this number, too. */
    forgotten_batches: z.int(),
  }),
  async run({ session, nameOf }, { number: written, country, account, from, to }) {
    const { db, clock, config } = session;
    const number = numberOf(written, country ?? configuredCountry(config.intake), nameOf);
    const accounts = account === undefined ? visibleAccounts(session) : [account];
    const { fromMs, toMs } = spanOf({ from, to }, clock.now(), nameOf);
    const asked = { accounts, fromMs, toMs };
    await noteNumberSearch(session, account === undefined ? {} : { account });
    return db.snapshot(async (view) => {
      const found = await rowsSentTo(view, number, { ...asked, limit: paymentsMax + 1 });
      const payments: z.output<typeof sentRow>[] = [];
      const [paid, open]: [ReportedRow[], ReportedRow[]] = [[], []];
      const costs: PaidRows[] = [];
      const takenBack = new Map<string, ReadonlySet<number>>();
      for (const { batch_id, row_no } of found.slice(0, paymentsMax)) {
        const [batch, [row]] = [await findBatch(view, batch_id), await pageReported(view, batch_id, row_no - 1, 1)];
        if (batch === null || row === undefined) continue;
        const { run_id, file_name, account: payer } = batch;
        const known = takenBack.get(batch_id) ?? (await takenBackRows(view, batch_id));
        takenBack.set(batch_id, known);
        const counts_as_paid = countsAsPaid(row, known);
        const costsOfRow = counts_as_paid ? await paidRows(view, batch_id, anyTime, row_no) : [];
        const refunded_at = isoOrNull(costsOfRow[0]?.last_refunded_at ?? row.refunded_at);
        const { second_topup_id } = row;
        const more = { batch_id, run_id, account: payer, file_name, counts_as_paid, second_topup_id, refunded_at };
        const doubts = await doubtReasonsOf(view, batch_id, [row_no, row_no]);
        payments.push({ ...listed(batch, row, doubts.get(row_no) ?? null), ...more });
        costs.push(...costsOfRow);
        if (counts_as_paid) paid.push(row);
        else if (!isTerminal(row.status)) open.push(row);
      }
      return {
        phone_number: maskPhone(number),
        from: from === undefined ? null : isoTime(fromMs),
        to: isoTime(toMs),
        payments,
        is_cut: found.length > paymentsMax,
        paid_rows: paid.length,
        paid: requestedBy(paid),
        paid_products: paid.filter(({ amount }) => amount === null).length,
        paid_twice_rows: payments.filter(({ second_topup_id }) => second_topup_id !== null).length,
        refunded_rows: refundedOf(costs),
        charged: chargedFor(costs),
        open_rows: open.length,
        open: requestedBy(open),
        forgotten_batches: await forgottenBatches(view, asked),
      };
    });
  },
});

function requestedBy(rows: readonly ReportedRow[]): z.output<typeof sums> {
  const total = new Sums();
  for (const { amount, currency } of rows) if (amount !== null && currency !== null) total.add(currency, amount);
  return total.toObject();
}

function configuredCountry(intake: Readonly<Record<string, unknown>>): string | null {
  return typeof intake.country === 'string' ? intake.country : null;
}

/** The number in E.164. Throws `USAGE`, without the number: the error may be logged. */
function numberOf(written: string, country: string | null, nameOf: Door['nameOf']): string {
  const phone = readPhone(written, { country, isOfRow: false });
  if ('number' in phone) return phone.number;
  throw new AirbatchError('USAGE', 'this is not a phone number that can be paid', {
    reason: refusal('NUMBER_UNPAYABLE', {}),
    hint: `Write it with "+" and its country code, or give its country, such as ${nameOf('country')} KE.`,
  });
}

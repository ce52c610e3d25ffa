import { z } from 'zod';
import { byCurrency } from '../../core/money/money-shapes.ts';
import { isoTime } from '../../core/time/clock.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import { journalOf } from '../../reports/reconcile/journal.ts';
import { journalCsv, journalFormats } from '../../reports/reconcile/journal-csv.ts';
import { walletProof } from '../../reports/reconcile/reconcile-wallets.ts';
import { chargeKinds } from '../../reports/summary/charges-between.ts';
import { chosenAccountName } from '../../runtime/settings/config.ts';
import { accountName, batchId, moment, sums, time } from '../base/fields.ts';
import { spanOf } from '../base/input-times.ts';
import { defineOperation } from '../base/operation.ts';

const accountOfBooks = z.string().trim().min(1).max(100);

/** What left the wallets in a time, as double-entry lines for an accounting program. */
export const exportJournal = defineOperation({
  name: 'export-journal',
  role: 'audit',
  // Not 'read': without a ledger, nobody can say that nothing left the wallets.
  ledger: 'change',
  input: z.strictObject({
    account: accountName.optional(),
    from: moment,
    /** If it is left out: now. */
    to: moment.optional(),
    format: z.enum(journalFormats).default('plain'),
    /** The account of the books that airtime is charged to. */
    expense: accountOfBooks.default('Airtime'),
    /** The account of the books for the wallets of each currency. If one is left out: "Airtime wallet USD". */
    wallets: byCurrency(accountOfBooks).default({}),
  }),
  result: z.strictObject({
    account: accountName,
    from: time,
    to: time,
    entries: z.array(
      z.strictObject({
        /** The day in UTC. */
        date: z.string(),
        batch_id: batchId,
        run_id: z.string(),
        kind: z.enum(chargeKinds),
        currency: z.string(),
        /** Negative if money came back. */
        amount: z.string(),
        /** 0 if they are not counted. */
        payments: z.int(),
      }),
    ),
    /** What left the wallets, less what came back, by currency: the sum of the entries. */
    totals: sums,
    /** Late charges that may belong to this time: they are in no entry. `reconcile-account` shows them. */
    uncertain: z.int(),
    /** What left the wallets between two readings, and what of it the entries explain; null without two readings. */
    wallets: walletProof.nullable(),
    csv: z.string(),
  }),
  async run({ session, nameOf }, { account: given, from, to, format, expense, wallets }) {
    const account = chosenAccountName(session.config, given);
    const { fromMs, toMs } = spanOf({ from, to }, session.clock.now(), nameOf);
    return session.db.snapshot(async (view) => {
      const journal = await journalOf(view, { account, fromMs, toMs });
      const runs = new Map<string, string>();
      for (const { batch_id } of journal.entries)
        if (!runs.has(batch_id)) runs.set(batch_id, (await findBatch(view, batch_id))?.run_id ?? '');
      const runOf = (id: string) => runs.get(id) ?? '';
      return {
        ...{ account, from: isoTime(fromMs), to: isoTime(toMs) },
        ...journal,
        entries: journal.entries.map((entry) => ({ ...entry, run_id: runOf(entry.batch_id) })),
        csv: journalCsv(journal.entries, format, { expense, wallets }, runOf),
      };
    });
  },
});

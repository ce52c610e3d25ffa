import { z } from 'zod';
import { pagesOf } from '../../core/basics/pages.ts';
import { compareAmounts, sameAmount, subtractAmounts } from '../../core/money/money.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import {
  amountsChanged,
  lastBatchOfJob,
  missingNumbers,
  mostAlikeBatch,
  newNumbers,
  pageRequested,
} from '../../ledger/reporting/review.ts';
import { costsOfBatch } from '../../ledger/rows/costs.ts';
import { sameRows, sameRowsOf } from './repeated-rows.ts';
import { amountsByCurrency, rowNo } from './summary-shape.ts';

/** A row as an approver sees it. */
export const reviewedRow = z.strictObject({
  row: rowNo,
  phone_number: z.string(),
  currency: z.string(),
  amount: z.string(),
});
export type ReviewedRow = z.output<typeof reviewedRow>;

/** What is new in a batch compared with an earlier one. */
export const sinceEarlier = z.strictObject({
  batch_id: z.string(),
  /** What that batch was charged, by currency of the wallets: the best estimate for this one. */
  cost: amountsByCurrency,
  /** How many numbers were not in that batch, and some of them. */
  new_numbers: z.int(),
  new_examples: z.array(reviewedRow),
  /** How many numbers were paid by that batch and have no row in this one. */
  missing_numbers: z.int(),
  /** Some of those, by their rows of that batch. */
  missing_examples: z.array(reviewedRow),
  /** How many numbers have an amount that differs by more than `changed_percent`, and some of them. */
  changed: z.int(),
  changed_percent: z.number(),
  changed_examples: z.array(reviewedRow.extend({ before: z.string() })),
});

/** What is unusual about a batch, shown before anything is sent. It prevents the well-known accidents. */
export const review = z.strictObject({
  /** The rows with the largest amounts of each currency. */
  largest: z.array(reviewedRow),
  /** Rows held for a person, by the code of the problem. */
  held: z.record(z.string(), z.int()),
  /**
   * Batches of the same run with the same rows, for example of a file that was submitted twice: what they pay, this one
   * does not.
   */
  same_rows: z.array(sameRows),
  /**
   * Compared with the last finished batch of the same job or, for a batch that no job brought, with the finished batch
   * of the last two months that has most of its numbers; null if there is none.
   */
  since: sinceEarlier.nullable(),
});
export type Review = z.output<typeof review>;

/** The most examples of each kind: enough to see what they have in common. */
const examplesMax = 5;
const rowsPerPage = 2_000;

/**
 * Reviews the rows of a batch, and compares them with the last finished batch of its job. `changedPercent`: from which
 * difference on an amount counts as changed.
 */
export async function reviewOf(db: Queryable, batch: BatchRecord, changedPercent: number): Promise<Review> {
  const largest = new Map<string, ReviewedRow[]>();
  const held: Record<string, number> = {};
  const read = (last: { row_no: number } | undefined, limit: number) =>
    pageRequested(db, batch.batch_id, last?.row_no ?? 0, limit);
  for await (const rows of pagesOf(rowsPerPage, read))
    for (const row of rows) {
      if (row.status === 'held') {
        for (const { code } of JSON.parse(row.problems ?? '[]') as { code: string }[])
          held[code] = (held[code] ?? 0) + 1;
        continue;
      }
      if (row.amount === null || row.currency === null) continue;
      const of = largest.get(row.currency) ?? [];
      const reviewed = {
        row: row.row_no,
        phone_number: row.phone_number ?? '',
        currency: row.currency,
        amount: row.amount,
      };
      largest.set(row.currency, withLargest(of, reviewed));
    }
  return {
    largest: [...largest.values()].flat(),
    held,
    same_rows: await sameRowsOf(db, batch),
    since: await sinceLast(db, batch, changedPercent),
  };
}

function withLargest(known: ReviewedRow[], row: ReviewedRow): ReviewedRow[] {
  const smallest = known.at(-1);
  if (known.length === examplesMax && smallest && compareAmounts(row.amount, smallest.amount) <= 0) return known;
  return [...known, row].sort((a, b) => compareAmounts(b.amount, a.amount)).slice(0, examplesMax);
}

/** What has changed since the last batch of the kind. */
export async function sinceLast(db: Queryable, batch: BatchRecord, changedPercent: number): Promise<Review['since']> {
  const last = await (batch.job === null ? mostAlikeBatch(db, batch) : lastBatchOfJob(db, batch));
  if (last === null) return null;
  const fresh = await newNumbers(db, batch.batch_id, last, examplesMax);
  const missing = await missingNumbers(db, batch.batch_id, last, examplesMax);
  let changed = 0;
  const changedExamples: (ReviewedRow & { before: string })[] = [];
  const read = (before: { row: number } | undefined, limit: number) =>
    amountsChanged(db, batch.batch_id, last, before?.row ?? 0, limit);
  for await (const rows of pagesOf(rowsPerPage, read))
    for (const row of rows) {
      if (!differsBy(row.before, row.amount, changedPercent)) continue;
      changed += 1;
      if (changedExamples.length < examplesMax) changedExamples.push(row);
    }
  return {
    batch_id: last,
    cost: Object.fromEntries(await costsOfBatch(db, last)),
    new_numbers: fresh.count,
    new_examples: fresh.examples,
    missing_numbers: missing.count,
    missing_examples: missing.examples,
    changed,
    changed_percent: changedPercent,
    changed_examples: changedExamples,
  };
}

/** Whether `now` is more than `percent` above or below `before`; both are decimal texts. */
export function differsBy(before: string, now: string, percent: number): boolean {
  if (sameAmount(before, now)) return false;
  const change = Math.abs(Number(subtractAmounts(now, before)));
  // Computed with binary floats: this is a warning, and no payment depends on it.
  return change > (Number(before) * percent) / 100;
}

import { type HeldGroup, heldGroupOf } from '../../core/duplicates/held-group.ts';
import { Sums } from '../../core/money/money.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { pagesInState, type RowRecord } from '../../ledger/rows/rows.ts';

/** The held rows, for the person who decides about them. */
export interface HeldRows {
  count: number;
  /** Their amounts by currency of the destination, without products. */
  sums: Record<string, string>;
  /** How many buy a product. */
  products: number;
  /** By the reason that holds them, in the order of the rows. */
  reasons: HeldReason[];
}

/** Rows that are held for the same reason, and for the same earlier batch. */
export interface HeldReason extends HeldGroup {
  count: number;
  sums: Record<string, string>;
  examples: RowRecord[];
}

/** The most examples of each kind: enough to see what they have in common. */
const examplesMax = 5;
const rowsPerPage = 2_000;

/** The held rows of a batch: all (null), or only these, which the caller has read. */
export async function heldRows(db: Queryable, batchId: string, chosen: readonly RowRecord[] | null): Promise<HeldRows> {
  const sums = new Sums();
  const reasons = new Map<string, Omit<HeldReason, 'sums'> & { sums: Sums }>();
  let [count, products] = [0, 0];
  const add = (row: RowRecord) => {
    count += 1;
    if (row.currency !== null && row.amount !== null) sums.add(row.currency, row.amount);
    else products += 1;
    const group = heldGroupOf(row);
    const name = `${group.code} ${group.earlierBatch}`;
    const known = reasons.get(name) ?? { ...group, count: 0, sums: new Sums(), examples: [] };
    reasons.set(name, known);
    known.count += 1;
    if (row.currency !== null && row.amount !== null) known.sums.add(row.currency, row.amount);
    if (known.examples.length < examplesMax) known.examples.push(row);
  };
  if (chosen === null) for await (const rows of pagesInState(db, batchId, 'held', rowsPerPage)) rows.forEach(add);
  else chosen.forEach(add);
  const all = [...reasons.values()].map((one) => ({ ...one, sums: one.sums.toObject() }));
  return { count, sums: sums.toObject(), products, reasons: all };
}

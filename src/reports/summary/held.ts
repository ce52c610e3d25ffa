import { Sums } from '../../core/money/money.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { pageRowsInState, type RowRecord } from '../../ledger/rows/rows.ts';

/** The held rows, for the person who decides about them. */
export interface HeldRows {
  count: number;
  /** Their amounts by currency of the destination, without products. */
  sums: Record<string, string>;
  /** How many buy a product. */
  products: number;
  /** By the code of the first problem that holds them: how many, and some examples. */
  reasons: Map<string, { count: number; examples: RowRecord[] }>;
}

/** The most examples of each kind: enough to see what they have in common. */
const examplesMax = 5;
const rowsPerPage = 2_000;

/** The held rows of a batch: all, or only those of `named`, which the caller has read. */
export async function heldRows(db: Queryable, batchId: string, named: readonly RowRecord[]): Promise<HeldRows> {
  const sums = new Sums();
  const reasons: HeldRows['reasons'] = new Map();
  let [count, products] = [0, 0];
  const add = (row: RowRecord) => {
    count += 1;
    if (row.currency !== null && row.amount !== null) sums.add(row.currency, row.amount);
    else products += 1;
    const [first] = JSON.parse(row.problems ?? '[]') as { code: string }[];
    const code = first?.code ?? '';
    const known = reasons.get(code) ?? { count: 0, examples: [] };
    reasons.set(code, known);
    known.count += 1;
    if (known.examples.length < examplesMax) known.examples.push(row);
  };
  const addAll = async () => {
    for (let after = 0; ; ) {
      const rows = await pageRowsInState(db, batchId, 'held', after, rowsPerPage);
      if (rows.length === 0) return;
      after = rows.at(-1)?.row_no ?? after;
      rows.forEach(add);
    }
  };
  if (named.length > 0) named.forEach(add);
  else await addAll();
  return { count, sums: sums.toObject(), products, reasons };
}

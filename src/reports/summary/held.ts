import { Sums } from '../../core/money/money.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { pageRowsInState, type RowRecord } from '../../ledger/rows/rows.ts';

/** Held rows as a person sees them who is to decide about them. */
export interface HeldRows {
  count: number;
  /** What they ask for, by currency of the destination; products are not in it. */
  sums: Record<string, string>;
  /** Those that buy a product. */
  products: number;
  /** By the code of the first problem that holds them: how many, and some of them. */
  reasons: Map<string, { count: number; examples: RowRecord[] }>;
}

/** Rows of each kind that are shown: enough to see what they have in common. */
const examplesMax = 5;
const rowsPerPage = 2_000;

/** All held rows of a batch; `named`: of these alone, which have been read. */
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

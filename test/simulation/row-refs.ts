import { contentRowRef } from '../../src/core/identity/ids.ts';
import type { NewRow } from '../../src/ledger/rows/rows.ts';
import type { Plan } from './plan.ts';

/** The row with the row ref that reading its file gives it: no file asks for the same twice. */
export function asNamed({ unnamed }: Plan, row: NewRow): NewRow {
  if (!unnamed) return row;
  const { phone_number, amount, currency, product_id } = row;
  return { ...row, row_ref: contentRowRef([phone_number, amount, currency, product_id], 1) };
}

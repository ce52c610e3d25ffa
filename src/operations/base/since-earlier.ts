import { z } from 'zod';
import { batchId, sums } from './fields.ts';

/** What is new in a batch compared with an earlier one. Each door adds `new_examples` and `changed_examples`. */
export const sinceEarlier = z.strictObject({
  batch_id: batchId,
  cost: sums,
  new_numbers: z.int(),
  /** Numbers that were paid then, and have no row now. */
  missing_numbers: z.int(),
  changed: z.int(),
  changed_percent: z.number(),
});

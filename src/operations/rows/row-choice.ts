import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import type { RowChoice } from '../../engine/decisions/release-or-skip.ts';
import { batchId, rowNo } from '../base/fields.ts';

/** The fields of an input that choose held rows. */
export const rowChoiceFields = {
  /** If it is empty: all held rows, or those of the group that `code` names. */
  rows: z.array(rowNo).default([]),
  /** Only rows that are held for this reason and this earlier batch: `code` and `earlier_batch` of `review-release`. */
  code: z.string().optional(),
  earlier_batch: batchId.optional(),
};

/** The chosen rows. Named rows count before a group. */
export function rowChoice({
  rows,
  code,
  earlier_batch: earlierBatch = null,
}: {
  rows: readonly number[];
  code?: string | undefined;
  earlier_batch?: string | null | undefined;
}): RowChoice {
  if (code === undefined && earlierBatch !== null)
    throw new AirbatchError('USAGE', 'an earlier batch is named without the reason for which its rows are held', {
      hint: 'Name both, as the review of the held rows shows them.',
    });
  return rows.length > 0 || code === undefined ? [...new Set(rows)] : { code, earlierBatch };
}

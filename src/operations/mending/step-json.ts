import { z } from 'zod';
import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import type { DraftStep } from '../../ledger/drafts/draft-changes.ts';
import { time } from '../base/fields.ts';

/** One step of one person. */
export const step = z.strictObject({
  step: z.int(),
  kind: z.enum(['cells', 'fix', 'rows', 'options']),
  /** The name of the fix; "" for other kinds. */
  detail: z.string(),
  cells: z.int(),
  done_by: z.string(),
  done_at: time,
  undone_by: z.string().nullable(),
  undone_at: time.nullable(),
});

export function stepJson({ step: number, kind, detail, cells, ...of }: DraftStep): z.output<typeof step> {
  return {
    ...{ step: number, kind, detail, cells, done_by: of.done_by, done_at: isoTime(of.done_at) },
    ...{ undone_by: of.undone_by, undone_at: isoOrNull(of.undone_at) },
  };
}

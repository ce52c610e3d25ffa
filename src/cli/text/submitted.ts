import { isoTime } from '../../core/time/clock.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { timeText } from '../../reports/sentences/format.ts';

/** Who submitted a batch and when, and who approved it and when, for people. */
export function submittedLines({ created_by, created_at, approved_by, approved_at }: BatchRecord): string[] {
  const submitted = `Submitted  by ${created_by} on ${timeText(isoTime(created_at))}`;
  if (approved_by === null || approved_at === null) return [submitted];
  return [submitted, `Approved   by ${approved_by} on ${timeText(isoTime(approved_at))}`];
}

import { timeText } from '../../reports/sentences/format.ts';

/** Who submitted and who approved a batch, and when. */
export function submittedLines({
  created_by,
  created_at,
  approved_by = null,
  approved_at = null,
}: {
  created_by: string;
  created_at: string;
  approved_by?: string | null;
  approved_at?: string | null;
}): string[] {
  const submitted = `Submitted  by ${created_by} on ${timeText(created_at)}`;
  if (approved_by === null || approved_at === null) return [submitted];
  return [submitted, `Approved   by ${approved_by} on ${timeText(approved_at)}`];
}

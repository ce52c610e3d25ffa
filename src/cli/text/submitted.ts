import type { Approvals } from '../../operations/base/approvals-now.ts';
import { timeText } from '../../reports/sentences/format.ts';

/** Who submitted and who approved a batch, and when. */
export function submittedLines({
  created_by,
  created_at,
  approved_by = null,
  approved_at = null,
  approvals,
}: {
  created_by: string;
  created_at: string;
  approved_by?: string | null;
  approved_at?: string | null;
  approvals: Approvals;
}): string[] {
  const submitted = `Submitted  by ${created_by} on ${timeText(created_at)}`;
  const given = approvals.given.map(({ person, at }) => ({ person, at }));
  // Nobody was asked: the submitter's own decision was enough.
  if (given.length === 0 && approved_by !== null && approved_at !== null)
    given.push({ person: approved_by, at: approved_at });
  return [submitted, ...given.map(({ person, at }) => `Approved   by ${person} on ${timeText(at)}`)];
}

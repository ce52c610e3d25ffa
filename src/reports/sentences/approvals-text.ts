import type { BatchSummary } from '../summary/summary-shape.ts';

/** Who has approved a batch, in a few words; null if nobody has. */
export function approversText({ approvals: { given }, approved_by }: BatchSummary): string | null {
  return given.length === 0 ? approved_by : given.map(({ person }) => person).join(', ');
}

/** How many approvals a batch has that needs several and still waits for some; null for any other batch. */
export function waitingApprovalsText({ status, approvals: { needed, given } }: BatchSummary): string | null {
  if (status !== 'awaiting_approval' || needed <= 1) return null;
  const by = given.length === 0 ? '' : ` (${given.map(({ person }) => person).join(', ')})`;
  return `It has ${given.length} of ${needed} approvals${by}.`;
}

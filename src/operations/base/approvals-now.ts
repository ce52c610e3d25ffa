import { z } from 'zod';
import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import { approvalEndsAt } from '../../engine/plan/approval.ts';
import { approvalsOf } from '../../ledger/batches/approvals.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Session } from '../../runtime/session/session.ts';
import { time } from './fields.ts';

/** Who has approved a batch, and how many must. */
export const approvals = z.strictObject({
  /** How many different people must approve; 0 if nobody was asked. */
  needed: z.int(),
  /** The approvals that count, the first one first. */
  given: z.array(z.strictObject({ person: z.string(), through: z.string(), at: time })),
  /** After this time, a batch that waits can no longer be approved; null if there is no such time. */
  ends_at: time.nullable(),
  /** Who may approve next, as the configuration names them; null if it names nobody, and so everybody may. */
  may_approve: z.array(z.string()).nullable(),
});
export type Approvals = z.output<typeof approvals>;

export async function approvalsNow(
  { db, config }: { db: Session['db']; config: { people?: Session['config']['people'] } },
  batch: BatchRecord,
): Promise<Approvals> {
  const given = await approvalsOf(db, batch.batch_id);
  const others = config.people?.approve?.filter(
    (name) => name !== batch.created_by && !given.some(({ person }) => person === name),
  );
  return {
    needed: batch.approvals_needed,
    given: given.map(({ person, through, approved_at }) => ({ person, through, at: isoTime(approved_at) })),
    ends_at: batch.status === 'awaiting_approval' ? isoOrNull(approvalEndsAt(batch)) : null,
    may_approve: others ?? null,
  };
}

/** "1 of 2 approvals (ann); needs one more of: bob, carol"; null if one is needed and nobody is named. */
export function approvalsText({ needed, given, may_approve }: Approvals): string | null {
  if (needed <= 1 && may_approve === null) return null;
  const by = given.length === 0 ? '' : ` (${given.map(({ person }) => person).join(', ')})`;
  const missing = needed - given.length;
  const more = `${missing === 1 ? 'one' : missing}${given.length === 0 ? '' : ' more'}`;
  const whose =
    may_approve === null ? '' : may_approve.length === 0 ? ', and nobody else may' : ` of: ${may_approve.join(', ')}`;
  return `${given.length} of ${needed} approval${needed === 1 ? '' : 's'}${by}; needs ${more}${whose}`;
}

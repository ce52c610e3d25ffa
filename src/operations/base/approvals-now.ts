import { z } from 'zod';
import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import { approvalEndsAt } from '../../engine/plan/approval.ts';
import { authorsOf, readHumans } from '../../engine/plan/same-human.ts';
import { usersWithRole } from '../../ledger/access/users.ts';
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
  /**
   * Who may approve next: whom the configuration names for it, and the people of the console with the role. Null if
   * neither names anybody: everybody on this machine may.
   */
  may_approve: z.array(z.string()).nullable(),
});
export type Approvals = z.output<typeof approvals>;

export async function approvalsNow(
  { db, config }: { db: Session['db']; config: Partial<Pick<Session['config'], 'people' | 'otherNames'>> },
  batch: BatchRecord,
): Promise<Approvals> {
  const given = await approvalsOf(db, batch.batch_id);
  const others = async (names: string[]) => {
    const humans = await readHumans(db, config);
    const decided = [...(await authorsOf(db, batch)), ...given.map(({ person }) => person)];
    return [...new Set(names)].filter((name) => !decided.some((one) => humans.areOne(one, name)));
  };
  const isWaiting = batch.status === 'awaiting_approval';
  const inConsole = isWaiting ? await usersWithRole(db, 'approve', batch.account) : [];
  const named = [...(config.people?.approve ?? []), ...inConsole];
  return {
    needed: batch.approvals_needed,
    given: given.map(({ person, through, approved_at }) => ({ person, through, at: isoTime(approved_at) })),
    ends_at: isWaiting ? isoOrNull(approvalEndsAt(batch)) : null,
    may_approve: config.people?.approve === undefined && named.length === 0 ? null : await others(named),
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

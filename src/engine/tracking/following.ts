import { type ListCursor, never } from './list-cursor.ts';
import { type ListLookNeeds, look } from './list-look.ts';
import { ever, type LookPlanNeeds, planLook } from './look-plan.ts';

export type FollowingNeeds = ListLookNeeds & LookPlanNeeds;

/**
 * Reads the account's list when a read is worth a request: about a page of rows has probably ended, or one row should
 * have ended a while ago. Returns when to ask again (epoch ms); `Infinity` if no row is followed.
 */
export async function followList(context: FollowingNeeds, cursor: ListCursor): Promise<number> {
  const { clock } = context;
  const plan = await planLook(context, cursor);
  const now = clock.now();
  const notBefore = Math.max(cursor.troubleUntil, lastReadAt(cursor) + plan.apartMs);
  if (notBefore > now) return Math.max(notBefore, plan.askAgainAt);
  let troubleMs = 0;
  if (plan.oldAt <= now) {
    troubleMs = await look(context, cursor, plan, { from: plan.old.oldest ?? never, until: plan.oldUntil });
    cursor.oldReadAt = clock.now();
  }
  if (plan.youngAt <= now && troubleMs === 0) {
    const from = Math.min(plan.stale.oldest ?? ever, plan.fresh.oldest ?? ever);
    troubleMs = await look(context, cursor, plan, { from, until: ever });
    cursor.youngReadAt = clock.now();
  }
  if (plan.oldAt > now && plan.youngAt > now) return plan.askAgainAt;
  cursor.troubleUntil = lastReadAt(cursor) + troubleMs;
  const next = await planLook(context, cursor);
  return Math.max(cursor.troubleUntil, lastReadAt(cursor) + next.apartMs, next.askAgainAt);
}

function lastReadAt({ youngReadAt, oldReadAt }: ListCursor): number {
  return Math.max(youngReadAt, oldReadAt);
}

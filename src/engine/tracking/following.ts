import type { RunnerContext } from '../runner/context.ts';
import { never } from '../runner/list-cursor.ts';
import { look } from './list-look.ts';
import { ever, planLook } from './look-plan.ts';

/**
 * Reads the account's list where that is worth it: when about a page of rows can be expected to have ended, or one of
 * them has been expected to for a while. Returns when to ask again (epoch ms): `Infinity` where nothing is followed.
 */
export async function followList(context: RunnerContext): Promise<number> {
  const { listCursor: mark, clock } = context;
  const plan = await planLook(context);
  const now = clock.now();
  const notBefore = Math.max(mark.troubleUntil, mark.lookedAt + plan.apartMs);
  if (notBefore > now) return Math.max(notBefore, plan.askAgainAt);
  let troubleMs = 0;
  if (plan.oldAt <= now) {
    troubleMs = await look(context, plan, { from: plan.old.oldest ?? never, until: plan.oldUntil });
    mark.oldReadAt = clock.now();
  }
  if (plan.youngAt <= now && troubleMs === 0) {
    const from = Math.min(plan.stale.oldest ?? ever, plan.fresh.oldest ?? ever);
    troubleMs = await look(context, plan, { from, until: ever });
    mark.readAt = clock.now();
  }
  if (plan.oldAt > now && plan.youngAt > now) return plan.askAgainAt;
  mark.lookedAt = clock.now();
  mark.troubleUntil = mark.lookedAt + troubleMs;
  const next = await planLook(context);
  return Math.max(mark.troubleUntil, mark.lookedAt + next.apartMs, next.askAgainAt);
}

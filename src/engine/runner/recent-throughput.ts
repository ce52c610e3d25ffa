import { type StoredPace, savePace } from '../../ledger/accounts/pace.ts';
import { recentSends } from '../../ledger/accounts/recent-sends.ts';
import type { Parts } from './context.ts';

type RecentThroughputNeeds = Parts<'account' | 'committer' | 'gate' | 'late' | 'lease' | 'limiter' | 'picker'>;

/** Tells the limiter what former programs have just sent, so that the limit holds for all of them together. */
export async function restoreThroughput({
  db,
  clock,
  account,
  limiter,
}: Parts<'account' | 'clock' | 'db' | 'limiter'>): Promise<void> {
  const { windowMs } = limiter.usage('creation');
  limiter.usedBefore('creation', await recentSends(db, { account, now: clock.now(), windowMs }));
}

/** Saves the account's pace, and whether the service is reachable, for other processes. */
export async function saveThroughput(context: RecentThroughputNeeds): Promise<void> {
  const pace = recentThroughput(context);
  await context.committer.commit((unit) => savePace(unit.tx, context.account, pace), false);
}

/** How fast the account is sending, and what closes its gate. */
export function recentThroughput(context: RecentThroughputNeeds): StoredPace {
  const { lease, limiter, picker, gate, late } = context;
  const { used, usedOfWindow, limit, outlook, shared } = limiter.usage('creation');
  return {
    fence: lease.fence.fence,
    used: usedOfWindow ?? used,
    isFromService: usedOfWindow !== null,
    limit,
    outlook,
    spaced: Object.fromEntries(picker.spaced()),
    shared,
    gate: gate.causes(),
    late: late.all(),
  };
}

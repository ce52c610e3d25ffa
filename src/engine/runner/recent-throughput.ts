import { type StoredPace, savePace, storedUse } from '../../ledger/accounts/pace.ts';
import type { Parts } from './context.ts';

type RecentThroughputNeeds = Parts<'account' | 'committer' | 'gate' | 'late' | 'lease' | 'limiter' | 'picker'>;

/**
 * Gives the limiter the previous program's use of the service's window, so that it is not taken for another client's
 * use.
 */
export async function restoreThroughput({ db, account, limiter }: Parts<'account' | 'db' | 'limiter'>): Promise<void> {
  const use = await storedUse(db, account);
  if (use !== null) limiter.usedBefore('creation', use);
}

/** Saves the account's pace, and whether the service is reachable, for other processes. */
export async function saveThroughput(context: RecentThroughputNeeds): Promise<void> {
  const pace = recentThroughput(context);
  await context.committer.commit((unit) => savePace(unit.tx, context.account, pace), false);
}

/** How fast the account is sending, and what closes its gate. */
export function recentThroughput(context: RecentThroughputNeeds): StoredPace {
  const { lease, limiter, picker, gate, late } = context;
  const { used, usedOfWindow, limit, ownUse, outlook, shared } = limiter.usage('creation');
  return {
    fence: lease.fence.fence,
    used: usedOfWindow ?? used,
    isFromService: usedOfWindow !== null,
    limit,
    ownUse,
    outlook,
    spaced: Object.fromEntries(picker.spaced()),
    shared,
    gate: gate.causes(),
    late: late.all(),
  };
}

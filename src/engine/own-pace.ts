import { notePace } from '../ledger/pace.ts';
import type { RunnerContext } from './context.ts';

/** How fast it goes, and whether the service is there, for who watches, be it in another process. */
export async function noteOwnPace(context: RunnerContext): Promise<void> {
  const { committer, limiter, account, lease, unreachableSince } = context;
  const { used, limit, windowMs, nextAt, shared } = limiter.usage('creation');
  const pace = { fence: lease.fence.fence, used, limit, windowMs, nextAt, shared, unreachableSince };
  await committer.commit((unit) => notePace(unit.tx, account, pace));
}

import { notePace } from '../ledger/pace.ts';
import type { RunnerContext } from './context.ts';

/** How fast it goes, and whether the service is there, for who watches, be it in another process. */
export async function noteOwnPace({ committer, limiter, account, unreachableSince }: RunnerContext): Promise<void> {
  const { used, limit, windowMs, nextAt, shared } = limiter.usage('creation');
  await committer.commit((unit) =>
    notePace(unit.tx, account, { at: unit.at, used, limit, windowMs, nextAt, shared, unreachableSince }),
  );
}

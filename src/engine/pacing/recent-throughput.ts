import { throttleAt } from '../../core/time/throttle-wait.ts';
import { type StoredPace, savePace, storedUse } from '../../ledger/accounts/pace.ts';
import type { RunnerContext } from '../runner/context.ts';
import { boostDeadlines } from './deadline-boost.ts';
import { longThrottle } from './long-throttle.ts';

/**
 * Tells the limiter what the previous program sent in the service's window, so that it is not taken for other clients'
 * use.
 */
export async function restoreThroughput({ db, account, limiter }: RunnerContext): Promise<void> {
  const use = await storedUse(db, account);
  if (use !== null) limiter.usedBefore('creation', use);
}

/** Saves the account's pace, and whether the service is reachable, for those who watch, also from another process. */
export async function saveThroughput(context: RunnerContext): Promise<void> {
  noteLongThrottle(context);
  const pace = recentThroughput(context);
  await context.committer.commit((unit) => savePace(unit.tx, context.account, pace));
}

/** Saves the pace whenever it has changed, and boosts batches that would be late at this pace. */
export async function throughputLoop(context: RunnerContext): Promise<void> {
  const { clock, stopping, settings } = context;
  let noted = '';
  while (!stopping.aborted) {
    await clock.sleep(settings.idlePollMs, stopping);
    noteLongThrottle(context);
    await boostDeadlines(context, recentThroughput(context));
    const { used, limit, outlook, throttleWait: throttle, late } = recentThroughput(context);
    const stands = JSON.stringify([used, limit, outlook.left, outlook.expected, throttle, Object.keys(late)]);
    if (stopping.aborted || stands === noted) continue;
    noted = stands;
    await saveThroughput(context);
  }
}

/**
 * Records a long throttle that a request outside the runner received (such as a lookup for a new file), for those who
 * watch.
 */
function noteLongThrottle(context: RunnerContext): void {
  const now = context.clock.now();
  const until = longThrottle(context, 'creation');
  if (until !== null && throttleAt(context.throttleWait, until) === null)
    context.throttleWait = { since: now, at: now, saidMs: until - now, until };
}

function recentThroughput(context: RunnerContext): StoredPace {
  const { lease, limiter, picker, clock, unreachableSince, late } = context;
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
    throttleWait: throttleAt(context.throttleWait, clock.now()),
    unreachableSince,
    late: Object.fromEntries(late),
  };
}

import { waitAt } from '../core/told-wait.ts';
import { type NotedPace, notedUse, notePace } from '../ledger/pace.ts';
import type { RunnerContext } from './context.ts';
import { longHold } from './long-hold.ts';
import { heedTimes } from './pressing.ts';

/** Tells the limiter what the previous program sent in the service's window, so that it is not taken for other clients' use. */
export async function goOnAtPace({ db, account, limiter }: RunnerContext): Promise<void> {
  const use = await notedUse(db, account);
  if (use !== null) limiter.usedBefore('creation', use);
}

/** Saves the account's pace, and whether the service is reachable, for those who watch, also from another process. */
export async function noteOwnPace(context: RunnerContext): Promise<void> {
  heedHold(context);
  const pace = ownPace(context);
  await context.committer.commit((unit) => notePace(unit.tx, context.account, pace));
}

/** Saves the pace whenever it has changed, and boosts batches that would be late at this pace. */
export async function paceLoop(context: RunnerContext): Promise<void> {
  const { clock, stopping, settings } = context;
  let noted = '';
  while (!stopping.aborted) {
    await clock.sleep(settings.idlePollMs, stopping);
    heedHold(context);
    await heedTimes(context, ownPace(context));
    const { used, limit, outlook, toldToWait: told, late } = ownPace(context);
    const stands = JSON.stringify([used, limit, outlook.left, outlook.expected, told, Object.keys(late)]);
    if (stopping.aborted || stands === noted) continue;
    noted = stands;
    await noteOwnPace(context);
  }
}

/** Records a long throttle that a request outside the runner received (such as a lookup for a new file), for those who watch. */
function heedHold(context: RunnerContext): void {
  const now = context.clock.now();
  const until = longHold(context, 'creation');
  if (until !== null && waitAt(context.toldToWait, until) === null)
    context.toldToWait = { since: now, at: now, saidMs: until - now, until };
}

function ownPace(context: RunnerContext): NotedPace {
  const { lease, limiter, picker, clock, unreachableSince, late } = context;
  const { used, usedOfWindow, limit, ownUse, outlook, shared } = limiter.usage('creation');
  return {
    fence: lease.fence.fence,
    used: usedOfWindow ?? used,
    isTold: usedOfWindow !== null,
    limit,
    ownUse,
    outlook,
    spaced: Object.fromEntries(picker.spaced()),
    shared,
    toldToWait: waitAt(context.toldToWait, clock.now()),
    unreachableSince,
    late: Object.fromEntries(late),
  };
}

import { waitAt } from '../core/told-wait.ts';
import { type NotedPace, notePace } from '../ledger/pace.ts';
import type { RunnerContext } from './context.ts';

/** Notes how fast it goes, and whether the service is there, for who watches, be it in another process. */
export async function noteOwnPace(context: RunnerContext): Promise<void> {
  const pace = ownPace(context);
  await context.committer.commit((unit) => notePace(unit.tx, context.account, pace));
}

/** Notes it anew whenever more was sent, as often as the ledger is looked at. */
export async function paceLoop(context: RunnerContext): Promise<void> {
  const { clock, stopping, settings } = context;
  let noted = '';
  while (!stopping.aborted) {
    await clock.sleep(settings.idlePollMs, stopping);
    const { used, limit, outlook, toldToWait: told } = ownPace(context);
    const stands = JSON.stringify([used, limit, outlook.left, outlook.expected, told]);
    if (stopping.aborted || stands === noted) continue;
    noted = stands;
    await noteOwnPace(context);
  }
}

function ownPace(context: RunnerContext): NotedPace {
  const { lease, limiter, picker, clock, unreachableSince } = context;
  const { used, usedOfWindow, limit, outlook, shared } = limiter.usage('creation');
  return {
    fence: lease.fence.fence,
    used: usedOfWindow ?? used,
    isTold: usedOfWindow !== null,
    limit,
    outlook,
    spaced: Object.fromEntries(picker.spaced()),
    shared,
    toldToWait: waitAt(context.toldToWait, clock.now()),
    unreachableSince,
  };
}

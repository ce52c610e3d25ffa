import { waitAt } from '../core/told-wait.ts';
import { type NotedPace, notedUse, notePace } from '../ledger/pace.ts';
import type { RunnerContext } from './context.ts';
import { longHold } from './long-hold.ts';
import { heedTimes } from './pressing.ts';

/** What the program before this one has sent in the service's window was not sent by others. */
export async function goOnAtPace({ db, account, limiter }: RunnerContext): Promise<void> {
  const use = await notedUse(db, account);
  if (use !== null) limiter.usedBefore('creation', use);
}

/** Notes how fast it goes, and whether the service is there, for who watches, be it in another process. */
export async function noteOwnPace(context: RunnerContext): Promise<void> {
  heedHold(context);
  const pace = ownPace(context);
  await context.committer.commit((unit) => notePace(unit.tx, context.account, pace));
}

/** Notes it anew whenever more was sent, as often as the ledger is looked at, and has those batches go first that have to at this pace. */
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

/** What was told beside the runner, in answer to the look-ups of a file, holds the account just so: who watches hears of it. */
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

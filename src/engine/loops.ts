import { withJitter } from '../core/basics/random.ts';
import { announcedTo } from '../ledger/accounts/announce.ts';
import { LimiterStopped } from '../limiter/limiter.ts';
import { watchAccount } from './batches/account-watch.ts';
import { boostDeadlines, type DeadlineBoostNeeds } from './batches/deadline-boost.ts';
import { resumeFunded } from './batches/funds.ts';
import { refreshBatches } from './batches/refresh-batches.ts';
import { type DispatchNeeds, dispatchLoop } from './dispatch/dispatch.ts';
import { doubtInterrupted, stepDoubts } from './doubts/doubts.ts';
import type { Parts } from './runner/context.ts';
import { idleMs } from './runner/open-batches.ts';
import { recentThroughput, saveThroughput } from './runner/recent-throughput.ts';
import { roundMs, type Stay, type SuperviseNeeds, superviseLoop } from './supervise.ts';
import { makeListCursor } from './tracking/list-cursor.ts';
import { makeRereading } from './tracking/reread.ts';
import { processWebhooks } from './tracking/take-webhooks.ts';
import { type TrackingNeeds, trackOnce } from './tracking/tracking.ts';

type LoopsNeeds = DispatchNeeds & SuperviseNeeds & TrackingNeeds & DeadlineBoostNeeds;

/** The pace of an account is measured this often, as a part of the service's window: every 4 s of a minute. */
const looksPerWindow = 15;

/**
 * Within this time after a start, accounts whose batches wait for money first ask for their balances: a program with a
 * thousand accounts does not ask for all of them at one moment, and a person who has paid in hardly waits.
 */
const firstFundsLookMsMax = 10_000;

/** Runs all loops until the work is done. The first fault in any loop ends all of them. */
export async function runLoops(
  context: LoopsNeeds,
  { rereads, ...stay }: Stay & { rereads: boolean },
  stop: () => void,
): Promise<void> {
  let trouble: unknown = null;
  const guarded = (loop: () => Promise<void>) =>
    loop().catch((error: unknown) => {
      if (error instanceof LimiterStopped) return;
      trouble ??= error;
      stop();
    });
  const announced = await announcedTo(context.db, context.account);
  await refreshBatches(context);
  for (const open of [...context.batches.all().values(), ...context.batches.moved().values()]) {
    const count = await doubtInterrupted(context, open);
    if (count > 0)
      context.log.warn('rows were being sent when the program ended; airbatch looks them up', {
        batch_id: open.batch.batch_id,
        rows: count,
      });
  }
  const ended = new AbortController();
  const loops = Promise.all([
    guarded(() => superviseLoop(context, stay, stop)),
    guarded(() => saveThroughput(context)),
    guarded(() => throughputLoop(context)),
    guarded(() => watchAccount(context, announced)),
    guarded(() => dispatchLoop(context)),
    guarded(() => doubtLoop(context)),
    guarded(() => trackLoop(context)),
    guarded(() => webhookLoop(context)),
    ...(context.settings.resumeWhenFunded ? [guarded(() => fundsLoop(context, stay.patienceMs))] : []),
    ...(rereads ? [guarded(() => rereadLoop(context))] : []),
  ]).finally(() => ended.abort());
  // Until the last request has its outcome, also after a stop: nobody else takes the account before.
  await Promise.all([loops, guarded(() => context.lease.keep(ended.signal))]);
  if (trouble !== null) throw trouble;
}

async function doubtLoop(context: LoopsNeeds): Promise<void> {
  while (!context.stopping.aborted) {
    const next = await stepDoubts(context);
    await context.wakes.doubt.wait(msUntil(context, next));
  }
}

async function trackLoop(context: LoopsNeeds): Promise<void> {
  const cursor = makeListCursor();
  while (!context.stopping.aborted) {
    const wait = await trackOnce(context, cursor);
    // Every row that is accepted wakes this loop, and an immediate read would find it unchanged.
    const least = Math.min(wait, await roundMs(context));
    await context.clock.sleep(least, context.stopping);
    if (wait > least && !context.stopping.aborted) await context.wakes.track.wait(wait - least);
  }
}

/** Handles webhooks. Another process may have received some, so the inbox is also checked from time to time. */
async function webhookLoop(context: LoopsNeeds): Promise<void> {
  while (!context.stopping.aborted) {
    const next = await processWebhooks(context);
    await context.wakes.webhook.wait(msUntil(context, next));
  }
}

/** How long a loop waits for its next due time (epoch ms, null if there is none), and polls meanwhile. */
function msUntil(context: Parts<'batches' | 'clock' | 'settings'>, next: number | null): number {
  return Math.max(1, Math.min(idleMs(context), (next ?? Number.POSITIVE_INFINITY) - context.clock.now()));
}

async function fundsLoop(context: LoopsNeeds, patienceMs: number): Promise<void> {
  // A run that ends by itself asks at once: it might end before.
  if (patienceMs === Infinity)
    await context.clock.sleep(context.random.fraction() * firstFundsLookMsMax, context.stopping);
  while (!context.stopping.aborted) {
    if (await resumeFunded(context)) context.wakes.supervise.wake();
    // The accounts of a process do not all ask for their balances at the same moment.
    const waitMs = context.batches.isAnyOpen() ? withJitter(context.settings.fundsLookMs, context.random) : Infinity;
    await context.wakes.funds.wait(waitMs);
  }
}

async function rereadLoop(context: LoopsNeeds): Promise<void> {
  const readOn = makeRereading(context);
  while (!context.stopping.aborted) await context.wakes.reread.wait(Math.max(1, await readOn()));
}

/**
 * Saves the pace when it has changed, and boosts batches that would be late at this pace. It rests while nothing of the
 * account's limit is used and no batch has a deadline.
 */
async function throughputLoop(context: LoopsNeeds): Promise<void> {
  const { clock, stopping, settings, limiter } = context;
  const apartMs = Math.max(settings.idlePollMs, limiter.usage('creation').windowMs / looksPerWindow);
  let noted = '';
  let isResting = false;
  while (!stopping.aborted) {
    if (isResting) await context.wakes.throughput.wait(Infinity);
    else await clock.sleep(apartMs, stopping);
    const isAnyDeadline = await boostDeadlines(context, recentThroughput(context));
    const { used, limit, outlook, gate, late } = recentThroughput(context);
    const stands = JSON.stringify([used, limit, outlook.left, outlook.expected, gate.throttle, Object.keys(late)]);
    isResting = used === 0 && gate.throttle === null && !isAnyDeadline;
    if (stopping.aborted || stands === noted) continue;
    noted = stands;
    await saveThroughput(context);
  }
}

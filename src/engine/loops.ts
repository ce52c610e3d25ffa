import { LimiterStopped } from '../limiter/limiter.ts';
import { boostDeadlines, type DeadlineBoostNeeds } from './batches/deadline-boost.ts';
import { resumeFunded } from './batches/funds.ts';
import { refreshBatches } from './batches/refresh-batches.ts';
import { type DispatchNeeds, dispatchLoop } from './dispatch/dispatch.ts';
import { doubtInterrupted, stepDoubts } from './doubts/doubts.ts';
import { recentThroughput, saveThroughput } from './runner/recent-throughput.ts';
import { roundMs, type Stay, type SuperviseNeeds, superviseLoop } from './supervise.ts';
import { makeListCursor } from './tracking/list-cursor.ts';
import { makeRereading } from './tracking/reread.ts';
import { processWebhooks } from './tracking/take-webhooks.ts';
import { type TrackingNeeds, trackOnce } from './tracking/tracking.ts';

type LoopsNeeds = DispatchNeeds & SuperviseNeeds & TrackingNeeds & DeadlineBoostNeeds;

/** How many renewals fit into the life of a lease, so that two may fail before the lease is lost. */
const renewalsPerTtl = 4;

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
  await refreshBatches(context);
  for (const open of [...context.batches.all().values(), ...context.batches.moved().values()]) {
    const count = await doubtInterrupted(context, open);
    if (count > 0)
      context.log.warn('rows were being sent when the program ended; airbatch looks them up', {
        batch_id: open.batch.batch_id,
        rows: count,
      });
  }
  await Promise.all([
    guarded(() => superviseLoop(context, stay, stop)),
    guarded(() => saveThroughput(context)),
    guarded(() => throughputLoop(context)),
    guarded(() => renewLoop(context)),
    guarded(() => dispatchLoop(context)),
    guarded(() => doubtLoop(context)),
    guarded(() => trackLoop(context)),
    guarded(() => webhookLoop(context)),
    ...(context.settings.resumeWhenFunded ? [guarded(() => fundsLoop(context))] : []),
    ...(rereads ? [guarded(() => rereadLoop(context))] : []),
  ]);
  if (trouble !== null) throw trouble;
}

async function doubtLoop(context: LoopsNeeds): Promise<void> {
  while (!context.stopping.aborted) {
    const next = await stepDoubts(context);
    const now = context.clock.now();
    const { idlePollMs } = context.settings;
    await context.wakes.doubt.wait(Math.max(1, Math.min(idlePollMs, (next ?? now + idlePollMs) - now)));
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
    const now = context.clock.now();
    const { idlePollMs } = context.settings;
    await context.wakes.webhook.wait(Math.max(1, Math.min(idlePollMs, (next ?? now + idlePollMs) - now)));
  }
}

async function fundsLoop(context: LoopsNeeds): Promise<void> {
  while (!context.stopping.aborted) {
    if (await resumeFunded(context)) context.wakes.supervise.wake();
    await context.wakes.funds.wait(context.settings.fundsLookMs);
  }
}

async function rereadLoop(context: LoopsNeeds): Promise<void> {
  const readOn = makeRereading(context);
  while (!context.stopping.aborted) await context.wakes.reread.wait(Math.max(1, await readOn()));
}

async function renewLoop(context: LoopsNeeds): Promise<void> {
  const everyMs = context.settings.leaseTtlMs / renewalsPerTtl;
  while (!context.stopping.aborted) {
    await context.wakes.renew.wait(everyMs);
    if (context.stopping.aborted) return;
    await context.lease.renew();
    await saveThroughput(context);
  }
}

/** Saves the pace whenever it changes, and boosts batches that would be late at this pace. */
async function throughputLoop(context: LoopsNeeds): Promise<void> {
  const { clock, stopping, settings } = context;
  let noted = '';
  while (!stopping.aborted) {
    await clock.sleep(settings.idlePollMs, stopping);
    await boostDeadlines(context, recentThroughput(context));
    const { used, limit, outlook, gate, late } = recentThroughput(context);
    const stands = JSON.stringify([used, limit, outlook.left, outlook.expected, gate.throttle, Object.keys(late)]);
    if (stopping.aborted || stands === noted) continue;
    noted = stands;
    await saveThroughput(context);
  }
}

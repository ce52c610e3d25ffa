import { errorMessage } from '../../core/basics/errors.ts';
import type { EventWhy } from '../../core/state/event-whys.ts';
import { dayMs } from '../../core/time/clock.ts';
import { type Kept, keepDoing } from '../../core/time/keep-doing.ts';
import { forgetEnded } from '../../engine/batches/forget.ts';
import { pruneAnswersOfErased, pruneApiRequests } from '../../ledger/access/api-requests.ts';
import { inboxKeptMs, pruneInbox } from '../../ledger/accounts/webhook-inbox.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { dropSlots, jobsWithSlots, lastSlotOver } from '../../ledger/jobs/slots.ts';
import { dropNotification, endOfStretch } from '../../ledger/outbox/outbox.ts';
import { pruneDeliveries } from '../../ledger/outbox/webhook-deliveries.ts';
import { eraseDraftOfBatch, eraseLostUploads, eraseOldDrafts } from '../drafts/erase-drafts.ts';
import type { Session } from '../session/session.ts';

/**
 * How long slots of jobs and sent notifications are kept: a year, and time to ask about it. The search for new events
 * covers a week.
 */
const recordsKeptMs = 400 * dayMs;
/** How long the HTTP API returns the first answer to a repeated request. */
const requestsKeptMs = 30 * dayMs;
/**
 * Records that one transaction deletes, or of the outbox looks at, so that it does not hold up other transactions for
 * long.
 */
const recordsPerUnit = 500;

/** How long a job's batches keep personal data. */
export interface JobRetention {
  job: string;
  personalDataDays: number;
}

/**
 * Runs once a day while the program runs: erases the personal data of batches whose time is over, and deletes handled
 * webhooks, ended slots and old sent notifications. Returns a function to stop it.
 */
export function keepHouse(session: Session, jobs: readonly JobRetention[]): Kept {
  const { db, clock, config, log } = session;
  const why: EventWhy = 'retention';
  const actor = { ...session, person: why };
  let isInLog = false;
  const pass = async (stopping: AbortSignal) => {
    const limits = jobs.map(({ job, personalDataDays }) => ({ job: job as string | null, days: personalDataDays }));
    const days = config.retention.personalDataDays;
    if (days !== undefined) limits.push({ job: null, days });
    let forgotten = 0;
    for (const limit of limits) {
      const done = await forgetEnded(actor, clock.now() - limit.days * dayMs, why, limit.job);
      for (const batchId of done.batches) await eraseDraftOfBatch(session, batchId);
      forgotten += done.batches.length;
      isInLog ||= forgotten > 0;
    }
    const pruned = await pruneWebhooks(db, clock.now() - inboxKeptMs, stopping);
    const slots = await pruneSlots(db, clock.now() - recordsKeptMs, stopping);
    const notifications = await pruneNotifications(db, clock.now() - recordsKeptMs, stopping);
    await pruneRequests(db, clock.now(), stopping);
    const deliveriesBefore = clock.now() - config.webhooks.keepDays * dayMs;
    await inUnits(stopping, () => db.transact((tx) => pruneDeliveries(tx, deliveriesBefore, recordsPerUnit)));
    isInLog ||= (await eraseOldDrafts(session)) > 0;
    if (isInLog) await db.emptyLog();
    isInLog = false;
    eraseLostUploads(session);
    if (forgotten > 0 || pruned > 0 || slots > 0 || notifications > 0)
      log.info('old records were deleted', { batches: forgotten, webhooks: pruned, slots, notifications });
  };
  return keepDoing(clock, dayMs, (stopping) =>
    pass(stopping).catch((error: unknown) =>
      log.warn('old records could not be deleted; airbatch tries again tomorrow', { error: errorMessage(error) }),
    ),
  );
}

/** Deletes some records at a time, until fewer are left or the program ends. Returns how many were deleted. */
async function inUnits(stopping: AbortSignal, prune: () => Promise<number>): Promise<number> {
  let pruned = 0;
  for (let some = recordsPerUnit; some === recordsPerUnit && !stopping.aborted; pruned += some) some = await prune();
  return pruned;
}

function pruneWebhooks(db: Database, before: number, stopping: AbortSignal): Promise<number> {
  let from = 0;
  return inUnits(stopping, async () => {
    const stretch = { from, before };
    const handled = await db.transact((tx) => pruneInbox(tx, stretch, recordsPerUnit));
    from = Math.max(from, ...handled);
    return handled.length;
  });
}

async function pruneSlots(db: Database, before: number, stopping: AbortSignal): Promise<number> {
  let dropped = 0;
  for (const job of await jobsWithSlots(db)) {
    const until = await lastSlotOver(db, job, before);
    if (until === null) continue;
    const slots = { job, until, before };
    dropped += await inUnits(stopping, () => db.transact((tx) => dropSlots(tx, slots, recordsPerUnit)));
  }
  return dropped;
}

async function pruneRequests(db: Database, now: number, stopping: AbortSignal): Promise<void> {
  await inUnits(stopping, () => pruneApiRequests(db, now - requestsKeptMs, recordsPerUnit));
  await inUnits(stopping, () => pruneAnswersOfErased(db, now - dayMs, recordsPerUnit));
}

async function pruneNotifications(db: Database, before: number, stopping: AbortSignal): Promise<number> {
  let dropped = 0;
  for (let after = ''; !stopping.aborted; ) {
    const to = await endOfStretch(db, after, recordsPerUnit);
    if (to === null) break;
    const stretch = { after, to };
    dropped += await db.transact((tx) => dropNotification(tx, stretch, before));
    after = to;
  }
  return dropped;
}

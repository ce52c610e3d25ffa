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
 * Slots, or entries of the outbox, that one transaction processes, so that it does not hold up other transactions for
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
  const pass = async () => {
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
    const pruned = await pruneInbox(db, clock.now() - inboxKeptMs);
    const slots = await pruneSlots(db, clock.now() - recordsKeptMs);
    const notifications = await pruneNotifications(db, clock.now() - recordsKeptMs);
    await pruneRequests(db, clock.now());
    const deliveriesBefore = clock.now() - config.webhooks.keepDays * dayMs;
    while ((await db.transact((tx) => pruneDeliveries(tx, deliveriesBefore, recordsPerUnit))) === recordsPerUnit);
    isInLog ||= (await eraseOldDrafts(session)) > 0;
    if (isInLog) await db.emptyLog();
    isInLog = false;
    eraseLostUploads(session);
    if (forgotten > 0 || pruned > 0 || slots > 0 || notifications > 0)
      log.info('old records were deleted', { batches: forgotten, webhooks: pruned, slots, notifications });
  };
  return keepDoing(clock, dayMs, () =>
    pass().catch((error: unknown) =>
      log.warn('old records could not be deleted; airbatch tries again tomorrow', { error: errorMessage(error) }),
    ),
  );
}

async function pruneSlots(db: Database, before: number): Promise<number> {
  let dropped = 0;
  for (const job of await jobsWithSlots(db)) {
    const until = await lastSlotOver(db, job, before);
    if (until === null) continue;
    for (let some = recordsPerUnit; some === recordsPerUnit; dropped += some)
      some = await db.transact((tx) => dropSlots(tx, { job, until, before }, recordsPerUnit));
  }
  return dropped;
}

async function pruneRequests(db: Database, now: number): Promise<void> {
  while ((await pruneApiRequests(db, now - requestsKeptMs, recordsPerUnit)) === recordsPerUnit);
  while ((await pruneAnswersOfErased(db, now - dayMs, recordsPerUnit)) === recordsPerUnit);
}

async function pruneNotifications(db: Database, before: number): Promise<number> {
  let dropped = 0;
  for (let after = ''; ; ) {
    const to = await endOfStretch(db, after, recordsPerUnit);
    if (to === null) return dropped;
    const stretch = { after, to };
    dropped += await db.transact((tx) => dropNotification(tx, stretch, before));
    after = to;
  }
}

import { shownUrl } from '../core/text/safe-url.ts';
import { type Clock, dayMs } from '../core/time/clock.ts';
import { longThrottleMs } from '../core/time/throttle-wait.ts';
import { causeOf, readGate } from '../engine/pacing/account-gate.ts';
import { storedPace } from '../ledger/accounts/pace.ts';
import { findBatch } from '../ledger/batches/batches.ts';
import type { Database, Queryable } from '../ledger/drivers/database.ts';
import { retriesGivenUp } from '../ledger/jobs/job-retries.ts';
import { jobsWithSlots } from '../ledger/jobs/slots.ts';
import { findUnprocessedFiles } from '../ledger/jobs/unprocessed-files.ts';
import {
  lateChangeBatches,
  newsSince,
  unreportedLateChanges,
  unreportedRows,
  unreportedSkips,
} from '../ledger/outbox/news.ts';
import {
  accountsRunning,
  accountsSending,
  addToOutbox,
  isKept,
  type OutboxEntry,
  saveNotifiedIn,
} from '../ledger/outbox/outbox.ts';
import { listEndpoints } from '../ledger/outbox/webhook-endpoints.ts';
import { readLedgerState, saveNewsSince } from '../ledger/schema/ledger-state.ts';
import type { News } from './message.ts';
import { isNotified, type Recipient } from './recipients.ts';
import { messageOf } from './write-message.ts';

/** How old news may be. If the program was down for longer, the reports say the rest. */
const backMs = 7 * dayMs;

/** An outage of the service that is shorter than this is usually over before anybody could look. */
const unreachedMs = 15 * 60_000;
/**
 * Late changes are collected until there was none for this long: a service that reverses many rows does so one by one.
 */
const lateChangesMs = 60_000;
/** A slow pace that lasts less than this is usually made up for. */
const forecastMs = 5 * 60_000;

/**
 * The longest that the news of a batch's end waits for its reports, which go with it. The reports of a million rows
 * take a minute, and may wait for other batches and for anchors that do not answer. If they take longer, the log says
 * why.
 */
const reportsMs = 10 * 60_000;

export interface WatchOptions {
  /**
   * Whether the reports of a batch that ended at that time (epoch ms) are written. Without this function, no news waits
   * for reports.
   */
  isReported?: ((batchId: string, endedAt: number) => Promise<boolean>) | undefined;
  /**
   * The account from which a job pays; null if unknown. The ledger knows it only for batches, and a failed slot has
   * none.
   */
  accountOf?: ((job: string) => string | null) | undefined;
  /** The address of the console, for links; null if it is not known. */
  consoleUrl?: string | null | undefined;
}

/**
 * Looks for news in the ledger, and stores one notification for each recipient that wants it. So the engine need not
 * know of notifications, and a restart repeats none. Returns how many were stored.
 */
export async function watchNews(
  db: Database,
  clock: Clock,
  recipients: readonly Recipient[],
  { isReported, accountOf, consoleUrl = null }: WatchOptions = {},
): Promise<number> {
  if (recipients.length === 0) return 0;
  const now = clock.now();
  const { news_since: known } = await readLedgerState(db);
  // On the first start with notifications, older events are no news.
  if (known === null) await db.transact((tx) => saveNewsSince(tx, now));
  const since = Math.max(known ?? now, now - backMs);
  let kept = 0;
  const found = (await newsSince(db, since, now)).map((news) => ({ ...news, kind: news.kind as News['kind'] }));
  const ofAccounts = [...(await unreachedNews(db, now)), ...(await waitNews(db, now)), ...(await lateNews(db, now))];
  const ofJobs = [...(await unprocessedNews(db, since)), ...(await retryNews(db, since))];
  const others = [...(await lateChangeNews(db, since, now)), ...(await webhookNews(db, since))];
  for (const news of [...found, ...ofAccounts, ...ofJobs, ...others]) {
    const { kind, job } = news;
    const about = { kind, job, account: news.account ?? (job === null ? null : (accountOf?.(job) ?? null)) };
    const asking: { recipient: string; events: string[] }[] = [];
    for (const recipient of recipients) {
      const events = isNotified(recipient, about) ? await eventsOf(db, news, recipient.id, since) : [];
      if (events.length > 0) asking.push({ recipient: recipient.id, events });
    }
    if (asking.length === 0 || (isReported && (await waitsForReports(news, now, isReported)))) continue;
    const unreported: { recipient: string; events: string[]; body: string }[] = [];
    for (const { recipient, events } of asking) {
      const message = await messageOf(db, news, events, consoleUrl);
      if (message !== null) unreported.push({ recipient, events, body: JSON.stringify(message) });
    }
    if (unreported.length === 0) continue;
    kept += await db.transact(async (tx) => {
      let count = 0;
      for (const { recipient, events, body } of unreported)
        if (await storeNotification(tx, { recipient, body, created_at: now }, events)) count += 1;
      return count;
    });
  }
  return kept;
}

async function waitsForReports(
  { kind, batch_id, event_id }: News,
  now: number,
  isReported: NonNullable<WatchOptions['isReported']>,
): Promise<boolean> {
  if (kind !== 'finished' || batch_id === null) return false;
  const endedAt = Number(event_id.split(':').at(-1));
  // If the clock was set back, the age is unknown, and the news does not wait.
  const isLong = now < endedAt || now - endedAt >= reportsMs;
  return !isLong && !(await isReported(batch_id, endedAt));
}

/** Accounts whose service could not be reached for a while. Nothing of them is sent, and no batch shows why. */
async function unreachedNews(db: Database, now: number): Promise<News[]> {
  const news: News[] = [];
  for (const account of await accountsSending(db)) {
    const since = causeOf(await readGate(db, account, now), 'unreachable')?.since ?? null;
    if (since === null || now - since < unreachedMs) continue;
    const event_id = `unreachable:${account}:${since}`;
    news.push({ kind: 'unreachable', event_id, batch_id: null, account, job: null });
  }
  return news;
}

/**
 * Accounts that the service throttles for longer than its limits explain. The wait is known at once, and nothing of the
 * account moves.
 */
async function waitNews(db: Database, now: number): Promise<News[]> {
  const news: News[] = [];
  for (const account of await accountsRunning(db)) {
    const throttle = causeOf(await readGate(db, account, now), 'throttled')?.throttle;
    if (!throttle || throttle.until - throttle.since < longThrottleMs) continue;
    const event_id = `throttled:${account}:${throttle.since}`;
    news.push({ kind: 'throttled', event_id, batch_id: null, account, job: null, throttleWait: throttle });
  }
  return news;
}

/**
 * Jobs in whose folder `working` a slot found, since a time (epoch ms), files of an earlier slot. No slot processes
 * those by itself.
 */
async function unprocessedNews(db: Database, sinceMs: number): Promise<News[]> {
  const news: News[] = [];
  for (const job of await jobsWithSlots(db)) {
    const left = await findUnprocessedFiles(db, job);
    if (left === null || left.noted_at < sinceMs) continue;
    const event_id = `files_left:${job}:${left.noted_at}`;
    news.push({ kind: 'slot_missed', event_id, batch_id: null, account: null, job, left: left.files });
  }
  return news;
}

/** Automatic retries of jobs that were given up since a time (epoch ms). A person decides about the failed rows. */
async function retryNews(db: Database, sinceMs: number): Promise<News[]> {
  const news: News[] = [];
  for (const job of await jobsWithSlots(db)) {
    for (const retryGivenUp of await retriesGivenUp(db, job)) {
      const { batch_id, at } = retryGivenUp;
      if (at < sinceMs) continue;
      const account = (await findBatch(db, batch_id))?.account ?? null;
      const event_id = `retry_given_up:${batch_id}:${at}`;
      news.push({ kind: 'slot_missed', event_id, batch_id, account, job, retryGivenUp });
    }
  }
  return news;
}

/** Webhook endpoints that airbatch has disabled since a time (epoch ms), and that are still disabled. */
async function webhookNews(db: Database, sinceMs: number): Promise<News[]> {
  return (await listEndpoints(db)).flatMap(({ endpoint_id, url, failed_at }) => {
    if (failed_at === null || failed_at < sinceMs) return [];
    const event_id = `webhook_disabled:${endpoint_id}:${failed_at}`;
    const of = { batch_id: null, account: null, job: null };
    return [{ kind: 'webhook_disabled' as const, event_id, ...of, webhookUrl: shownUrl(url) }];
  });
}

/** Batches with late changes to rows that had ended, once there was no further change for a while. */
async function lateChangeNews(db: Database, since: number, now: number): Promise<News[]> {
  const batches = await lateChangeBatches(db, since, now - lateChangesMs);
  return batches.map((batch) => ({ kind: 'changed_late', event_id: `changed_late:${batch.batch_id}`, ...batch }));
}

/** Batches that have been forecast to be late for a while: a short slowdown is no news. */
async function lateNews(db: Database, now: number): Promise<News[]> {
  const news: News[] = [];
  for (const account of await accountsRunning(db)) {
    for (const [batch_id, late] of Object.entries((await storedPace(db, account, now))?.late ?? {})) {
      if (now - late.since < forecastMs || late.finishBy <= now) continue;
      const job = (await findBatch(db, batch_id))?.job ?? null;
      news.push({
        kind: 'will_be_late',
        event_id: `will_be_late:${batch_id}:${late.finishBy}`,
        batch_id,
        account,
        job,
        late,
      });
    }
  }
  return news;
}

/**
 * Stores one notification about those of the events that the recipient was not notified of, by this or another process.
 * False if there are none.
 */
async function storeNotification(
  tx: Queryable,
  entry: Pick<OutboxEntry, 'recipient' | 'body' | 'created_at'>,
  events: readonly string[],
): Promise<boolean> {
  let notifiedIn: string | null = null;
  for (const event_id of events) {
    if (notifiedIn !== null) await saveNotifiedIn(tx, { ...entry, event_id }, notifiedIn);
    else if (await addToOutbox(tx, { ...entry, event_id })) notifiedIn = event_id;
  }
  return notifiedIn !== null;
}

/**
 * The events that one notification covers, without those that the recipient was notified of. Doubts, missed slots or
 * late changes that come together share one notification.
 */
async function eventsOf(
  db: Queryable,
  { kind, batch_id, job, event_id }: News,
  recipient: string,
  since: number,
): Promise<string[]> {
  if ((kind === 'in_doubt' || kind === 'overdue') && batch_id !== null)
    return unreportedRows(db, kind, batch_id, recipient);
  if (kind === 'changed_late' && batch_id !== null) return unreportedLateChanges(db, batch_id, since, recipient);
  if (event_id.startsWith('slots_missed:') && job !== null) return unreportedSkips(db, job, since, recipient);
  return (await isKept(db, event_id, recipient)) ? [] : [event_id];
}

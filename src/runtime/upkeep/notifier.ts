import { errorMessage } from '../../core/basics/errors.ts';
import { type Kept, keepDoing } from '../../core/time/keep-doing.ts';
import { makeDelivery } from '../../notify/deliver.ts';
import type { Recipient } from '../../notify/recipients.ts';
import { makeSender } from '../../notify/senders.ts';
import { makeStandstillNotifier, type Standstill } from '../../notify/standstill.ts';
import { type WatchOptions, watchNews } from '../../notify/watch.ts';
import type { NewestReports } from '../../reports/store/report-store.ts';
import { makeLastingTrouble } from '../logging/log.ts';
import type { Session } from '../session/session.ts';
import { makeNotificationDedupe } from './notification-dedupe.ts';
import { reportForMail, reportStore } from './report-store.ts';

/** How often the notifier looks for new events, and for notifications that must be tried again. */
const everyMs = 5_000;
/**
 * How long the last notifications may take when the program ends: well within its grace period. The rest is sent at the
 * next start.
 */
const lastNotificationsMs = 10_000;

export interface Notifier {
  /** Starts to look for new events. Earlier events are not notified. */
  begin(): Promise<void>;
  /** Looks for new events and sends what is due, again and again. */
  keep(): void;
  /** Notifies at once that an account is at a standstill. */
  notifyStandstill(standstill: Standstill): void;
  /** Looks for new events and sends what is due one last time, and ends. */
  stop(): Promise<void>;
}

/** What the notifier needs to know about jobs. */
export interface JobsNotifiedOf {
  /** The recipients that the jobs name. */
  recipients: readonly Recipient[];
  /** The account from which a job pays; null if there is no such job. */
  accountOf: (job: string) => string | null;
}

/**
 * Whether the batch has a final version of its reports, written at its end (epoch ms) or later. If the store is away,
 * no batch of this pass has: each question may last until its deadline.
 */
function makeReportedCheck(session: Session): (batchId: string, endedAt: number) => Promise<boolean> {
  const store = reportStore(session, session.config.out);
  let isAway = false;
  return async (batchId, endedAt) => {
    const isEnough = ({ isFinal, as_of }: NewestReports) => isFinal && Date.parse(as_of ?? '') >= endedAt;
    if (isAway) return false;
    const newest = await store.newest(batchId, isEnough).catch(() => {
      isAway = true;
      return null;
    });
    return newest !== null && isEnough(newest);
  };
}

/**
 * Notifies people of events while the program runs, and never holds up other work. Only the process that runs the jobs
 * knows their recipients and accounts. If that is another process (`jobs` is null), it sends the notifications about
 * jobs.
 */
export function makeNotifier(session: Session, jobs: JobsNotifiedOf | null): Notifier {
  const { db, clock, config, log } = session;
  const recipients = [...config.notifications, ...(jobs?.recipients ?? [])];
  const send = makeSender({ mail: config.mail, report: reportForMail(session), secrets: config.secrets });
  const consoleUrl = config.console.url?.replace(/\/+$/, '') ?? null;
  const ending = new AbortController();
  const onTrouble = (recipient: string, message: string, isGivenUp: boolean) =>
    log.warn(`a notification could not be sent; airbatch ${isGivenUp ? 'gives it up' : 'tries again'}`, {
      recipient,
      error: message,
    });
  const trouble = makeLastingTrouble(log, clock);
  const onError = (error: unknown) =>
    trouble.report('pending notifications could not be checked; airbatch tries again', { error: errorMessage(error) });
  const isCompleteList = jobs !== null;
  const delivery = makeDelivery({
    db,
    clock,
    recipients,
    isCompleteList,
    send,
    onTrouble,
    onError,
    ending: ending.signal,
  });
  const pass = async (options: WatchOptions) => {
    if (recipients.length === 0) return;
    try {
      await watchNews(db, clock, recipients, { ...options, accountOf: jobs?.accountOf, consoleUrl });
      await delivery.begin();
      trouble.over();
    } catch (error) {
      onError(error);
    }
  };
  const notifyStandstill = makeStandstillNotifier({
    ...{ db, clock, recipients, send, onTrouble },
    notes: makeNotificationDedupe(session.ledgerPath, clock.now),
    ending: ending.signal,
  });
  let kept: Kept | null = null;
  let standstills: Promise<unknown> = Promise.resolve();
  return {
    async begin() {
      await watchNews(db, clock, recipients);
    },
    keep() {
      if (recipients.length > 0)
        kept = keepDoing(clock, everyMs, () => pass({ isReported: makeReportedCheck(session) }));
    },
    notifyStandstill(standstill) {
      standstills = Promise.all([standstills, notifyStandstill(standstill)]);
    },
    async stop() {
      const ended = new AbortController();
      void clock.sleep(lastNotificationsMs, ended.signal).then(() => ending.abort());
      await Promise.all([kept?.stop(), standstills]);
      // The notification about the last batch is sent before the program ends, even if the reports are elsewhere or
      // could not be written.
      await pass({});
      await delivery.ended();
      ended.abort();
    },
  };
}

import { join } from 'node:path';
import { errorMessage } from '../../core/basics/errors.ts';
import { makeDelivery } from '../../notify/deliver.ts';
import type { Recipient } from '../../notify/recipients.ts';
import { makeSender } from '../../notify/senders.ts';
import { makeStandstillNotifier, type Standstill } from '../../notify/standstill.ts';
import { type WatchOptions, watchNews } from '../../notify/watch.ts';
import { readVersion } from '../../reports/versions/versions.ts';
import { makeLastingTrouble } from '../logging/log.ts';
import type { Session } from '../session/session.ts';

/** How often it is looked for news, and for word that is to be tried again. */
const everyMs = 5_000;
/**
 * How long the last word may take once the program is to end: well within the grace that it has. The rest is due at
 * the next start.
 */
const lastNotificationsMs = 10_000;

export interface Notifier {
  /** Begins to look for news: what was before is not told. */
  begin(): Promise<void>;
  /** Looks for news and sends what is due, again and again. */
  keep(): void;
  /** Tells at once that nothing moves for an account. */
  notifyStandstill(standstill: Standstill): void;
  /** Looks for news and sends what is due once more, and ends. */
  stop(): Promise<void>;
}

/** What is to be known of jobs to tell of them. */
export interface JobsNotifiedOf {
  /** Whom they name to be told. */
  recipients: readonly Recipient[];
  /** The account that a job pays from; null where there is no such job. */
  accountOf: (job: string) => string | null;
}

/** Whether the folder of reports has a final version of the batch that is as of its end (epoch ms). */
async function isReported(out: string, batchId: string, endedAt: number): Promise<boolean> {
  const version = await readVersion(join(out, batchId));
  return version?.isFinal === true && Date.parse(version.as_of ?? '') >= endedAt;
}

/**
 * Tells the people concerned what happens, as long as the program runs; it never holds anything up. Whom jobs name,
 * and which account they pay from, is known to who runs the jobs; where that is another process, such word is left to
 * it (null).
 */
export function makeNotifier(session: Session, jobs: JobsNotifiedOf | null): Notifier {
  const { db, clock, config, log } = session;
  const recipients = [...config.notifications, ...(jobs?.recipients ?? [])];
  const send = makeSender({ mail: config.mail, reports: config.out, secrets: config.secrets });
  const stopping = new AbortController();
  const ending = new AbortController();
  const onTrouble = (recipient: string, message: string, isGivenUp: boolean) =>
    log.warn(isGivenUp ? 'word could not be sent, and is given up' : 'word could not be sent; it is tried again', {
      recipient,
      error: message,
    });
  const trouble = makeLastingTrouble(log, clock);
  const onError = (error: unknown) =>
    trouble.report('pending notifications could not be checked; it is tried again', { error: errorMessage(error) });
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
      await watchNews(db, clock, recipients, { ...options, accountOf: jobs?.accountOf });
      await delivery.begin();
      trouble.over();
    } catch (error) {
      onError(error);
    }
  };
  const notifyStandstill = makeStandstillNotifier({ db, clock, recipients, send, onTrouble, ending: ending.signal });
  let kept: Promise<void> = Promise.resolve();
  let standstills: Promise<unknown> = Promise.resolve();
  const loop = async () => {
    while (!stopping.signal.aborted) {
      await pass({ isReported: (batchId, endedAt) => isReported(config.out, batchId, endedAt) });
      await clock.sleep(everyMs, stopping.signal);
    }
  };
  return {
    async begin() {
      await watchNews(db, clock, recipients);
    },
    keep() {
      if (recipients.length > 0) kept = loop();
    },
    notifyStandstill(standstill) {
      standstills = Promise.all([standstills, notifyStandstill(standstill)]);
    },
    async stop() {
      stopping.abort();
      const ended = new AbortController();
      void clock.sleep(lastNotificationsMs, ended.signal).then(() => ending.abort());
      await Promise.all([kept, standstills]);
      // What came of the last batch is told before the program ends, also where its reports lie elsewhere, or could
      // not be written.
      await pass({});
      await delivery.ended();
      ended.abort();
    },
  };
}

import { AirbatchError } from '../core/basics/errors.ts';
import { systemClock } from '../core/time/clock.ts';
import type { Recipient } from '../notify/recipients.ts';
import { makeSender } from '../notify/senders.ts';
import { notifyUnopened } from '../notify/unopened.ts';
import type { Place } from '../operations/base/operation.ts';
import { loadJobs } from '../runtime/jobs/load-jobs.ts';
import { isJournal, makeLog } from '../runtime/logging/log.ts';
import { openSession, type Session } from '../runtime/session/session.ts';
import { type Config, loadConfig } from '../runtime/settings/config.ts';
import { chooseLedger } from '../runtime/settings/ledger-place.ts';
import { makeNotificationDedupe } from '../runtime/upkeep/notification-dedupe.ts';
import { reportForMail } from '../runtime/upkeep/report-store.ts';
import { jobRecipients } from './jobs.ts';

/**
 * How long to wait for another program's work on the ledger: truncating its log, or rewriting it, takes half a minute
 * at 2 GB.
 */
const busyMsMax = 60_000;
const busyRestMs = 1_000;
/**
 * How long notifications may take: longer than the deadline of one request, and shorter than a service manager waits.
 */
const notificationMsMax = 20_000;

/**
 * The session of a long-running program. If its ledger cannot be opened, people are notified before the program ends;
 * otherwise only its log would say so.
 */
export async function openServing(place: Place): Promise<Session> {
  const since = systemClock.monotonic();
  for (;;) {
    try {
      return await openSession({ ...place, through: 'serve' });
    } catch (error) {
      if (!(error instanceof AirbatchError) || !error.code.startsWith('LEDGER_')) throw error;
      if (error.code === 'LEDGER_BUSY' && systemClock.monotonic() - since < busyMsMax) {
        await systemClock.sleep(busyRestMs);
        continue;
      }
      // Whatever fails here, the error of the ledger ends the program.
      await notifyPeople(place, error).catch(() => undefined);
      throw error;
    }
  }
}

async function notifyPeople(place: Place, error: AirbatchError): Promise<void> {
  const config = await loadConfig(place);
  const log = makeLog({
    level: 'info',
    secrets: config.secrets,
    screen: null,
    ...(place.stderr ? { stderr: place.stderr } : {}),
    journal: isJournal(place.env, place.stderr),
    file: config.log,
  });
  await notifyUnopened(
    {
      clock: systemClock,
      recipients: [...config.notifications, ...(await recipientsOfJobs(config))],
      send: makeSender({
        mail: config.mail,
        report: reportForMail({ config, clock: systemClock, ledgerPath: chooseLedger(config, place).ledger }),
        secrets: config.secrets,
      }),
      notes: makeNotificationDedupe(chooseLedger(config, place).ledger, systemClock.now),
      onTrouble: (recipient, trouble) => log.warn('a notification could not be sent', { recipient, error: trouble }),
      ending: AbortSignal.timeout(notificationMsMax),
    },
    error,
  );
}

/** A wrong job is reported once the ledger can be opened. */
async function recipientsOfJobs(config: Config): Promise<Recipient[]> {
  try {
    const loaded = await loadJobs(config.jobs);
    return jobRecipients(
      { config },
      loaded.map(({ job }) => job),
    );
  } catch {
    return [];
  }
}

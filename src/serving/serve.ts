import { dirname } from 'node:path';
import { AirbatchError, errorMessage } from '../core/basics/errors.ts';
import { whenAborted } from '../core/time/aborted.ts';
import { inviteAdmin } from '../operations/access/invite-admin.ts';
import { type Place, performIn, requireAllowed } from '../operations/base/operation.ts';
import { recordRestore } from '../operations/base/restored.ts';
import type { SupervisedAccount } from '../runtime/accounts/account-supervisor.ts';
import { servedAccounts } from '../runtime/accounts/served-accounts.ts';
import { refuseAccidentalSandbox } from '../runtime/accounts/with-account.ts';
import type { Job } from '../runtime/jobs/define-job.ts';
import { requireSoundJobs } from '../runtime/jobs/job-faults.ts';
import { loadJobs } from '../runtime/jobs/load-jobs.ts';
import type { Session } from '../runtime/session/session.ts';
import { keepHouse } from '../runtime/upkeep/housekeeping.ts';
import { makeNotifier } from '../runtime/upkeep/notifier.ts';
import { requireReportsFolder } from '../runtime/upkeep/report-store.ts';
import { openTraces } from '../runtime/upkeep/traces.ts';
import { keepWebhooks } from '../runtime/upkeep/webhooks.ts';
import type { StartedScheduler } from '../scheduler/start.ts';
import { makeServer } from '../server/app.ts';
import { hasRoom } from '../server/health.ts';
import { type Metrics, makeMetrics } from '../server/metrics/metrics.ts';
import { healthOf, keep, logAccounts, webhookKeysOf } from './accounts.ts';
import { type Address, type InnerAddresses, listenAt, makeInnerServers } from './inner-servers.ts';
import { jobsNotifiedOf, retentionsOf, startJobs } from './jobs.ts';
import { openServing } from './opening.ts';
import { startPlacing } from './placing.ts';
import { makeReportWriter } from './reports.ts';
import { watchSecrets } from './watch-secrets.ts';

export interface ServeOptions extends InnerAddresses {
  /** Of the service's webhooks. */
  address: Address;
  /** How long requests in flight may take to end once the program must stop. */
  graceMs: number;
  restored: boolean;
  /** Whose link to make: that of the first administrator (`{}`), or of this person. Null: none. */
  invitation: { name?: string } | null;
  /** Works with the embedded sandbox, whatever accounts are configured. */
  sandbox: boolean;
}

export interface ServeDoor {
  /** Called when the program listens: for webhooks at `url`. */
  onServing: (url: string, console: { url: string; link: string | null } | null) => void;
  /** Called when the ledger is open. The signal is aborted when the program must end. */
  stopSignal: () => AbortSignal;
  /** Ends the process although a request is in flight; its row is in doubt at the next start. */
  exitLate: () => never;
  nameOf: (field: string) => string;
}

/** A long-running program is not an operation. The person who starts it must be allowed to send batches. */
const serving = { role: 'operate' } as const;

/**
 * Works for every configured account, runs the jobs and receives webhooks until it must end. Rejects with an error that
 * ends it earlier.
 */
export async function serve(place: Place, options: ServeOptions, door: ServeDoor): Promise<void> {
  const opened = await openServing(place);
  const metrics = makeMetrics(opened.clock);
  const measured = { ...opened, db: metrics.observed(opened.db) };
  const session = options.sandbox ? { ...measured, config: { ...opened.config, accounts: new Map() } } : measured;
  try {
    await requireAllowed(session, serving, {});
    await serveIn(session, options, door, metrics);
  } finally {
    await session.db.close();
  }
}

async function serveIn(
  session: Session,
  { address, graceMs, restored, invitation, ...inside }: ServeOptions,
  { onServing, stopSignal, exitLate, nameOf }: ServeDoor,
  metrics: Metrics,
): Promise<void> {
  if (session.config.accounts.size === 0) await refuseAccidentalSandbox(session);
  await requireReportsFolder(session);
  await recordRestore(session, restored);
  const accounts = servedAccounts(session.config);
  const webhookKeys = webhookKeysOf(accounts);
  const kept = new Map<string, SupervisedAccount>();
  const startedAt = session.clock.now();
  const signal = stopSignal();
  let isEnding = false;
  const server = makeServer({
    ...session,
    webhookKeys,
    hasRoom: () => hasRoom(dirname(session.ledgerPath)),
    onWebhook: (name) => kept.get(name)?.hint(),
    onReceived: metrics.onReceived,
    health: () => ({ ...healthOf([...kept.values()], signal.aborted || isEnding), reports: reports.areWritten() }),
  });
  const jobs = await soundJobs(session);
  let scheduler: StartedScheduler | null = null;
  const notifier = makeNotifier(session, jobsNotifiedOf(session, jobs));
  const inner = makeInnerServers(session, kept, inside, nameOf, {
    metrics,
    jobs: () => jobs,
    upkeep: () => ({ reportsMissing: reports.missing(), anchors: reports.anchors() }),
  });
  const reports = makeReportWriter(session, await openTraces(session), {
    written: () => scheduler?.ended(),
    onUnwritable: (error) => notifier.notifyStandstill({ account: null, error, isTriedAgain: true }),
    oursSince: (account) => kept.get(account)?.openedAt() ?? (accounts.has(account) ? null : startedAt),
  });
  try {
    const url = await listenAt(server, address, `${nameOf('host')} and ${nameOf('port')}`);
    const consoleUrl = await inner.listen();
    // The program reports that it serves only once everything that was asked for runs.
    onServing(url, consoleUrl && { url: consoleUrl.origin, link: await linkFor(session, invitation, consoleUrl) });
    await logAccounts(session, accounts);
    notifier.keep();
    const house = keepHouse(session, retentionsOf(jobs));
    const webhooks = keepWebhooks(session, accounts.keys());
    const parts = { url, restored, onCompleted: reports.write, notifier, metrics };
    const keepOne = (name: string) => keep(session, name, () => accounts.get(name) ?? null, parts);
    const placing = await startPlacing(session, { accounts, kept, keepOne, notifier });
    const secrets = watchSecrets(session, webhookKeys, (name) => kept.get(name)?.reopen(), inner.renewCertificate);
    // Even without any job, files of earlier jobs' batches must still be archived.
    scheduler = startJobs(session, jobs, kept);
    reports.writeMissing();
    reports.keep();
    const trouble = await firstEnd(whenAborted(signal), placing.failed);
    isEnding = true;
    if (trouble) session.log.warn('the program cannot continue', { error: errorMessage(trouble) });
    else session.log.info('airbatch stops: it sends no new request, and waits for the answers to those already sent');
    // A slot can take long, and must not keep accounts sending. One that an account leaves without an answer has not
    // failed: the next start runs it again.
    const stopped = Promise.all([scheduler?.stop(), house.stop(), secrets.stop(), placing.stop()])
      .then(() => reports.stop())
      .then(() => Promise.all([notifier.stop(), webhooks.stop()]))
      .then(() => Promise.all([server.close(), inner.close()]));
    await endOrExit(session, stopped, graceMs, exitLate);
    if (trouble) throw trouble;
  } finally {
    await Promise.all([server.close(), inner.close()]);
  }
}

/** The link of an invitation; null if nobody is invited, or this person may not invite anybody. */
async function linkFor(
  session: Session,
  invitation: ServeOptions['invitation'],
  consoleUrl: URL,
): Promise<string | null> {
  if (invitation === null) return null;
  const door = { nameOf: (field: string) => (field === 'name' ? '--admin' : field) };
  const { link } = await performIn(session, inviteAdmin, door, invitation).catch((error: unknown) => {
    if (error instanceof AirbatchError && error.code === 'ROLE_MISSING' && !invitation.name) return { link: null };
    throw error;
  });
  // The part after "#" is sent to no server and is in no log.
  return link && `${new URL('/link', consoleUrl)}#${link.token}`;
}

async function soundJobs({ config }: Session): Promise<Job[]> {
  const loaded = await loadJobs(config.jobs);
  requireSoundJobs(config, loaded);
  return loaded.map(({ job }) => job);
}

/** Waits until everything has ended; ends the process if that takes longer than the grace (ms). */
async function endOrExit(
  session: Session,
  stopped: Promise<unknown>,
  graceMs: number,
  exitLate: ServeDoor['exitLate'],
): Promise<void> {
  if (!(await endsWithin(session, stopped, graceMs))) {
    session.log.warn('airbatch stops before some requests are answered; the next start looks up their rows', {
      grace_s: graceMs / 1_000,
    });
    exitLate();
  }
  session.log.info('stopped');
}

/** Resolves on the first signal, or with the first error that ends an account's work. */
function firstEnd(signal: Promise<void>, failed: Promise<never>): Promise<unknown> {
  return Promise.race([signal.then(() => null), failed]).catch((trouble: unknown) => trouble);
}

async function endsWithin({ clock }: Session, work: Promise<unknown>, ms: number): Promise<boolean> {
  const deadline = new AbortController();
  const late = clock.sleep(ms, deadline.signal).then(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    deadline.abort();
  }
}

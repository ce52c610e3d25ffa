import type { FastifyInstance } from 'fastify';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { jsonLine } from '../../core/text/json-output.ts';
import { saysRestored } from '../../operations/base/restored.ts';
import { makeFolder } from '../../reports/versions/files.ts';
import { sandboxWebhookKeys } from '../../runtime/accounts/account.ts';
import type { SupervisedAccount } from '../../runtime/accounts/account-supervisor.ts';
import { servedAccounts } from '../../runtime/accounts/served-accounts.ts';
import { requireMeant } from '../../runtime/accounts/with-account.ts';
import { requireSoundJobs } from '../../runtime/jobs/job-faults.ts';
import { loadJobs } from '../../runtime/jobs/load-jobs.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import type { Session } from '../../runtime/session/session.ts';
import { sandboxAccountName } from '../../runtime/settings/account-config.ts';
import { chooseAccount } from '../../runtime/settings/config.ts';
import { keepHouse } from '../../runtime/upkeep/housekeeping.ts';
import { makeNotifier } from '../../runtime/upkeep/notifier.ts';
import type { StartedScheduler } from '../../scheduler/start.ts';
import { makeApiServer } from '../../server/api/api-server.ts';
import { makeServer } from '../../server/app.ts';
import { makeMetricsServer } from '../../server/metrics.ts';
import type { CommandContext } from '../base/command.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { onInterrupt } from '../session/interrupt.ts';
import { listening } from '../session/listening.ts';
import { withSession } from '../session/session.ts';
import { healthOf, keep, logAccounts } from './serve-accounts.ts';
import { jobsNotifiedOf, retentionsOf, startJobs } from './serve-jobs.ts';
import { openServing } from './serve-opening.ts';
import { makeReportWriter } from './serve-reports.ts';

/** Where it listens by default: for this machine alone, behind a proxy that speaks https to the world. */
const hostDefault = '127.0.0.1';
const portDefault = 8787;
/**
 * How long what is in flight may take to end after a SIGTERM: less than the 30 s after which container managers kill.
 * What has not ended by then is looked up at the next start, as after a crash.
 */
export const graceSecondsDefault = 25;
/** Something was left in flight: at the next start it is a doubt. */
const lateExitCode = 5;

interface Given {
  host?: string;
  port?: string;
  metricsHost?: string;
  metricsPort?: string;
  apiHost?: string;
  apiPort?: string;
  grace?: string;
  restored?: boolean;
}

/** `airbatch serve`: works for every configured account and takes its webhooks, until SIGTERM or Ctrl-C. */
export function execute(context: CommandContext, _args: string[], options: Record<string, unknown>): Promise<number> {
  const asked = askedFor(options);
  // Its log is for programs, also where a person watches.
  const terminal = { ...context.terminal, isInteractive: false };
  return withSession({ ...context, terminal }, (session) => serve(context, session, asked), openServing);
}

/** What the command line asks for: its numbers are read before anything is opened. */
function askedFor({ host, port, metricsHost, metricsPort, apiHost, apiPort, grace, restored }: Given) {
  const metrics = wholeNumber('--metrics-port', metricsPort);
  const api = wholeNumber('--api-port', apiPort);
  return {
    place: { host: host ?? hostDefault, port: wholeNumber('--port', port) ?? portDefault },
    // Metrics tell balances: they are at a port of their own, and only where one is named.
    metricsPlace: metrics === undefined ? null : { host: metricsHost ?? hostDefault, port: metrics },
    // The port of the webhooks is open to the world; the API is where its callers are.
    apiPlace: api === undefined ? null : { host: apiHost ?? hostDefault, port: api },
    graceMs: (wholeNumber('--grace', grace) ?? graceSecondsDefault) * 1_000,
    restored: restored === true,
  };
}

async function serve(
  context: CommandContext,
  session: Session,
  { place, metricsPlace, apiPlace, graceMs, restored }: Asked,
): Promise<number> {
  requireRole(session, 'operate');
  if (session.config.accounts.size === 0) await requireMeant(session);
  await requireReportsFolder(session);
  await saysRestored(session, restored);
  const accounts = servedAccounts(session.config);
  const kept = new Map<string, SupervisedAccount>();
  const asked = Promise.withResolvers<void>();
  let isEnding = false;
  const interrupt = onInterrupt(asked.resolve);
  const server = makeServer({
    ...session,
    webhookKeys: new Map([...accounts].map(([name, account]) => [name, account?.webhookKeys ?? sandboxWebhookKeys])),
    onWebhook: (name) => kept.get(name)?.hint(),
    health: () => ({
      ...healthOf([...kept.values()], interrupt.happened() || isEnding),
      reports: reports.areWritten(),
    }),
  });
  const loaded = await loadJobs(session.config.jobs);
  requireSoundJobs(session.config, loaded);
  const jobs = loaded.map(({ job }) => job);
  let scheduler: StartedScheduler | null = null;
  const notifier = makeNotifier(session, jobsNotifiedOf(session, jobs));
  const inner = innerServers(session, kept, { metricsPlace, apiPlace });
  const reports = makeReportWriter(session, {
    written: () => scheduler?.ended(),
    onUnwritable: (error) => notifier.notifyStandstill({ account: null, error, isTriedAgain: true }),
  });
  try {
    const url = await listen(server, place, '--host and --port');
    await inner.listen();
    // Nobody is told that it serves before it has all that it was asked for.
    context.terminal.print(context.json ? jsonLine({ url }) : `Serving at ${url}. Ctrl-C ends it.\n`);
    await logAccounts(session, accounts);
    notifier.keep();
    const house = keepHouse(session, retentionsOf(jobs));
    for (const [name, account] of accounts) {
      kept.set(name, keep(session, name, account, { url, restored, onCompleted: reports.write, notifier }));
    }
    // Where there is no job any more, files of its batches are still to be put away.
    scheduler = startJobs(session, jobs, kept);
    await reports.writeMissing();
    reports.keep();
    const trouble = await firstEnd(asked.promise, [...kept.values()]);
    isEnding = true;
    if (trouble) session.log.warn('the program cannot go on', { error: errorMessage(trouble) });
    else session.log.info('stopping: nothing more is sent, and what is in flight ends');
    const stopped = Promise.all([scheduler?.stop(), house.stop()])
      .then(() => Promise.all([...kept.values()].map((account) => account.stop())))
      .then(() => reports.stop())
      .then(() => notifier.stop())
      .then(() => Promise.all([server.close(), inner.close()]));
    await endOrExit(session, stopped, graceMs);
    if (trouble) throw trouble;
    return 0;
  } finally {
    interrupt.dispose();
    await Promise.all([server.close(), inner.close()]);
  }
}

/** Better known before anything is sent than once the first batch has ended. */
async function requireReportsFolder({ config }: Session): Promise<void> {
  await makeFolder(
    config.out,
    config,
    'Make the folder writable, or name another as "out" in the configuration. Nothing was sent.',
  );
}

/** Waits until everything has ended; ends the process where that takes longer than the grace (ms). */
async function endOrExit(session: Session, stopped: Promise<unknown>, graceMs: number): Promise<void> {
  if (!(await endsWithin(session, stopped, graceMs))) {
    session.log.warn('what is still in flight is left; it is looked up at the next start', {
      grace_s: graceMs / 1_000,
    });
    process.exit(lateExitCode);
  }
  session.log.info('stopped');
}

type Asked = ReturnType<typeof askedFor>;

/** The servers for programs of the same house, each at a port of its own, and only where one is named. */
function innerServers(
  session: Session,
  kept: ReadonlyMap<string, SupervisedAccount>,
  { metricsPlace, apiPlace }: Pick<Asked, 'metricsPlace' | 'apiPlace'>,
) {
  const metrics = metricsOf(session, kept);
  const api = makeApiServer({
    session,
    withAccount: (name, work) => keptOf(session, kept, name).use(work),
    onChange: (account) => kept.get(account)?.nudge(),
  });
  return {
    async listen() {
      if (metricsPlace !== null) {
        const url = await listen(metrics, metricsPlace, '--metrics-host and --metrics-port');
        session.log.info('metrics are served', { url: `${url}/metrics` });
      }
      if (apiPlace !== null) {
        const url = await listen(api, apiPlace, '--api-host and --api-port');
        session.log.info('the API is served', { url: `${url}/api/v1` });
      }
    },
    close: () => Promise.all([metrics.close(), api.close()]),
  };
}

/** The account of that name, as this program works for it. */
function keptOf(
  { config }: Session,
  kept: ReadonlyMap<string, SupervisedAccount>,
  name: string | undefined,
): SupervisedAccount {
  const account = kept.get(chooseAccount(config, name)?.name ?? sandboxAccountName);
  if (account === undefined) throw new AirbatchError('ACCOUNT_UNKNOWN', `account "${name}" is not served`);
  return account;
}

function metricsOf(session: Session, kept: ReadonlyMap<string, SupervisedAccount>): FastifyInstance {
  return makeMetricsServer({
    ...session,
    accounts: () =>
      [...kept.values()].map((account) => ({
        name: account.name,
        working: account.isWorking(),
        usage: account.usage(),
      })),
  });
}

function listen(server: FastifyInstance, place: { host: string; port: number }, options: string): Promise<string> {
  return listening(`${place.host}:${place.port}`, options, () => server.listen(place));
}

/** Resolves on the first signal, or with the first trouble that ends an account's work. */
function firstEnd(signal: Promise<void>, kept: readonly SupervisedAccount[]): Promise<unknown> {
  const troubles = kept.map(({ ended }) => ended.then(() => null));
  return Promise.race([signal.then(() => null), ...troubles]).catch((trouble: unknown) => trouble);
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

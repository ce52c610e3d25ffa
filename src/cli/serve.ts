import { dirname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { AirbatchError, errorMessage } from '../core/errors.ts';
import { makeAccountRunner } from '../engine/account-runner.ts';
import { unfinishedBatches } from '../ledger/batches.ts';
import { type Recipient, resolveRecipient } from '../notify/recipients.ts';
import { writeReports } from '../reports/reports.ts';
import { openAccount, sandboxWebhookKeys } from '../runtime/account.ts';
import { anchorFinished } from '../runtime/anchors.ts';
import { type AccountConfig, type Config, chooseAccount, sandboxAccountName } from '../runtime/config.ts';
import { type JobRetention, keepHouse } from '../runtime/housekeeping.ts';
import { type KeptAccount, keepAccount } from '../runtime/keep-account.ts';
import { makeLedgerMark } from '../runtime/ledger-mark.ts';
import { makeLog } from '../runtime/log.ts';
import { requireRole } from '../runtime/people.ts';
import { isDeadProcess, processHolder } from '../runtime/process-holder.ts';
import { type Session, sessionKey } from '../runtime/session.ts';
import { makeWord } from '../runtime/word.ts';
import type { Job } from '../scheduler/define-job.ts';
import { loadJobs } from '../scheduler/load-jobs.ts';
import { type StartedScheduler, startScheduler } from '../scheduler/start.ts';
import { makeServer } from '../server/app.ts';
import { makeMetricsServer } from '../server/metrics.ts';
import type { CommandContext } from './command.ts';
import { openSession } from './session.ts';
import { interruptedExitCode } from './work.ts';

/** Where it listens by default: for this machine alone, behind a proxy that speaks https to the world. */
const hostDefault = '127.0.0.1';
const portDefault = 8787;
/**
 * How long what is in flight may take to end after a SIGTERM: less than the 30 s after which container managers kill.
 * What has not ended by then is looked up at the next start, as after a crash.
 */
const graceSecondsDefault = 25;
/** Something was left in flight: at the next start it is a doubt. */
const lateExitCode = 5;

/** The accounts by name; null is the embedded sandbox. */
type Accounts = ReadonlyMap<string, AccountConfig | null>;

/** `airbatch serve`: works for every configured account and takes its webhooks, until SIGTERM or Ctrl-C. */
export async function execute(
  context: CommandContext,
  _args: string[],
  options: Record<string, unknown>,
): Promise<number> {
  const graceSeconds = Number(options.grace ?? graceSecondsDefault);
  if (!(graceSeconds >= 0)) throw new AirbatchError('USAGE', '--grace is a number of seconds');
  const opened = await openSession(context);
  requireRole(opened, 'run');
  const session = {
    ...opened,
    log: makeLog({ level: 'info', secrets: opened.config.secrets, pretty: false, file: opened.config.log }),
  };
  const accounts = servedAccounts(session.config);
  const kept = new Map<string, KeptAccount>();
  const signals = watchSignals();
  const server = makeServer({
    ...session,
    webhookKeys: new Map([...accounts].map(([name, account]) => [name, account?.webhookKeys ?? sandboxWebhookKeys])),
    onWebhook: (name) => kept.get(name)?.hint(),
    health: () => healthOf([...kept.values()], signals.happened()),
  });
  const jobs = (await loadJobs(session.config.jobs)).map(({ job }) => job);
  let scheduler: StartedScheduler | null = null;
  const word = makeWord(session, jobRecipients(session, jobs));
  const metrics = makeMetricsServer({
    ...session,
    accounts: () =>
      [...kept.values()].map((account) => ({
        name: account.name,
        working: account.isWorking(),
        usage: account.usage(),
      })),
  });
  const reports = makeReportWriter(session, (batchId) => scheduler?.ended(batchId));
  try {
    const url = await listen(server, options);
    context.terminal.print(context.json ? `${JSON.stringify({ url })}\n` : `Serving at ${url}. Ctrl-C ends it.\n`);
    await startMetrics(session, metrics, options);
    await tellAccounts(session, accounts);
    word.keep();
    const house = keepHouse(session, retentionsOf(jobs));
    for (const [name, account] of accounts) {
      const restored = options.restored === true;
      kept.set(name, keep(session, name, account, { url, restored, onCompleted: reports.write }));
    }
    if (jobs.length > 0) scheduler = startJobs(session, jobs, kept);
    const trouble = await firstEnd(signals.first, [...kept.values()]);
    if (trouble) session.log.warn('the program cannot go on', { message: errorMessage(trouble) });
    else session.log.info('stopping: nothing more is sent, and what is in flight ends');
    const stopped = Promise.all([scheduler?.stop(), house.stop()])
      .then(() => Promise.all([...kept.values()].map((account) => account.stop())))
      .then(() => reports.written())
      .then(() => word.stop())
      .then(() => Promise.all([server.close(), metrics.close()]));
    if (!(await endsWithin(session, stopped, graceSeconds * 1_000))) {
      session.log.warn('what is still in flight is left; it is looked up at the next start', { graceSeconds });
      process.exit(lateExitCode);
    }
    session.log.info('stopped');
    if (trouble) throw trouble;
    return 0;
  } finally {
    signals.dispose();
    await Promise.all([server.close(), metrics.close()]);
    await session.db.close();
  }
}

/** All that are configured; where none is, the embedded sandbox. */
function servedAccounts(config: Config): Accounts {
  return config.accounts.size > 0 ? config.accounts : new Map([[sandboxAccountName, null]]);
}

function keep(
  session: Session,
  name: string,
  account: AccountConfig | null,
  { url, restored, onCompleted }: { url: string; restored: boolean; onCompleted: (batchId: string) => void },
): KeptAccount {
  const { db, clock, random, log } = session;
  return keepAccount(name, {
    clock,
    log,
    open: () =>
      openAccount(account, { ...session, sandboxCallbackUrl: `${url}/webhooks/${sandboxAccountName}/topups` }),
    makeRunner: ({ gateway, limiter, settings, callbackUrl }) =>
      makeAccountRunner(
        { db, gateway, limiter, clock, random, log, settings },
        {
          account: name,
          holder: processHolder(Math.round(clock.now() - process.uptime() * 1_000)),
          isDead: isDeadProcess,
          callbackUrl,
          onCompleted,
          rereads: true,
          mark: makeLedgerMark(session.ledgerPath),
          restored,
        },
      ),
  });
}

/** Says where each account's webhooks are awaited, and what in the configuration keeps them from coming. */
async function tellAccounts({ log, db }: Session, accounts: Accounts): Promise<void> {
  for (const [name, account] of accounts) {
    const path = account?.version === 'v1' ? 'none: Version 1 sends no webhooks' : `/webhooks/${name}/topups`;
    log.info('an account is served', {
      account: name,
      service: account?.baseUrl ?? 'embedded sandbox',
      webhooks: path,
    });
    if (account?.callbackUrl && new URL(account.callbackUrl).pathname !== path) {
      log.warn("the path of the account's callbackUrl is not where its webhooks are awaited", { account: name, path });
    }
  }
  const strangers = new Set(
    (await unfinishedBatches(db)).map(({ account }) => account).filter((name) => !accounts.has(name)),
  );
  for (const name of strangers)
    log.warn('unfinished batches wait for an account that is not configured', { account: name });
}

function healthOf(kept: readonly KeptAccount[], stopping: boolean) {
  const working = kept.filter((account) => account.isWorking()).length;
  return { stopping, accounts: { working, waiting: kept.length - working } };
}

async function listen(server: FastifyInstance, options: Record<string, unknown>): Promise<string> {
  const host = String(options.host ?? hostDefault);
  const port = Number(options.port ?? portDefault);
  try {
    return await server.listen({ host, port });
  } catch (error) {
    throw new AirbatchError('USAGE', `cannot listen at ${host}:${port}: ${errorMessage(error)}`, {
      hint: 'Choose another place with --host and --port.',
      cause: error,
    });
  }
}

/** Whom jobs name to be told of them. */
function jobRecipients({ config }: Session, jobs: readonly Job[]): Recipient[] {
  return jobs.flatMap(({ name, notifications }) =>
    notifications.map((one, index) =>
      resolveRecipient({ ...one, jobs: [name] }, (field, variable) =>
        config.secretOf(`job ${name}: notifications.${index}.${field}`, variable),
      ),
    ),
  );
}

function retentionsOf(jobs: readonly Job[]): JobRetention[] {
  return jobs.flatMap(({ name, retention }) => (retention === null ? [] : [{ job: name, ...retention }]));
}

/** Runs the jobs with the accounts as they are kept open here. */
function startJobs(session: Session, jobs: readonly Job[], kept: ReadonlyMap<string, KeptAccount>): StartedScheduler {
  for (const { name, schedule } of jobs)
    session.log.info('a job is scheduled', { job: name, cron: schedule.cron, timeZone: schedule.timeZone });
  return startScheduler({
    session,
    jobs,
    base: dirname(session.config.jobs),
    holder: processHolder(Math.round(session.clock.now() - process.uptime() * 1_000)),
    isDead: isDeadProcess,
    withAccount: (name, work) => {
      const account = kept.get(chooseAccount(session.config, name)?.name ?? sandboxAccountName);
      if (!account) throw new AirbatchError('ACCOUNT_UNKNOWN', `the account "${name}" is not served here`);
      return account.use(work);
    },
    onBatches: () => {
      for (const account of kept.values()) account.nudge();
    },
  });
}

/** Metrics are at a port of their own, and only where one is named: they tell balances. */
async function startMetrics(
  { log }: Session,
  metrics: FastifyInstance,
  options: Record<string, unknown>,
): Promise<void> {
  if (options.metricsPort === undefined) return;
  const url = await listen(metrics, { port: options.metricsPort, host: options.metricsHost });
  log.info('metrics are served', { url: `${url}/metrics` });
}

/** Writes the reports of each batch as it completes, one after the other; then tells `written`. */
function makeReportWriter(
  session: Session,
  written: (batchId: string) => Promise<void> | undefined,
): { write: (batchId: string) => void; written: () => Promise<void> } {
  const { db, log, config } = session;
  let last: Promise<void> = Promise.resolve();
  const write = async (batchId: string) => {
    try {
      await anchorFinished(session);
      const { dir } = await writeReports(db, batchId, config.out, { key: await sessionKey(session) });
      log.info('a batch is completed', { batch: batchId, reports: dir });
      await written(batchId);
    } catch (error) {
      log.warn('the reports of a batch could not be written; "airbatch report" writes them', {
        batch: batchId,
        message: errorMessage(error),
      });
    }
  };
  return {
    write: (batchId) => {
      last = last.then(() => write(batchId));
    },
    written: () => last,
  };
}

/** Resolves on the first signal, or with the first trouble that ends an account's work. */
function firstEnd(signal: Promise<void>, kept: readonly KeptAccount[]): Promise<unknown> {
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

/** The first signal asks the process to end, the second ends it at once. */
function watchSignals(): { first: Promise<void>; happened: () => boolean; dispose: () => void } {
  let times = 0;
  let tell = () => {};
  const first = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const handler = () => {
    times += 1;
    if (times > 1) process.exit(interruptedExitCode);
    tell();
  };
  process.on('SIGINT', handler);
  process.on('SIGTERM', handler);
  return {
    first,
    happened: () => times > 0,
    dispose() {
      process.off('SIGINT', handler);
      process.off('SIGTERM', handler);
    },
  };
}

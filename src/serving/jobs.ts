import { type Recipient, resolveRecipient } from '../notify/recipients.ts';
import type { SupervisedAccount } from '../runtime/accounts/account-supervisor.ts';
import type { Job } from '../runtime/jobs/define-job.ts';
import { jobWarnings } from '../runtime/jobs/job-warnings.ts';
import type { Session } from '../runtime/session/session.ts';
import { chosenAccountName } from '../runtime/settings/config.ts';
import type { JobRetention } from '../runtime/upkeep/housekeeping.ts';
import type { JobsNotifiedOf } from '../runtime/upkeep/notifier.ts';
import { type StartedScheduler, startScheduler } from '../scheduler/start.ts';
import { withKept } from './accounts.ts';

/** The recipients that jobs name for their notifications. */
export function jobRecipients({ config }: Pick<Session, 'config'>, jobs: readonly Job[]): Recipient[] {
  return jobs.flatMap(({ name, notifications }) =>
    notifications.map((one, index) =>
      resolveRecipient({ ...one, jobs: [name] }, (field, variable, faultOf) =>
        config.secretOf(`job ${name}: notifications.${index}.${field}`, variable, faultOf),
      ),
    ),
  );
}

/** The recipients that jobs name, and the account from which each job pays. */
export function jobsNotifiedOf(session: Pick<Session, 'config'>, jobs: readonly Job[]): JobsNotifiedOf {
  const accounts = new Map(jobs.map(({ name, account }) => [name, chosenAccountName(session.config, account)]));
  return { recipients: jobRecipients(session, jobs), accountOf: (job) => accounts.get(job) ?? null };
}

export function retentionsOf(jobs: readonly Job[]): JobRetention[] {
  return jobs.flatMap(({ name, retention }) => (retention === null ? [] : [{ job: name, ...retention }]));
}

/** Runs the jobs with the accounts that this process keeps open. */
export function startJobs(
  session: Session,
  jobs: readonly Job[],
  kept: ReadonlyMap<string, SupervisedAccount>,
): StartedScheduler {
  for (const job of jobs) {
    const { name, schedule } = job;
    session.log.info('a job is scheduled', { job: name, cron: schedule.cron, time_zone: schedule.timeZone });
    for (const { message, why } of jobWarnings(job, session.clock.now())) session.log.warn(message, { job: name, why });
  }
  return startScheduler({
    session,
    jobs,
    withAccount: withKept(session, kept),
    onBatches: () => {
      for (const account of kept.values()) account.nudge();
    },
  });
}

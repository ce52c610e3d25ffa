import { AirbatchError } from '../../core/basics/errors.ts';
import { servedAccounts } from '../accounts/served-accounts.ts';
import { type Config, chosenAccountName, recipientFaults } from '../settings/config.ts';
import type { LoadedJob } from './load-jobs.ts';

/**
 * Checks that the configuration has what the jobs refer to. It is better to find an error now than when a job is due.
 * Throws `CONFIG_INVALID` with each wrong file and its field.
 */
export function requireSoundJobs(config: Config, jobs: readonly LoadedJob[]): void {
  const faults = jobs.flatMap(({ file, job }) =>
    [...accountFaults(config, job.account), ...recipientFaults(job.notifications, config)].map(
      (fault) => `${file}: ${fault}`,
    ),
  );
  if (faults.length > 0) throw new AirbatchError('CONFIG_INVALID', faults.join('\n'));
}

function accountFaults(config: Config, given: string | undefined): string[] {
  try {
    const name = chosenAccountName(config, given);
    return servedAccounts(config).has(name) ? [] : [`account: "${name}" is not configured`];
  } catch (error) {
    if (!(error instanceof AirbatchError)) throw error;
    return [`account: ${error.message}`];
  }
}

import { type AccountRunner, makeAccountRunner, type RunnerOptions } from '../../engine/account-runner.ts';
import { accountLog } from '../logging/log.ts';
import { makeLedgerMark } from '../session/ledger-mark-file.ts';
import { isDeadProcess, processHolder } from '../session/process-holder.ts';
import type { Session } from '../session/session.ts';
import type { OpenAccount } from './account.ts';

/**
 * The longest life of a lease on a ledger that machines share: as long as pg-boss waits for a silent worker. Another
 * machine then sends within 15 s.
 */
const sharedLeaseMsMax = 10_000;

/** Makes the runner that sends for an open account in this process. */
export function runnerOf(
  { db, clock, random, log, ledgerPath, ledgerUrl }: Session,
  { name, service, gateway, limiter, settings, callbackUrl }: OpenAccount,
  options: Pick<RunnerOptions, 'restored' | 'onLeaseTaken' | 'onCompleted' | 'rereads'>,
): AccountRunner {
  const shared = { leaseTtlMs: Math.min(settings.leaseTtlMs, sharedLeaseMsMax), idlePollMs: settings.noticedPollMs };
  const fitting = ledgerUrl === null ? settings : { ...settings, ...shared };
  return makeAccountRunner(
    { db, gateway, limiter, clock, random, log: accountLog(log, name), settings: fitting },
    {
      account: name,
      service,
      holder: processHolder(clock),
      isDead: isDeadProcess,
      callbackUrl,
      // The marks tell that a file was put back. A database on a server has no file that a backup could replace.
      ...(ledgerUrl === null ? { mark: makeLedgerMark(ledgerPath) } : {}),
      ...options,
    },
  );
}

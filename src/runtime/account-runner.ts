import { type AccountRunner, makeAccountRunner, type RunnerOptions } from '../engine/account-runner.ts';
import type { OpenAccount } from './account.ts';
import { makeLedgerMark } from './ledger-mark.ts';
import { accountLog } from './log.ts';
import { isDeadProcess, processHolder } from './process-holder.ts';
import type { Session } from './session.ts';

/** The sender of an open account, for this process. */
export function runnerOf(
  { db, clock, random, log, ledgerPath }: Session,
  { name, service, gateway, limiter, settings, callbackUrl }: OpenAccount,
  options: Pick<RunnerOptions, 'restored' | 'onTaken' | 'onCompleted' | 'rereads'>,
): AccountRunner {
  return makeAccountRunner(
    { db, gateway, limiter, clock, random, log: accountLog(log, name), settings },
    {
      account: name,
      service,
      holder: processHolder(clock),
      isDead: isDeadProcess,
      callbackUrl,
      mark: makeLedgerMark(ledgerPath),
      ...options,
    },
  );
}

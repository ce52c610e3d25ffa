import { AirbatchError } from '../../core/basics/errors.ts';
import { isoTime } from '../../core/time/clock.ts';
import { longThrottle } from '../../engine/pacing/account-throttle.ts';
import { unusableText } from '../../gateway/transport/answers.ts';
import { type IntakeOptions, type IntakeResult, intakeFile } from '../../intake/intake.ts';
import { timeText } from '../../reports/sentences/format.ts';
import type { OpenAccount } from '../accounts/account.ts';
import { credentialsRefused } from '../accounts/credentials-refused.ts';
import { applyStoredThrottle } from '../accounts/throttled-requests.ts';
import { processHolder } from '../session/process-holder.ts';
import type { Session } from '../session/session.ts';
import { program } from '../settings/version.ts';
import { askAgain } from './plan-batch.ts';

/** What `makeBatch` knows of the account and the session. */
type Known = 'account' | 'service' | 'createdBy' | 'seenAccounts' | 'through' | 'program' | 'holder' | 'catalog';
/** A file of an account, and how it is read. Without a time zone, that of this machine counts. */
type FileOfBatch = Omit<IntakeOptions, Known> & Required<Pick<IntakeOptions, 'policy'>>;

/**
 * Makes a batch of a file, checked against the catalog of its service. Throws `SERVICE_UNREACHABLE` as
 * intake does, and says how long the account is throttled. Throws `CREDENTIALS_REJECTED` if the service refuses access
 * to the catalog.
 */
export async function makeBatch(session: Session, account: OpenAccount, given: FileOfBatch): Promise<IntakeResult> {
  await applyStoredThrottle(account, session);
  const taking = intakeFile(session, {
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...given,
    account: account.name,
    service: account.service,
    createdBy: session.person,
    seenAccounts: session.grant?.accounts ?? [],
    through: session.through,
    program,
    holder: processHolder(session.clock),
    catalog: account.catalog,
  });
  return taking.catch((error: unknown) => Promise.reject(namesUnread(error, session, account)));
}

/** Why the networks in a file could not be looked up, and what to do: correct the key, or wait. */
function namesUnread(error: unknown, { clock }: Session, account: OpenAccount): unknown {
  if (!(error instanceof AirbatchError) || error.code !== 'SERVICE_UNREACHABLE') return error;
  const { name, limiter, catalog } = account;
  const refusal = catalog.refusal();
  if (refusal !== null) return credentialsRefused(account, refusal, askAgain, null);
  const until = longThrottle({ limiter, clock }, 'catalog');
  const unusable = catalog.unusable();
  const [why, when] =
    until === null
      ? [unusable === null ? '' : `: ${unusableText(unusable)}`, 'once the service answers']
      : [`: the service throttles account ${name} until ${timeText(isoTime(until))}`, 'then'];
  return new AirbatchError(error.code, `${error.message}${why}`, {
    hint: `Nothing of the file was stored or sent: run the same file again ${when}.`,
    cause: error,
  });
}

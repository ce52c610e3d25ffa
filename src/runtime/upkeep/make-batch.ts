import { AirbatchError } from '../../core/basics/errors.ts';
import { isoTime } from '../../core/time/clock.ts';
import { longThrottle } from '../../engine/pacing/account-throttle.ts';
import { unusableText } from '../../gateway/transport/answers.ts';
import type { FileProgress } from '../../intake/check/check-file.ts';
import type { FromSheet } from '../../intake/file/source.ts';
import { type IntakeResult, intakeFile } from '../../intake/intake.ts';
import type { Priority, ReadWith } from '../../ledger/batches/batches.ts';
import { timeText } from '../../reports/sentences/format.ts';
import type { OpenAccount } from '../accounts/account.ts';
import { credentialsRefused } from '../accounts/credentials-refused.ts';
import { applyStoredThrottle } from '../accounts/throttled-requests.ts';
import { processHolder } from '../session/process-holder.ts';
import type { Session } from '../session/session.ts';
import { program } from '../settings/version.ts';
import { askAgain } from './plan-batch.ts';

/** A file of an account, and how it is read. */
export interface FileOfBatch {
  /** An absolute path, or "-" for standard input. */
  file: string;
  runId: string | null;
  job?: string | null;
  /** The same as in intake's options. */
  isUnseen?: boolean;
  priority: Priority;
  /** The same as in intake's options. */
  finishBy?: number | null;
  /** The IANA time zone of the job that brings the file. For a person, this machine's time zone. */
  timeZone?: string;
  /** `intake` and `policy` of the configuration, overridden by the command line or the job. */
  settings: Readonly<Record<string, unknown>>;
  policy: Readonly<Record<string, unknown>>;
  /** The same as in `SourceOptions`. */
  sheetIsNamed?: boolean;
  fromSheet?: FromSheet | null;
  /** The same as `readWith` in intake's options. */
  readWith?: ReadWith | null;
  onProgress?: (progress: FileProgress) => void;
  signal?: AbortSignal;
}

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

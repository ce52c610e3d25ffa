import { AirbatchError } from '../../core/basics/errors.ts';
import { embeddedSandboxService, latestBatchAtOtherService } from '../../ledger/batches/batches.ts';
import type { Session } from '../session/session.ts';
import { sandboxAccountName } from '../settings/account-config.ts';
import { chooseAccount } from '../settings/config.ts';
import type { OpenAccount } from './account.ts';

/** Opens the account (see `chooseAccount`), works with it, and closes it. */
export async function withAccount<Result>(
  session: Session,
  name: string | undefined,
  work: (account: OpenAccount) => Promise<Result>,
): Promise<Result> {
  const account = await openChosen(session, name);
  try {
    return await work(account);
  } finally {
    await account.close();
  }
}

/** Opens the account; the caller closes it. Throws as `refuseAccidentalSandbox` does. */
export async function openChosen(session: Session, name: string | undefined): Promise<OpenAccount> {
  const chosen = chooseAccount(session.config, name);
  if (chosen === null && name === undefined) await refuseAccidentalSandbox(session);
  // Loaded only by commands that ask a service: the HTTP client is a fifth of what the others load.
  const { openAccount } = await import('./account.ts');
  return openAccount(chosen, session);
}

/**
 * The embedded sandbox answers if no account is configured, as after a move without the `.env` file. A file would then
 * be archived as paid although no money has moved. Throws `CONFIG_INVALID` if the ledger has worked for a real account
 * and nobody has said that this is a rehearsal.
 */
export async function refuseAccidentalSandbox({ db }: Session): Promise<void> {
  const latest = await latestBatchAtOtherService(db, embeddedSandboxService);
  if (latest === null) return;
  throw new AirbatchError(
    'CONFIG_INVALID',
    `no account is configured, but this ledger has paid from the account "${latest.account}" at ${latest.service}`,
    {
      hint: `Set AIRBATCH_BASE_URL and AIRBATCH_API_KEY, or configure the account. For a rehearsal, where no money moves, name another ledger (--ledger), or the account: --account ${sandboxAccountName}.`,
    },
  );
}

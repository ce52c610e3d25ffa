import { type OpenAccount, openAccount } from '../runtime/account.ts';
import { chooseAccount, sandboxAccountName } from '../runtime/config.ts';
import type { Session } from '../runtime/session.ts';
import type { Terminal } from './terminal.ts';

/** Opens the account that a command means (see `chooseAccount`), works with it, and closes it again. */
export async function withAccount<Result>(
  session: Session,
  name: string | undefined,
  work: (account: OpenAccount) => Promise<Result>,
): Promise<Result> {
  const account = await openAccount(chooseAccount(session.config, name), session);
  try {
    return await work(account);
  } finally {
    await account.close();
  }
}

/** Says that it is the embedded sandbox that answers and pays: whoever is in another folder than they think is told by that alone. */
export function tellRehearsal(terminal: Terminal, { isSandbox }: Pick<OpenAccount, 'isSandbox'>): void {
  if (!isSandbox) return;
  terminal.error(
    `${terminal.paint('yellow', 'Rehearsal')} at the embedded sandbox: no money moves (account "${sandboxAccountName}").\n`,
  );
}

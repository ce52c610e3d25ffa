import { type OpenAccount, openAccount } from '../runtime/account.ts';
import { chooseAccount } from '../runtime/config.ts';
import type { Session } from '../runtime/session.ts';

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

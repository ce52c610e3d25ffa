import { listUsers } from '../../ledger/access/users.ts';
import type { Session } from '../../runtime/session/session.ts';

const roles = ['operate', 'resolve'] as const;

/**
 * The people who may take care of doubts of these accounts: those who may operate or resolve in the console or by the
 * configuration, and the caller.
 */
export async function doubtPeople(
  { db, config, person }: Pick<Session, 'db' | 'config' | 'person'>,
  accounts: readonly string[],
): Promise<string[]> {
  const users = (await listUsers(db)).filter(
    (user) =>
      user.disabled_at === null &&
      roles.some((role) => user.roles.includes(role)) &&
      (user.accounts.length === 0 || user.accounts.some((account) => accounts.includes(account))),
  );
  const configured = roles.flatMap((role) => config.people[role] ?? []);
  return [...new Set([person, ...users.map(({ name }) => name), ...configured])].sort();
}

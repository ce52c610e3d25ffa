import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { type AccessChange, changeAccess } from '../../ledger/access/access-events.ts';
import { endSessionsOf } from '../../ledger/access/user-sessions.ts';
import { otherAdmins, type User, updateUser } from '../../ledger/access/users.ts';
import type { Session } from '../../runtime/session/session.ts';
import { accountName } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import {
  displayName,
  email,
  language,
  requireAccounts,
  requireUser,
  sorted,
  user,
  userJson,
  userRoles,
} from './user-fields.ts';

/** Changes what a person may do, or disables the person. What is left out stays. A disabled person is signed out. */
export const changeUser = defineOperation({
  name: 'change-user',
  role: 'admin',
  ledger: 'change',
  input: z.strictObject({
    name: z.string(),
    display_name: displayName.optional(),
    email: email.nullable().optional(),
    roles: userRoles.optional(),
    accounts: z.array(accountName).optional(),
    language: language.optional(),
    disabled: z.boolean().optional(),
  }),
  result: user,
  async run({ session }, { name, disabled, roles, accounts, ...fields }) {
    return changeAccess(session, async (change) => {
      const before = await requireUser(change.tx, name);
      // An account that the configuration no longer has may stay, and gives nothing.
      requireAccounts(
        session,
        (accounts ?? []).filter((account) => !before.accounts.includes(account)),
      );
      const wasDisabled = before.disabled_at !== null;
      const after: User = {
        ...before,
        display_name: fields.display_name ?? before.display_name,
        email: fields.email === undefined ? before.email : fields.email,
        language: fields.language ?? before.language,
        roles: roles ? sorted(roles) : before.roles,
        accounts: accounts ? sorted(accounts) : before.accounts,
        disabled_at: (disabled ?? wasDisabled) ? (before.disabled_at ?? change.at) : null,
      };
      await requireAdminLeft(session, change, before, after);
      if (!(await updateUser(change.tx, after)))
        throw new AirbatchError('USAGE', 'another person has this e-mail address', {
          reason: refusal('EMAIL_TAKEN', {}),
          hint: 'See the list of people for their addresses.',
        });
      const isDisabled = after.disabled_at !== null;
      if (isDisabled) await endSessionsOf(change.tx, name);
      await change.note('user.change', {
        name,
        roles: after.roles.join(','),
        before_roles: before.roles.join(','),
        accounts: after.accounts.join(','),
        before_accounts: before.accounts.join(','),
        email_changed: after.email !== before.email,
        disabled: isDisabled,
        before_disabled: wasDisabled,
      });
      return userJson(change.tx, after);
    });
  },
});

/** Refuses to take the last administrator away: nobody could make another. */
async function requireAdminLeft(
  { config }: Pick<Session, 'config'>,
  { tx }: AccessChange,
  before: User,
  after: User,
): Promise<void> {
  const isAdmin = ({ roles, disabled_at, accounts }: User) =>
    roles.includes('admin') && disabled_at === null && accounts.length === 0;
  if (!isAdmin(before) || isAdmin(after)) return;
  if ((await otherAdmins(tx, after.name, config.console.openid?.claim ?? null)) > 0) return;
  throw new AirbatchError('USAGE', `${after.name} is the only administrator`, {
    reason: refusal('LAST_ADMIN', { name: after.name }),
    hint: 'Give another person the role "admin" first.',
  });
}

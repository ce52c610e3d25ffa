import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { insertUser } from '../../ledger/access/users.ts';
import { accountName } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import {
  displayName,
  email,
  language,
  makeLink,
  oneTimeLink,
  requireAccounts,
  sorted,
  user,
  userJson,
  userName,
  userRoles,
} from './user-fields.ts';

/** Adds a person to the console. The person sets a password with the link. */
export const createUser = defineOperation({
  name: 'create-user',
  role: 'admin',
  ledger: 'make',
  input: z.strictObject({
    name: userName,
    display_name: displayName,
    /** The name by which an identity provider knows the person. */
    email: email.optional(),
    roles: userRoles,
    /** If it is empty, the person may use all accounts. */
    accounts: z.array(accountName).default([]),
    language: language.default('en'),
  }),
  result: z.strictObject({ user, link: oneTimeLink }),
  async run({ session }, { name, display_name, email = null, roles, accounts, language }) {
    requireAccounts(session, accounts);
    return changeAccess(session, async (change) => {
      const record = {
        name,
        display_name,
        email,
        password_hash: null,
        language,
        created_by: change.person,
        created_at: change.at,
        disabled_at: null,
        roles: sorted(roles),
        accounts: sorted(accounts),
      };
      if (!(await insertUser(change.tx, record)))
        throw new AirbatchError('USAGE', `there is a person "${name}" already, or one with this e-mail address`, {
          reason: refusal('PERSON_EXISTS', { name }),
          hint: 'See the list of people for their names.',
        });
      await change.note('user.create', { name, roles: record.roles.join(','), accounts: record.accounts.join(',') });
      const link = await makeLink(change, session, name);
      return { user: await userJson(change.tx, record), link };
    });
  },
});

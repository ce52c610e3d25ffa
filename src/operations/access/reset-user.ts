import { z } from 'zod';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { deleteFactors } from '../../ledger/access/second-factors.ts';
import { endSessionsOf } from '../../ledger/access/user-sessions.ts';
import { updateUser } from '../../ledger/access/users.ts';
import { defineOperation } from '../base/operation.ts';
import { makeLink, oneTimeLink, requireUser, user, userJson } from './user-fields.ts';

/**
 * For a person who has lost the password or the second factor: takes both away, signs the person out, and makes a link
 * by which the person sets a new password.
 */
export const resetUser = defineOperation({
  name: 'reset-user',
  role: 'admin',
  ledger: 'change',
  input: z.strictObject({ name: z.string() }),
  result: z.strictObject({ user, link: oneTimeLink }),
  async run({ session }, { name }) {
    return changeAccess(session, async (change) => {
      const record = { ...(await requireUser(change.tx, name)), password_hash: null };
      await updateUser(change.tx, record);
      await deleteFactors(change.tx, name);
      await endSessionsOf(change.tx, name);
      await change.note('user.reset', { name });
      return { user: await userJson(change.tx, record), link: await makeLink(change, session, name) };
    });
  },
});

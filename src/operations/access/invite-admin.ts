import { z } from 'zod';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { deleteFactors } from '../../ledger/access/second-factors.ts';
import { endSessionsOf } from '../../ledger/access/user-sessions.ts';
import { findUser, insertUser, otherAdmins, type User, updateUser } from '../../ledger/access/users.ts';
import { roles } from '../../runtime/settings/config-shape.ts';
import { defineOperation } from '../base/operation.ts';
import { makeLink, oneTimeLink, userName } from './user-fields.ts';

/**
 * Makes a link by which the first administrator is made, as long as there is none. With a name, makes that person an
 * administrator, even if there are others: for an installation whose administrators have lost their second factors.
 */
export const inviteAdmin = defineOperation({
  name: 'invite-admin',
  role: 'admin',
  ledger: 'make',
  input: z.strictObject({ name: userName.optional() }),
  result: z.strictObject({
    name: z.string().nullable(),
    /** Null if there is an administrator already. */
    link: oneTimeLink.nullable(),
  }),
  async run({ session }, { name = null }) {
    return changeAccess(session, async (change) => {
      const { tx, at, person, note } = change;
      if (name === null && (await otherAdmins(tx, '', session.config.console.openid?.claim ?? null)) > 0)
        return { name, link: null };
      if (name !== null) {
        const known = await findUser(tx, name);
        const grant = { roles: [...roles].sort(), accounts: [], disabled_at: null, password_hash: null };
        const fresh = { name, display_name: name, email: null, language: 'en', created_by: person, created_at: at };
        const user: User = { ...(known ?? fresh), ...grant };
        if (known === null) await insertUser(tx, user);
        else await updateUser(tx, user);
        await deleteFactors(tx, name);
        await endSessionsOf(tx, name);
      }
      await note('user.invite_admin', { name });
      return { name, link: await makeLink(change, session, name) };
    });
  },
});

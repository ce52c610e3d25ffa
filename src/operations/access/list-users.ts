import { z } from 'zod';
import { listUsers as list } from '../../ledger/access/users.ts';
import { defineOperation } from '../base/operation.ts';
import { user, userJson } from './user-fields.ts';

/** Lists the people of the console by name, disabled ones included. Auditors see no e-mail address. */
export const listUsers = defineOperation({
  name: 'list-users',
  role: 'admin',
  mayAudit: true,
  ledger: 'read',
  input: z.strictObject({}),
  result: z.strictObject({ users: z.array(user) }),
  async run({ session: { db, grant } }) {
    const users = await Promise.all((await list(db)).map((record) => userJson(db, record)));
    const isAdmin = grant?.roles.includes('admin') ?? true;
    return { users: isAdmin ? users : users.map((one) => ({ ...one, email: null })) };
  },
});

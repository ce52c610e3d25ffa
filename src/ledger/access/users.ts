import type { Queryable } from '../drivers/database.ts';
import { readColumn, readOne, readValue } from '../drivers/read.ts';
import { insertRecord, makeValueTable } from '../drivers/write.ts';

/** A person who signs in to the console. Times are epoch ms. */
export interface UserRecord {
  /** The audit log records it as the person. */
  name: string;
  display_name: string;
  /** The name by which an identity provider knows the person. */
  email: string | null;
  /** Null until the person has set a password. */
  password_hash: string | null;
  language: string;
  created_by: string;
  created_at: number;
  disabled_at: number | null;
}

export interface User extends UserRecord {
  roles: string[];
  /** Empty: all accounts. */
  accounts: string[];
}

/** Stores a new person. Returns false if the name or the e-mail address is taken. */
export async function insertUser(tx: Queryable, { roles, accounts, ...user }: User): Promise<boolean> {
  if ((await insertRecord(tx, 'users', user, 'ON CONFLICT DO NOTHING')) === 0) return false;
  await writeGrant(tx, { ...user, roles, accounts });
  return true;
}

/** Replaces the changeable fields of a person. Returns false if another person has the e-mail address. */
export async function updateUser(tx: Queryable, user: User): Promise<boolean> {
  const [other] = await tx.query('SELECT name FROM users WHERE email = ? AND name <> ?', [user.email, user.name]);
  if (other !== undefined) return false;
  await tx.execute(
    'UPDATE users SET display_name = ?, email = ?, password_hash = ?, language = ?, disabled_at = ? WHERE name = ?',
    [user.display_name, user.email, user.password_hash, user.language, user.disabled_at, user.name],
  );
  await writeGrant(tx, user);
  return true;
}

const rolesTable = makeValueTable('user_roles', 'name', 'role');
const accountsTable = makeValueTable('user_accounts', 'name', 'account');

async function writeGrant(tx: Queryable, { name, roles, accounts }: User): Promise<void> {
  await rolesTable.write(tx, name, roles);
  await accountsTable.write(tx, name, accounts);
}

export async function findUser(db: Queryable, name: string): Promise<User | null> {
  const user = await readOne<UserRecord>(db, 'SELECT * FROM users WHERE name = ?', [name]);
  return user ? withGrant(db, user) : null;
}

export async function findUserByEmail(db: Queryable, email: string): Promise<User | null> {
  const user = await readOne<UserRecord>(db, 'SELECT * FROM users WHERE email = ?', [email]);
  return user ? withGrant(db, user) : null;
}

/** All people by name, disabled ones included. */
export async function listUsers(db: Queryable): Promise<User[]> {
  const users = await db.query<UserRecord>('SELECT * FROM users ORDER BY name');
  return Promise.all(users.map((user) => withGrant(db, user)));
}

async function withGrant(db: Queryable, user: UserRecord): Promise<User> {
  const { name } = user;
  return { ...user, roles: await rolesTable.read(db, name), accounts: await accountsTable.read(db, name) };
}

/** The people who have a role for an account, by name. */
export function usersWithRole(db: Queryable, role: string, account: string): Promise<string[]> {
  const sql = `SELECT users.name FROM users JOIN user_roles ON user_roles.name = users.name
     WHERE role = ? AND disabled_at IS NULL
       AND (NOT EXISTS (SELECT 1 FROM user_accounts WHERE user_accounts.name = users.name)
         OR EXISTS (SELECT 1 FROM user_accounts WHERE user_accounts.name = users.name AND account = ?))
     ORDER BY users.name`;
  return readColumn(db, sql, [role, account]);
}

/**
 * How many other people could still administer the installation if this one could not: of all accounts, and with a way
 * to sign in. `openIdClaim`: by which claim an identity provider knows people; null without a provider.
 */
export async function otherAdmins(db: Queryable, name: string, openIdClaim: string | null): Promise<number> {
  const sql = `SELECT COUNT(*) AS count FROM users JOIN user_roles ON user_roles.name = users.name
     WHERE role = 'admin' AND disabled_at IS NULL AND users.name <> ?
       AND NOT EXISTS (SELECT 1 FROM user_accounts WHERE user_accounts.name = users.name)
       AND (password_hash IS NOT NULL OR (? = 1 AND email IS NOT NULL) OR ? = 1
         OR EXISTS (SELECT 1 FROM user_passkeys WHERE user_passkeys.name = users.name))`;
  const [byEmail, byOther] = [openIdClaim === 'email', openIdClaim !== null && openIdClaim !== 'email'];
  return (await readValue<number>(db, sql, [name, Number(byEmail), Number(byOther)])) ?? 0;
}

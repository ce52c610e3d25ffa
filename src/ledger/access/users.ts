import type { Queryable } from '../drivers/database.ts';

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
export async function insertUser(tx: Queryable, user: User): Promise<boolean> {
  const added = await tx.execute(
    `INSERT INTO users (name, display_name, email, password_hash, language, created_by, created_at, disabled_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    [
      user.name,
      user.display_name,
      user.email,
      user.password_hash,
      user.language,
      user.created_by,
      user.created_at,
      user.disabled_at,
    ],
  );
  if (added === 0) return false;
  await writeGrant(tx, user);
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
  await tx.execute('DELETE FROM user_roles WHERE name = ?', [user.name]);
  await tx.execute('DELETE FROM user_accounts WHERE name = ?', [user.name]);
  await writeGrant(tx, user);
  return true;
}

async function writeGrant(tx: Queryable, { name, roles, accounts }: User): Promise<void> {
  for (const role of roles) await tx.execute('INSERT INTO user_roles (name, role) VALUES (?, ?)', [name, role]);
  for (const account of accounts)
    await tx.execute('INSERT INTO user_accounts (name, account) VALUES (?, ?)', [name, account]);
}

export async function findUser(db: Queryable, name: string): Promise<User | null> {
  const [user] = await db.query<UserRecord>('SELECT * FROM users WHERE name = ?', [name]);
  return user ? withGrant(db, user) : null;
}

export async function findUserByEmail(db: Queryable, email: string): Promise<User | null> {
  const [user] = await db.query<UserRecord>('SELECT * FROM users WHERE email = ?', [email]);
  return user ? withGrant(db, user) : null;
}

/** All people by name, disabled ones included. */
export async function listUsers(db: Queryable): Promise<User[]> {
  const users = await db.query<UserRecord>('SELECT * FROM users ORDER BY name');
  return Promise.all(users.map((user) => withGrant(db, user)));
}

async function withGrant(db: Queryable, user: UserRecord): Promise<User> {
  const roles = await db.query<{ role: string }>('SELECT role FROM user_roles WHERE name = ? ORDER BY role', [
    user.name,
  ]);
  const accounts = await db.query<{ account: string }>(
    'SELECT account FROM user_accounts WHERE name = ? ORDER BY account',
    [user.name],
  );
  return { ...user, roles: roles.map(({ role }) => role), accounts: accounts.map(({ account }) => account) };
}

/** The people who have a role for an account, by name. */
export async function usersWithRole(db: Queryable, role: string, account: string): Promise<string[]> {
  const found = await db.query<{ name: string }>(
    `SELECT users.name FROM users JOIN user_roles ON user_roles.name = users.name
     WHERE role = ? AND disabled_at IS NULL
       AND (NOT EXISTS (SELECT 1 FROM user_accounts WHERE user_accounts.name = users.name)
         OR EXISTS (SELECT 1 FROM user_accounts WHERE user_accounts.name = users.name AND account = ?))
     ORDER BY users.name`,
    [role, account],
  );
  return found.map(({ name }) => name);
}

/**
 * How many other people could still administer the installation if this one could not: of all accounts, and with a way
 * to sign in. `openIdClaim`: by which claim an identity provider knows people; null without a provider.
 */
export async function otherAdmins(db: Queryable, name: string, openIdClaim: string | null): Promise<number> {
  const [found] = await db.query<{ count: number }>(
    `SELECT COUNT(*) AS count FROM users JOIN user_roles ON user_roles.name = users.name
     WHERE role = 'admin' AND disabled_at IS NULL AND users.name <> ?
       AND NOT EXISTS (SELECT 1 FROM user_accounts WHERE user_accounts.name = users.name)
       AND (password_hash IS NOT NULL OR (? = 1 AND email IS NOT NULL) OR ? = 1
         OR EXISTS (SELECT 1 FROM user_passkeys WHERE user_passkeys.name = users.name))`,
    [name, openIdClaim === 'email' ? 1 : 0, openIdClaim === null || openIdClaim === 'email' ? 0 : 1],
  );
  return found?.count ?? 0;
}

import type { Queryable } from '../drivers/database.ts';
import { readOne, readValue } from '../drivers/read.ts';
import { makeValueTable } from '../drivers/write.ts';

/** A key of the HTTP API. The ledger stores only the digest of its secret. Times are epoch ms. */
export interface ApiKeyRecord {
  key_id: string;
  /** The name of the calling program; the audit log records it as the person. */
  name: string;
  /** Hex SHA-256 of the secret. */
  secret_sha256: string;
  created_by: string;
  created_at: number;
  /** Null: it never expires. */
  expires_at: number | null;
  /** To the minute. */
  last_used_at: number | null;
  revoked_by: string | null;
  revoked_at: number | null;
}

/** A key with its roles and accounts. */
export interface ApiKeyWithGrant extends ApiKeyRecord {
  roles: string[];
  /** Empty: all accounts. */
  accounts: string[];
}

/** Stores a new key. Returns false if a key that is not revoked already has its name. */
export async function insertApiKey(
  tx: Queryable,
  key: Omit<ApiKeyWithGrant, 'last_used_at' | 'revoked_by' | 'revoked_at'>,
): Promise<boolean> {
  const added = await tx.execute(
    `INSERT INTO api_keys (key_id, name, secret_sha256, created_by, created_at, expires_at)
     SELECT ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM api_keys WHERE name = ? AND revoked_at IS NULL)`,
    [key.key_id, key.name, key.secret_sha256, key.created_by, key.created_at, key.expires_at, key.name],
  );
  if (added === 0) return false;
  await rolesTable.write(tx, key.key_id, key.roles);
  await accountsTable.write(tx, key.key_id, key.accounts);
  return true;
}

export async function findApiKey(db: Queryable, keyId: string): Promise<ApiKeyWithGrant | null> {
  const key = await readOne<ApiKeyRecord>(db, 'SELECT * FROM api_keys WHERE key_id = ?', [keyId]);
  return key ? withGrant(db, key) : null;
}

/** All keys, the newest first, revoked ones included. */
export async function listApiKeys(db: Queryable): Promise<ApiKeyWithGrant[]> {
  const keys = await db.query<ApiKeyRecord>('SELECT * FROM api_keys ORDER BY created_at DESC, key_id');
  return Promise.all(keys.map((key) => withGrant(db, key)));
}

const rolesTable = makeValueTable('api_key_roles', 'key_id', 'role');
const accountsTable = makeValueTable('api_key_accounts', 'key_id', 'account');

async function withGrant(db: Queryable, key: ApiKeyRecord): Promise<ApiKeyWithGrant> {
  const { key_id } = key;
  return { ...key, roles: await rolesTable.read(db, key_id), accounts: await accountsTable.read(db, key_id) };
}

/** The names of all keys with the people who made them, revoked ones included. */
export function apiKeyMakers(db: Queryable): Promise<{ name: string; created_by: string }[]> {
  return db.query('SELECT DISTINCT name, created_by FROM api_keys');
}

/** Revokes the key of this name that is not revoked yet. Returns its id; null if there is none. */
export async function revokeApiKey(
  tx: Queryable,
  { name, by, at }: { name: string; by: string; at: number },
): Promise<string | null> {
  const find = 'SELECT key_id FROM api_keys WHERE name = ? AND revoked_at IS NULL';
  const keyId = await readValue<string>(tx, find, [name]);
  if (keyId === null) return null;
  await tx.execute('UPDATE api_keys SET revoked_by = ?, revoked_at = ? WHERE key_id = ?', [by, at, keyId]);
  return keyId;
}

/** Notes that a key was used. */
export async function noteApiKeyUse(db: Queryable, keyId: string, at: number): Promise<void> {
  await db.execute('UPDATE api_keys SET last_used_at = ? WHERE key_id = ?', [at, keyId]);
}

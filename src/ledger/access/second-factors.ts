import type { Queryable } from '../drivers/database.ts';
import { readOne } from '../drivers/read.ts';
import { insertRecord } from '../drivers/write.ts';

/** The secret from which a person's app makes codes. */
export interface Totp {
  name: string;
  /** Sealed: see `runtime/session/sealed-text.ts`. */
  secret: string;
  /** Null until the first code has shown that the app has the secret. */
  confirmed_at: number | null;
  /** The time step of the last code that was accepted: no code counts twice. */
  last_step: number;
}

export function findTotp(db: Queryable, name: string): Promise<Totp | null> {
  return readOne(db, 'SELECT * FROM user_totp WHERE name = ?', [name]);
}

/** The secrets of everybody. */
export function listTotp(db: Queryable): Promise<Totp[]> {
  return db.query('SELECT * FROM user_totp ORDER BY name');
}

/** Stores the same secret in another form. */
export async function replaceTotpSecret(tx: Queryable, { name, secret }: Totp, by: string): Promise<void> {
  await tx.execute('UPDATE user_totp SET secret = ? WHERE name = ? AND secret = ?', [by, name, secret]);
}

/** Stores a secret that is not confirmed yet. Returns false if the person has a confirmed one. */
export async function proposeTotp(tx: Queryable, name: string, secret: string): Promise<boolean> {
  const stored = await tx.execute(
    `INSERT INTO user_totp (name, secret, confirmed_at, last_step) VALUES (?, ?, NULL, 0)
     ON CONFLICT (name) DO UPDATE SET secret = excluded.secret WHERE user_totp.confirmed_at IS NULL`,
    [name, secret],
  );
  return stored === 1;
}

/** Confirms this secret. Returns false if it is confirmed already, or if another one was proposed after it. */
export async function confirmTotp(tx: Queryable, { name, secret }: Totp, at: number): Promise<boolean> {
  const sql = 'UPDATE user_totp SET confirmed_at = ? WHERE name = ? AND secret = ? AND confirmed_at IS NULL';
  return (await tx.execute(sql, [at, name, secret])) === 1;
}

/** Marks the code of this time step as used. Returns false if it, or a later one, was used before. */
export async function useTotpStep(db: Queryable, { name, secret }: Totp, step: number): Promise<boolean> {
  const used = await db.execute('UPDATE user_totp SET last_step = ? WHERE name = ? AND secret = ? AND last_step < ?', [
    step,
    name,
    secret,
    step,
  ]);
  return used === 1;
}

/** A passkey of a person. */
export interface Passkey {
  credential_id: string;
  name: string;
  /** What the person calls it. */
  label: string;
  /** Base64url. */
  public_key: string;
  /** How often the authenticator says that it was used; 0 if it does not count. */
  counter: number;
  /** As the browser names them, separated by commas. */
  transports: string;
  created_at: number;
  last_used_at: number | null;
}

export async function insertPasskey(tx: Queryable, passkey: Omit<Passkey, 'last_used_at'>): Promise<boolean> {
  return (await insertRecord(tx, 'user_passkeys', passkey, 'ON CONFLICT DO NOTHING')) === 1;
}

export function passkeysOf(db: Queryable, name: string): Promise<Passkey[]> {
  return db.query('SELECT * FROM user_passkeys WHERE name = ? ORDER BY created_at, credential_id', [name]);
}

export function findPasskey(db: Queryable, credentialId: string): Promise<Passkey | null> {
  return readOne(db, 'SELECT * FROM user_passkeys WHERE credential_id = ?', [credentialId]);
}

export async function notePasskeyUse(db: Queryable, credentialId: string, counter: number, at: number): Promise<void> {
  await db.execute('UPDATE user_passkeys SET counter = ?, last_used_at = ? WHERE credential_id = ?', [
    counter,
    at,
    credentialId,
  ]);
}

export async function deletePasskey(tx: Queryable, name: string, credentialId: string): Promise<boolean> {
  return (
    (await tx.execute('DELETE FROM user_passkeys WHERE name = ? AND credential_id = ?', [name, credentialId])) === 1
  );
}

export async function deleteTotp(tx: Queryable, name: string): Promise<boolean> {
  return (await tx.execute('DELETE FROM user_totp WHERE name = ?', [name])) === 1;
}

export async function deleteFactors(tx: Queryable, name: string): Promise<void> {
  await deleteTotp(tx, name);
  await tx.execute('DELETE FROM user_passkeys WHERE name = ?', [name]);
}

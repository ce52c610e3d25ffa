import type { Queryable } from '../drivers/database.ts';
import { readOne } from '../drivers/read.ts';
import { insertRecord } from '../drivers/write.ts';

/** A link by which a person sets a password, once. */
export interface OneTimeLink {
  /** Hex SHA-256 of the token in the link. */
  token_sha256: string;
  /** Whose link it is. Null: it makes the first administrator, who chooses a name. */
  name: string | null;
  made_by: string;
  made_at: number;
  expires_at: number;
  used_at: number | null;
}

/** Stores a new link. Earlier links for the same person, or for the first administrator, no longer work. */
export async function insertLink(tx: Queryable, link: Omit<OneTimeLink, 'used_at'>): Promise<void> {
  await tx.execute("DELETE FROM one_time_links WHERE COALESCE(name, '') = COALESCE(?, '') AND used_at IS NULL", [
    link.name,
  ]);
  await insertRecord(tx, 'one_time_links', link);
}

/** The link of this token, if it is not used and has not expired. */
export function findLink(db: Queryable, tokenSha256: string, now: number): Promise<OneTimeLink | null> {
  const sql = 'SELECT * FROM one_time_links WHERE token_sha256 = ? AND used_at IS NULL AND expires_at > ?';
  return readOne(db, sql, [tokenSha256, now]);
}

/** Uses the link up. Returns false if somebody else has used it before. */
export async function useLink(tx: Queryable, tokenSha256: string, at: number): Promise<boolean> {
  const used = await tx.execute('UPDATE one_time_links SET used_at = ? WHERE token_sha256 = ? AND used_at IS NULL', [
    at,
    tokenSha256,
  ]);
  return used === 1;
}

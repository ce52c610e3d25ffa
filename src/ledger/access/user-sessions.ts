import type { Queryable } from '../drivers/database.ts';
import { readOne, readValue } from '../drivers/read.ts';
import { insertRecord, saveRecord } from '../drivers/write.ts';

/** A person's session in the console, or one that is being signed in. Times are epoch ms. */
export interface UserSession {
  /** Hex SHA-256 of the token in the cookie: the ledger does not store the token. */
  token_sha256: string;
  session_id: string;
  /** Null while it is not known yet who signs in. */
  name: string | null;
  created_at: number;
  /** Null while a factor is missing. */
  signed_in_at: number | null;
  last_seen_at: number;
  /** The address of the network from which the session began. */
  address: string;
  /** The browser and the system of the machine: "Firefox, Windows". Null: not known, or of an earlier version. */
  device: string | null;
  /** What a passkey or an identity provider must answer next. */
  challenge: string | null;
  /** What the answer to the challenge is for. */
  challenge_for: string | null;
  challenge_at: number | null;
}

/** A session ends after this time without a request (ms). */
const idleMsMax = 15 * 60_000;
/** A session ends after this time, whatever is done in it (ms). */
const sessionMsMax = 8 * 60 * 60_000;
/** How long the second step of signing in may take (ms). */
const beginningMsMax = 5 * 60_000;
/** No session is needed for longer after its beginning (ms). */
export const keptMs = sessionMsMax + beginningMsMax;

/** Whether a session has not ended. */
export function isLive(
  { signed_in_at, created_at, last_seen_at }: Pick<UserSession, 'signed_in_at' | 'created_at' | 'last_seen_at'>,
  now: number,
): boolean {
  // After a clock was set back by more than a minute, ages cannot be trusted.
  if (now < last_seen_at - 60_000) return false;
  if (signed_in_at === null) return now - created_at < beginningMsMax;
  return now - last_seen_at < idleMsMax && now - signed_in_at < sessionMsMax;
}

export async function insertSession(
  tx: Queryable,
  session: Omit<UserSession, 'challenge' | 'challenge_for' | 'challenge_at'>,
): Promise<void> {
  await insertRecord(tx, 'user_sessions', session);
}

export function findSession(db: Queryable, tokenSha256: string): Promise<UserSession | null> {
  return readOne(db, 'SELECT * FROM user_sessions WHERE token_sha256 = ?', [tokenSha256]);
}

/** The sessions that are signed in at a time, of one person or of all, the newest first. */
export async function listSessions(
  db: Queryable,
  name: string | null,
  now: number,
): Promise<(UserSession & { name: string })[]> {
  const found = await db.query<UserSession & { name: string }>(
    `SELECT * FROM user_sessions WHERE signed_in_at IS NOT NULL AND name = COALESCE(?, name)
     ORDER BY signed_in_at DESC, session_id`,
    [name],
  );
  return found.filter((session) => isLive(session, now));
}

/** Gives a session another token. Returns false if it has another one already, or has ended. */
export async function renewToken(
  tx: Queryable,
  { token_sha256 }: Pick<UserSession, 'token_sha256'>,
  next: string,
): Promise<boolean> {
  const sql = 'UPDATE user_sessions SET token_sha256 = ? WHERE token_sha256 = ?';
  return (await tx.execute(sql, [next, token_sha256])) === 1;
}

export async function noteSessionUse(db: Queryable, sessionId: string, at: number): Promise<void> {
  await db.execute('UPDATE user_sessions SET last_seen_at = ? WHERE session_id = ?', [at, sessionId]);
}

export async function setChallenge(
  db: Queryable,
  sessionId: string,
  { challenge, purpose, at }: { challenge: string; purpose: string; at: number },
): Promise<void> {
  await db.execute('UPDATE user_sessions SET challenge = ?, challenge_for = ?, challenge_at = ? WHERE session_id = ?', [
    challenge,
    purpose,
    at,
    sessionId,
  ]);
}

/** Removes the challenge. Returns false if it was removed or replaced before: each one is answered once. */
export async function useChallenge(db: Queryable, sessionId: string, challenge: string): Promise<boolean> {
  const used = await db.execute(
    'UPDATE user_sessions SET challenge = NULL, challenge_for = NULL, challenge_at = NULL WHERE session_id = ? AND challenge = ?',
    [sessionId, challenge],
  );
  return used === 1;
}

/** Ends a session. Returns whose it was; null if there is none. */
export async function endSession(tx: Queryable, sessionId: string): Promise<Pick<UserSession, 'name'> | null> {
  const find = 'SELECT name FROM user_sessions WHERE session_id = ?';
  const session = await readOne<Pick<UserSession, 'name'>>(tx, find, [sessionId]);
  if (session === null) return null;
  await tx.execute('DELETE FROM session_step_ups WHERE session_id = ?', [sessionId]);
  await tx.execute('DELETE FROM user_sessions WHERE session_id = ?', [sessionId]);
  return session;
}

/** Ends all sessions of a person. Returns how many. */
export async function endSessionsOf(tx: Queryable, name: string): Promise<number> {
  await tx.execute(
    'DELETE FROM session_step_ups WHERE session_id IN (SELECT session_id FROM user_sessions WHERE name = ?)',
    [name],
  );
  return tx.execute('DELETE FROM user_sessions WHERE name = ?', [name]);
}

/** Deletes the sessions that began before a time. */
export async function pruneSessions(tx: Queryable, before: number): Promise<void> {
  await tx.execute(
    'DELETE FROM session_step_ups WHERE session_id IN (SELECT session_id FROM user_sessions WHERE created_at < ?)',
    [before],
  );
  await tx.execute('DELETE FROM user_sessions WHERE created_at < ?', [before]);
}

/** Records that a session has proved its second factor for a purpose. */
export async function noteStepUp(
  db: Queryable,
  { sessionId, purpose, at }: { sessionId: string; purpose: string; at: number },
): Promise<void> {
  await saveRecord(db, 'session_step_ups', ['session_id', 'purpose'], { session_id: sessionId, purpose, at });
}

/** When the session last proved its second factor for this purpose; null if it never did. */
export function stepUpAt(db: Queryable, sessionId: string, purpose: string): Promise<number | null> {
  return readValue(db, 'SELECT at FROM session_step_ups WHERE session_id = ? AND purpose = ?', [sessionId, purpose]);
}

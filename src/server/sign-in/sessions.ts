import { sha256 } from '../../core/identity/ids.ts';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { findTotp, passkeysOf } from '../../ledger/access/second-factors.ts';
import {
  endSession,
  findSession,
  insertSession,
  isLive,
  keptMs,
  noteSessionUse,
  pruneSessions,
  type UserSession,
} from '../../ledger/access/user-sessions.ts';
import { findUser, type User } from '../../ledger/access/users.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import type { Session } from '../../runtime/session/session.ts';
import type { PasswordHasher } from './password.ts';

export interface SignInDeps {
  session: Session;
  hasher: PasswordHasher;
  /** The address at which people open the console: "https://pay.example.org". */
  publicUrl: () => URL;
}

/** The precision of the time of the last request (ms): each update is a write. */
const useNotedMs = 15_000;

/** A session of the console, and its person. */
export interface SignedIn {
  session: UserSession;
  user: User;
  token: string;
}

/**
 * The session of a token, whether it is signed in or still being signed in; null for one that has ended or never was.
 * `isUse`: whether the request counts as use; a stream that goes on by itself does not.
 */
export async function sessionOf(
  { db, clock }: Pick<Session, 'db' | 'clock'>,
  token: string | null,
  isUse: boolean,
): Promise<{ session: UserSession; user: User | null } | null> {
  if (token === null) return null;
  const session = await findSession(db, sha256(token));
  const now = clock.now();
  if (session === null || !isLive(session, now)) return null;
  const user = session.name === null ? null : await findUser(db, session.name);
  if (session.name !== null && (user === null || user.disabled_at !== null)) return null;
  if (isUse && now - session.last_seen_at >= useNotedMs) await noteSessionUse(db, session.session_id, now);
  return { session, user };
}

/** The address from which somebody begins to sign in, and the session that the browser has until then. */
export interface Beginning {
  address: string;
  earlier: UserSession | null;
}

/**
 * Begins a session that waits for a second factor, or for an identity provider. Returns its token, which takes the
 * place of the earlier one in the cookie: the earlier session ends, because nobody could sign out of it any more.
 */
export async function beginSession(
  { db, clock, random }: Pick<Session, 'db' | 'clock' | 'random'>,
  name: string | null,
  { address, earlier }: Beginning,
): Promise<{ token: string; session_id: string }> {
  const [token, session_id, at] = [random.hex(32), random.hex(8), clock.now()];
  await db.transact(async (tx) => {
    await pruneSessions(tx, at - keptMs);
    if (earlier !== null) await endSession(tx, earlier.session_id);
    const times = { created_at: at, signed_in_at: null, last_seen_at: at };
    await insertSession(tx, { token_sha256: sha256(token), session_id, name, address, device: null, ...times });
  });
  return { token, session_id };
}

/**
 * The person of a session as stored now, for a change in this transaction: what was read before may be out of date.
 * Null if the session has ended meanwhile, or the person was disabled.
 */
export async function personNow(tx: Queryable, { token_sha256 }: UserSession): Promise<User | null> {
  const session = await findSession(tx, token_sha256);
  const user = session?.name ? await findUser(tx, session.name) : null;
  return user === null || user.disabled_at !== null ? null : user;
}

interface SigningIn extends Pick<UserSession, 'address' | 'device'> {
  user: User;
  /** By what the person has proved who they are. */
  how: string;
  /** The session that this one replaces. */
  earlier: UserSession | null;
}

/**
 * Signs a person in: a new session with a new token, so that a token from before signing in is worth nothing. Null if
 * the person was disabled or reset since the proof.
 */
export async function signIn(
  session: Pick<Session, 'db' | 'clock' | 'random'>,
  { user, how, address, device, earlier }: SigningIn,
): Promise<SignedIn | null> {
  const { random } = session;
  const [token, session_id] = [random.hex(32), random.hex(8)];
  const token_sha256 = sha256(token);
  const isDone = await changeAccess({ ...session, person: user.name, through: 'console' }, async ({ tx, at, note }) => {
    const now = await findUser(tx, user.name);
    if (now === null || now.disabled_at !== null || now.password_hash !== user.password_hash) return false;
    if (earlier !== null) await endSession(tx, earlier.session_id);
    const times = { created_at: at, signed_in_at: at, last_seen_at: at };
    await insertSession(tx, { token_sha256, session_id, name: user.name, address, device, ...times });
    await note('session.begin', { session_id, how, address });
    return true;
  });
  if (!isDone) return null;
  const begun = await findSession(session.db, token_sha256);
  if (begun === null) throw new Error('the session that was just begun is gone');
  return { session: begun, user, token };
}

/** The value of the header `X-CSRF-Token`: only pages that can read our answers know it, and foreign pages cannot. */
export function csrfTokenOf(token: string): string {
  return sha256(`csrf ${token}`);
}

export type Factor = 'totp' | 'passkey';

/** The second factors that a person has. */
export async function factorsOf(db: Queryable, name: string): Promise<Factor[]> {
  const passkeys = await passkeysOf(db, name);
  const totp = await findTotp(db, name);
  return [...(passkeys.length > 0 ? (['passkey'] as const) : []), ...(totp?.confirmed_at ? (['totp'] as const) : [])];
}

import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../core/identity/ids.ts';
import type { Clock } from '../../core/time/clock.ts';
import { findApiKey, noteApiKeyUse } from '../../ledger/access/api-keys.ts';
import type { UserSession } from '../../ledger/access/user-sessions.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import type { Grant, Session } from '../../runtime/session/session.ts';
import type { Role } from '../../runtime/settings/config-shape.ts';
import { sessionOf } from '../sign-in/sessions.ts';

/** The sender of a request: a program with its key, or a person who is signed in. */
export interface Caller {
  name: string;
  through: 'api' | 'console';
  grant: Grant;
  /** The session of a person. */
  session?: UserSession;
}

/** The session in which an operation runs in the name of the caller. */
export function sessionAs(session: Session, { name, through, grant }: Caller): Session {
  return { ...session, person: name, through, grant };
}

/** The precision of a key's last use (ms): each update is a write. */
const useNotedMs = 60_000;

/** The program whose key is in the header `Authorization`; null if the key is unknown, wrong, expired or revoked. */
export async function callerOf(
  { db, clock }: { db: Database; clock: Pick<Clock, 'now'> },
  authorization: string,
): Promise<Caller | null> {
  const [, secret = '', keyId = ''] = authorization.match(/^Bearer (airbatch_([0-9a-f]{12})_[0-9a-f]{64})$/i) ?? [];
  const key = await findApiKey(db, keyId);
  if (key === null || !isSame(sha256(secret), key.secret_sha256)) return null;
  const now = clock.now();
  if (key.revoked_at !== null || (key.expires_at !== null && key.expires_at <= now)) return null;
  if (key.last_used_at === null || now - key.last_used_at >= useNotedMs) await noteApiKeyUse(db, keyId, now);
  return { name: key.name, through: 'api', grant: { roles: key.roles as Role[], accounts: key.accounts } };
}

/**
 * The person whose session the cookie names; null for one that has ended, or that is not signed in. `isUse`: see
 * `sessionOf`.
 */
export async function personOf(
  session: Pick<Session, 'db' | 'clock'>,
  token: string | null,
  isUse: boolean,
): Promise<Caller | null> {
  const known = await sessionOf(session, token, isUse);
  if (!known?.user || known.session.signed_in_at === null) return null;
  const { name, roles, accounts } = known.user;
  return { name, through: 'console', grant: { roles: roles as Role[], accounts }, session: known.session };
}

/** Compares two digests in a time that does not depend on where they differ. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'));
}

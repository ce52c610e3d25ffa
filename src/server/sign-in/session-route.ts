import { z } from 'zod';
import type { UserSession } from '../../ledger/access/user-sessions.ts';
import type { User } from '../../ledger/access/users.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import type { Role } from '../../runtime/settings/config-shape.ts';
import { roles } from '../../runtime/settings/config-shape.ts';
import { Refused } from '../base/problem.ts';
import { csrfTokenOf, factorsOf, type SignedIn, type SignInDeps } from './sessions.ts';

/** The request, for routes below `/api/v1/session`. */
export interface SessionRequest {
  deps: SignInDeps;
  /** The network address of the sender. */
  address: string;
  /** From what it was sent: see `deviceOf`. */
  device: string | null;
  token: string | null;
  known: { session: UserSession; user: User | null } | null;
  /** Sets the cookie; null removes it. */
  setToken: (token: string | null) => void;
}

/** A route below `/api/v1/session`: signing in, and changes of a person's own account. */
export interface SessionRoute<Input extends z.ZodType = z.ZodType, Result extends z.ZodType = z.ZodType> {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  name: string;
  description: string;
  input: Input;
  result: Result;
  /** Whether the request needs the CSRF token: it changes something of a person who is signed in. */
  isForSignedIn: boolean;
  run(request: SessionRequest, input: z.output<Input>): Promise<z.output<Result>>;
}

export function defineSessionRoute<Input extends z.ZodType, Result extends z.ZodType>(
  route: SessionRoute<Input, Result>,
): SessionRoute<Input, Result> {
  return route;
}

export const noInput = z.strictObject({});
export const factor = z.enum(['totp', 'passkey']);

/** The person who is signed in, with what the console needs to know. */
export const sessionView = z.strictObject({
  person: z.string(),
  display_name: z.string(),
  roles: z.array(z.enum(roles)),
  /** Empty: all accounts. */
  accounts: z.array(z.string()),
  csrf_token: z.string(),
  second_factor: z.enum(['none', 'totp', 'passkey']),
  factors: z.array(factor),
  locale: z.string(),
});

export async function viewOf(db: Queryable, { user, token }: SignedIn): Promise<z.output<typeof sessionView>> {
  const factors = await factorsOf(db, user.name);
  return {
    person: user.name,
    display_name: user.display_name,
    roles: user.roles as Role[],
    accounts: user.accounts,
    csrf_token: csrfTokenOf(token),
    second_factor: factors[0] ?? 'none',
    factors,
    locale: user.language,
  };
}

/** The person who is signed in. Throws `SIGN_IN_NEEDED`. */
export function requireSignedIn({ known, token }: Pick<SessionRequest, 'known' | 'token'>): SignedIn {
  if (known?.user && known.session.signed_in_at !== null && token !== null)
    return { session: known.session, user: known.user, token };
  throw signInNeeded();
}

/** The person who has given the password and not yet the second factor. Throws `SIGN_IN_NEEDED`. */
export function requireBegun({ known }: Pick<SessionRequest, 'known'>): { session: UserSession; user: User } {
  if (known?.user && known.session.signed_in_at === null) return { session: known.session, user: known.user };
  throw signInNeeded();
}

export function signInNeeded(): Refused {
  return new Refused('SIGN_IN_NEEDED', 'Nobody is signed in, or the session has ended.', { hint: 'Sign in.' });
}

/** The same for a wrong name, password or code and for a disabled person, so that it does not help guessing. */
export function signInRefused(): Refused {
  return new Refused('SIGN_IN_REFUSED', 'The name, the password or the code is wrong.', {
    hint: 'Ask an administrator: they can reset a password, and see whether you are disabled.',
  });
}

/** The same for somebody who may be guessing: the log has the network address. */
export function signInFailed({ deps, address }: Pick<SessionRequest, 'deps' | 'address'>): Refused {
  deps.session.log.warn('somebody could not sign in to the console', { address });
  return signInRefused();
}

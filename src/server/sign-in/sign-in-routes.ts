import { z } from 'zod';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { succeedAttempt } from '../../ledger/access/sign-in-attempts.ts';
import { endSession, endSessionsOf, type UserSession } from '../../ledger/access/user-sessions.ts';
import { findUser, type User, updateUser } from '../../ledger/access/users.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { language } from '../../operations/access/user-fields.ts';
import { newPassword, typedPassword } from './password.ts';
import {
  defineSessionRoute,
  factor,
  noInput,
  requireBegun,
  requireSignedIn,
  type SessionRequest,
  sessionView,
  signInFailed,
  signInNeeded,
  signInRefused,
  viewOf,
} from './session-route.ts';
import { beginSession, factorsOf, personNow, signIn } from './sessions.ts';
import { attempt, fromAddress } from './throttle.ts';
import { tryCode } from './totp.ts';

export const code = z.string().regex(/^[0-9]{6}$/, { error: 'must have six digits' });

const showSession = defineSessionRoute({
  method: 'GET',
  path: '',
  name: 'show-session',
  description: 'Who is signed in.',
  input: noInput,
  result: sessionView,
  isForSignedIn: false,
  run: (request) => viewOf(request.deps.session.db, requireSignedIn(request)),
});

/** Either the person is signed in, or a second factor comes next. */
const signedInOrNext = z.union([sessionView, z.strictObject({ next: factor, factors: z.array(factor).min(1) })]);

const begin = defineSessionRoute({
  method: 'POST',
  path: '',
  name: 'sign-in',
  description: 'Signs in with name and password. A person with a second factor must prove it next.',
  input: z.strictObject({ name: z.string().max(64), password: typedPassword }),
  result: signedInOrNext,
  isForSignedIn: false,
  async run(request, { name, password }) {
    const { deps, address, known, setToken } = request;
    const { session, hasher } = deps;
    const attempted = [fromAddress(address), { kind: 'password' as const, subject: name }];
    let user: User | null = null;
    const isRight = await attempt(session, attempted, async () => {
      user = await findUser(session.db, name);
      const isPassword = await hasher.isRight(password, user?.password_hash ?? null);
      return isPassword && user?.disabled_at === null;
    });
    if (!isRight || user === null) throw signInFailed(request);
    const factors = await factorsOf(session.db, name);
    const [next] = factors;
    if (next === undefined) return finish(request, user, 'password');
    const { token } = await beginSession(session, name, { address, earlier: known?.session ?? null });
    setToken(token);
    return { next, factors };
  },
});

/** Signs the person in, in a new session. Throws `SIGN_IN_REFUSED` if the person was disabled or reset meanwhile. */
export async function finish(
  { deps: { session }, address, device, known, setToken }: Omit<SessionRequest, 'token'>,
  user: User,
  how: string,
) {
  const signedIn = await signIn(session, { user, how, address, device, earlier: known?.session ?? null });
  if (signedIn === null) throw signInRefused();
  // A session without a name was counted as an attempt when it began: see `/passkey/options` and `/openid`.
  if (known?.session.name === null) await succeedAttempt(session.db, fromAddress(known.session.address));
  setToken(signedIn.token);
  return viewOf(session.db, signedIn);
}

const proveCode = defineSessionRoute({
  method: 'POST',
  path: '/totp',
  name: 'sign-in-by-code',
  description: 'The second step of signing in: a code of the app.',
  input: z.strictObject({ code }),
  result: sessionView,
  isForSignedIn: false,
  async run(request, { code }) {
    const { user } = requireBegun(request);
    if (!(await tryCode(request.deps.session, { name: user.name, code, isNew: false }))) throw signInFailed(request);
    return finish(request, user, 'password and code');
  },
});

const end = defineSessionRoute({
  method: 'DELETE',
  path: '',
  name: 'sign-out',
  description: 'Signs out.',
  input: noInput,
  result: noInput,
  isForSignedIn: true,
  async run(request) {
    const { session, user } = requireSignedIn(request);
    const actor = { ...request.deps.session, person: user.name, through: 'console' };
    await changeAccess(actor, async ({ tx, note }) => {
      await endSession(tx, session.session_id);
      await note('session.end', { session_id: session.session_id });
    });
    request.setToken(null);
    return {};
  },
});

const changePassword = defineSessionRoute({
  method: 'POST',
  path: '/password',
  name: 'change-password',
  description: "Changes the person's own password. All other sessions of the person end.",
  input: z.strictObject({ current: typedPassword, password: newPassword }),
  result: sessionView,
  isForSignedIn: true,
  async run(request, { current, password }) {
    const { deps, address } = request;
    const { user, session: own } = requireSignedIn(request);
    const { session, hasher } = deps;
    const attempted = [fromAddress(address), { kind: 'password' as const, subject: user.name }];
    if (!(await attempt(session, attempted, () => hasher.isRight(current, user.password_hash)))) throw signInRefused();
    const password_hash = await hasher.hash(password);
    const actor = { ...session, person: user.name, through: 'console' };
    const changed = await changeAccess(actor, async ({ tx, note }) => {
      const after = { ...(await requirePersonNow(tx, own)), password_hash };
      await updateUser(tx, after);
      await endSessionsOf(tx, user.name);
      await note('user.password', { name: user.name });
      return after;
    });
    return finish({ ...request, known: null }, changed, 'new password');
  },
});

const changeLanguage = defineSessionRoute({
  method: 'POST',
  path: '/language',
  name: 'change-language',
  description: 'Changes the language in which the person reads the console.',
  input: z.strictObject({ language }),
  result: sessionView,
  isForSignedIn: true,
  async run(request, { language }) {
    const { db } = request.deps.session;
    const signedIn = requireSignedIn(request);
    const user = await db.transact(async (tx) => {
      const after = { ...(await requirePersonNow(tx, signedIn.session)), language };
      await updateUser(tx, after);
      return after;
    });
    return viewOf(db, { ...signedIn, user });
  },
});

async function requirePersonNow(tx: Queryable, session: UserSession): Promise<User> {
  const user = await personNow(tx, session);
  if (user === null) throw signInNeeded();
  return user;
}

export const signInRoutes = [showSession, begin, proveCode, end, changePassword, changeLanguage];

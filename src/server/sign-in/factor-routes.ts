import { z } from 'zod';
import { refusal } from '../../core/basics/refusal.ts';
import { sha256 } from '../../core/identity/ids.ts';
import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { confirmTotp, deletePasskey, deleteTotp, findTotp, passkeysOf } from '../../ledger/access/second-factors.ts';
import { noteStepUp, renewToken } from '../../ledger/access/user-sessions.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { Refused } from '../base/problem.ts';
import { defineSessionRoute, noInput, requireSignedIn, type SessionRequest, signInNeeded } from './session-route.ts';
import { csrfTokenOf, factorsOf } from './sessions.ts';
import { code } from './sign-in-routes.ts';
import { requireStepUp, stepUpMsMax } from './step-up.ts';
import { newTotp, tryCode } from './totp.ts';

/** What the second factor is proved for before factors change. */
const changingFactors = 'change-factors';

export const factorList = z.strictObject({
  totp: z.boolean(),
  passkeys: z.array(
    z.strictObject({
      credential_id: z.string(),
      label: z.string(),
      created_at: z.string(),
      last_used_at: z.string().nullable(),
    }),
  ),
});

export async function factorListOf(db: Queryable, name: string): Promise<z.output<typeof factorList>> {
  const totp = await findTotp(db, name);
  const passkeys = (await passkeysOf(db, name)).map(({ credential_id, label, created_at, last_used_at }) => ({
    credential_id,
    label,
    created_at: isoTime(created_at),
    last_used_at: isoOrNull(last_used_at),
  }));
  return { totp: (totp?.confirmed_at ?? null) !== null, passkeys };
}

/** For how long after signing in a person may add a first second factor (ms). */
const recentMs = 10 * 60_000;

/**
 * A person with a second factor must have proved it before they add or remove one. A person without one must have
 * signed in recently before they add it. So a stolen session alone changes none. Throws `STEP_UP_NEEDED` or
 * `SIGN_IN_NEEDED`.
 */
export async function requireFactorsChangeable(request: SessionRequest): Promise<string> {
  const { user, session } = requireSignedIn(request);
  const { db, clock } = request.deps.session;
  if ((await factorsOf(db, user.name)).length > 0) await requireStepUp({ db, clock }, session, changingFactors);
  else if (clock.now() - (session.signed_in_at ?? 0) >= recentMs) throw signInNeeded();
  return user.name;
}

const listFactors = defineSessionRoute({
  method: 'GET',
  path: '/factors',
  name: 'list-factors',
  description: "The person's own second factors.",
  input: noInput,
  result: factorList,
  isForSignedIn: false,
  run: (request) => factorListOf(request.deps.session.db, requireSignedIn(request).user.name),
});

const addTotp = defineSessionRoute({
  method: 'POST',
  path: '/factors/totp',
  name: 'add-totp',
  description: 'Makes a secret for an app that shows codes. It counts once a code confirms it.',
  input: noInput,
  result: z.strictObject({ secret: z.string(), uri: z.string() }),
  isForSignedIn: true,
  async run(request) {
    const name = await requireFactorsChangeable(request);
    const made = await newTotp(request.deps.session, name);
    if (made !== null) return made;
    throw new Refused('REQUEST_INVALID', 'There is an app with codes already.', {
      reason: refusal('APP_EXISTS', {}),
      hint: 'Remove it first.',
    });
  },
});

const confirm = defineSessionRoute({
  method: 'POST',
  path: '/factors/totp/confirm',
  name: 'confirm-totp',
  description: 'Confirms the secret with a code of the app.',
  input: z.strictObject({ code }),
  result: factorList,
  isForSignedIn: true,
  async run(request, { code }) {
    const { session } = request.deps;
    const name = await requireFactorsChangeable(request);
    // Another session of the person may propose another secret at any moment: the code confirms only the one it is of.
    const proposed = await findTotp(session.db, name);
    if (!(await tryCode(session, { name, code, isNew: true })) || proposed === null) throw codeRefused();
    await changeAccess({ ...session, person: name, through: 'console' }, async ({ tx, at, note }) => {
      if (!(await confirmTotp(tx, proposed, at))) throw codeRefused();
      await note('factor.add', { kind: 'totp' });
    });
    return factorListOf(session.db, name);
  },
});

const removeFactor = defineSessionRoute({
  method: 'POST',
  path: '/factors/remove',
  name: 'remove-factor',
  description: 'Removes a passkey, or (without its id) the app with codes.',
  input: z.strictObject({ credential_id: z.string().optional() }),
  result: factorList,
  isForSignedIn: true,
  async run(request, { credential_id }) {
    const { session } = request.deps;
    const name = await requireFactorsChangeable(request);
    await changeAccess({ ...session, person: name, through: 'console' }, async ({ tx, note }) => {
      const removed =
        credential_id === undefined ? await deleteTotp(tx, name) : await deletePasskey(tx, name, credential_id);
      if (removed) await note('factor.remove', { kind: credential_id === undefined ? 'totp' : 'passkey' });
    });
    return factorListOf(session.db, name);
  },
});

/** `csrf_token`: of the session's new token. */
export const stepUpResult = z.strictObject({ purpose: z.string(), until: z.string(), csrf_token: z.string() });

const stepUpByCode = defineSessionRoute({
  method: 'POST',
  path: '/step-up',
  name: 'step-up',
  description: 'Proves the second factor by a code, for the purpose that the problem STEP_UP_NEEDED names.',
  input: z.strictObject({ purpose: z.string().min(1).max(200), code }),
  result: stepUpResult,
  isForSignedIn: true,
  async run(request, { purpose, code }) {
    const { session } = request.deps;
    const { user } = requireSignedIn(request);
    if (!(await tryCode(session, { name: user.name, code, isNew: false }))) throw codeRefused();
    return proved(request, purpose);
  },
});

/**
 * Records that the session has proved its second factor for the purpose. The session gets a new token, so that one that
 * somebody stole before is worth nothing afterwards. Throws `SIGN_IN_NEEDED` if it got one meanwhile, or has ended.
 */
export async function proved(request: SessionRequest, purpose: string): Promise<z.output<typeof stepUpResult>> {
  const { db, clock, random } = request.deps.session;
  const { session } = requireSignedIn(request);
  const at = clock.now();
  const token = random.hex(32);
  await db.transact(async (tx) => {
    if (!(await renewToken(tx, session, sha256(token)))) throw signInNeeded();
    await noteStepUp(tx, { sessionId: session.session_id, purpose, at });
  });
  request.setToken(token);
  return { purpose, until: isoTime(at + stepUpMsMax), csrf_token: csrfTokenOf(token) };
}

function codeRefused(): Refused {
  return new Refused('CODE_REFUSED', 'The code is wrong, or was used before.', {
    hint: 'Wait for the next code of the app, and check the clock of the telephone.',
  });
}

export const factorRoutes = [listFactors, addTotp, confirm, removeFactor, stepUpByCode];

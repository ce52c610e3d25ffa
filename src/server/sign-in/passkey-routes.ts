import { z } from 'zod';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { insertPasskey } from '../../ledger/access/second-factors.ts';
import { findUser } from '../../ledger/access/users.ts';
import { Refused } from '../base/problem.ts';
import { factorList, factorListOf, proved, requireFactorsChangeable, stepUpResult } from './factor-routes.ts';
import { credential, credentialOptions, madePasskey, passkeyToMake, passkeyToUse, usedPasskey } from './passkeys.ts';
import {
  defineSessionRoute,
  noInput,
  requireSignedIn,
  sessionView,
  signInFailed,
  signInNeeded,
} from './session-route.ts';
import { beginSession } from './sessions.ts';
import { finish } from './sign-in-routes.ts';
import { fromAddress, tryAt } from './throttle.ts';

const signingIn = 'sign-in';
const purpose = z.string().min(1).max(200);

const signInOptions = defineSessionRoute({
  method: 'POST',
  path: '/passkey/options',
  name: 'sign-in-options',
  description: 'What the browser needs to sign in with a passkey: after the password, or instead of it.',
  input: noInput,
  result: credentialOptions,
  isForSignedIn: false,
  async run({ deps, address, known, setToken }) {
    if (known?.user && known.session.signed_in_at === null)
      return passkeyToUse(deps, known.session.session_id, { name: known.user.name, purpose: signingIn });
    await tryAt(deps.session, fromAddress(address));
    const { token, session_id } = await beginSession(deps.session, null, {
      address,
      earlier: known?.session ?? null,
    });
    setToken(token);
    return passkeyToUse(deps, session_id, { name: null, purpose: signingIn });
  },
});

const signInByPasskey = defineSessionRoute({
  method: 'POST',
  path: '/passkey',
  name: 'sign-in-by-passkey',
  description: 'Signs in with a passkey.',
  input: z.strictObject({ credential }),
  result: sessionView,
  isForSignedIn: false,
  async run(request, { credential: answer }) {
    const { deps, known } = request;
    if (known === null || known.session.signed_in_at !== null) throw signInNeeded();
    const name = await usedPasskey(deps, known.session, { answer, purpose: signingIn });
    const user = name === null ? null : await findUser(deps.session.db, name);
    if (user === null || user.disabled_at !== null) throw signInFailed(request);
    return finish(request, user, 'passkey');
  },
});

const addOptions = defineSessionRoute({
  method: 'POST',
  path: '/factors/passkey/options',
  name: 'add-passkey-options',
  description: 'What the browser needs to make a passkey.',
  input: noInput,
  result: credentialOptions,
  isForSignedIn: true,
  async run(request) {
    await requireFactorsChangeable(request);
    const { session, user } = requireSignedIn(request);
    return passkeyToMake(request.deps, session, user);
  },
});

const add = defineSessionRoute({
  method: 'POST',
  path: '/factors/passkey',
  name: 'add-passkey',
  description: 'Stores the passkey that the browser has made.',
  input: z.strictObject({ label: z.string().trim().min(1).max(60), credential }),
  result: factorList,
  isForSignedIn: true,
  async run(request, { label, credential: made }) {
    const name = await requireFactorsChangeable(request);
    const passkey = await madePasskey(request.deps, requireSignedIn(request).session, made);
    if (passkey === null) throw passkeyRefused();
    await changeAccess({ ...request.deps.session, person: name, through: 'console' }, async ({ tx, at, note }) => {
      if (!(await insertPasskey(tx, { ...passkey, name, label, created_at: at }))) throw passkeyRefused();
      await note('factor.add', { kind: 'passkey' });
    });
    return factorListOf(request.deps.session.db, name);
  },
});

const stepUpOptions = defineSessionRoute({
  method: 'POST',
  path: '/step-up/passkey/options',
  name: 'step-up-options',
  description: 'What the browser needs to prove a passkey for a purpose.',
  input: z.strictObject({ purpose }),
  result: credentialOptions,
  isForSignedIn: true,
  async run(request, { purpose }) {
    const { session, user } = requireSignedIn(request);
    return passkeyToUse(request.deps, session.session_id, { name: user.name, purpose: `step-up ${purpose}` });
  },
});

const stepUpByPasskey = defineSessionRoute({
  method: 'POST',
  path: '/step-up/passkey',
  name: 'step-up-by-passkey',
  description: 'Proves a passkey for a purpose.',
  input: z.strictObject({ purpose, credential }),
  result: stepUpResult,
  isForSignedIn: true,
  async run(request, { purpose, credential: answer }) {
    const { session } = requireSignedIn(request);
    const name = await usedPasskey(request.deps, session, { answer, purpose: `step-up ${purpose}` });
    if (name === null) throw passkeyRefused();
    return proved(request, purpose);
  },
});

function passkeyRefused(): Refused {
  return new Refused('CODE_REFUSED', 'The passkey does not answer what was asked.', { hint: 'Try again.' });
}

export const passkeyRoutes = [signInOptions, signInByPasskey, addOptions, add, stepUpOptions, stepUpByPasskey];

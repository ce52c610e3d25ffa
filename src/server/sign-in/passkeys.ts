import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { findPasskey, notePasskeyUse, type Passkey, passkeysOf } from '../../ledger/access/second-factors.ts';
import { setChallenge, type UserSession, useChallenge } from '../../ledger/access/user-sessions.ts';
import type { User } from '../../ledger/access/users.ts';
import type { SignInDeps } from './sessions.ts';

/** The library is loaded at the first passkey: it is the largest part of what a server would load at its start. */
const library = () => import('@simplewebauthn/server');

/** How long a browser may take to answer a challenge (ms). */
const challengeMsMax = 5 * 60_000;

/** The COSE numbers of EdDSA, ES256 and RS256, which authenticators use. */
const supportedAlgorithmIDs = [-8, -7, -257];

/** The answer of a browser's `navigator.credentials`. The library checks it. */
export const credential = z.looseObject({
  id: z.string().max(1_400),
  rawId: z.string().max(1_400),
  response: z.looseObject({}),
  type: z.literal('public-key'),
  clientExtensionResults: z.looseObject({}),
});
type Credential = z.output<typeof credential>;

/** The options for a browser's `navigator.credentials`. */
export const credentialOptions = z.looseObject({ challenge: z.string() });

/** What a browser needs to make a passkey for the person. */
export async function passkeyToMake({ session, publicUrl }: SignInDeps, { session_id }: UserSession, user: User) {
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpName: 'airbatch',
    rpID: publicUrl().hostname,
    userName: user.name,
    userDisplayName: user.display_name,
    excludeCredentials: await listed(session.db, user.name),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    supportedAlgorithmIDs,
  });
  const at = session.clock.now();
  await setChallenge(session.db, session_id, { challenge: options.challenge, purpose: 'register', at });
  return { ...options };
}

/** The passkey that a browser has made; null if it does not answer the challenge of this session. */
export async function madePasskey(deps: SignInDeps, session: UserSession, made: Credential) {
  const challenge = await answeredChallenge(deps, session, 'register');
  if (challenge === null) return null;
  const { verifyRegistrationResponse } = await library();
  const { registrationInfo } = await verifyRegistrationResponse({
    response: made as unknown as RegistrationResponseJSON,
    supportedAlgorithmIDs,
    ...expected(deps, challenge),
  }).catch(() => ({ registrationInfo: undefined }));
  if (registrationInfo === undefined) return null;
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  return {
    credential_id: id,
    public_key: Buffer.from(publicKey).toString('base64url'),
    counter,
    transports: transports.join(','),
  };
}

/**
 * What a browser needs to answer with a passkey. `name`: the person whose passkey it is; null: anybody's. `purpose`:
 * what the answer is for.
 */
export async function passkeyToUse(
  { session: { db, clock }, publicUrl }: SignInDeps,
  session_id: string,
  { name, purpose }: { name: string | null; purpose: string },
) {
  const { generateAuthenticationOptions } = await library();
  const options = await generateAuthenticationOptions({
    rpID: publicUrl().hostname,
    allowCredentials: name === null ? [] : await listed(db, name),
    userVerification: 'required',
  });
  await setChallenge(db, session_id, { challenge: options.challenge, purpose, at: clock.now() });
  return { ...options };
}

/** The person whose passkey has answered the challenge of this session for this purpose; null if none has. */
export async function usedPasskey(
  deps: SignInDeps,
  session: UserSession,
  { answer, purpose }: { answer: Credential; purpose: string },
): Promise<string | null> {
  const { db, clock } = deps.session;
  const challenge = await answeredChallenge(deps, session, purpose);
  const passkey = await findPasskey(db, answer.id);
  if (challenge === null || passkey === null) return null;
  if (session.name !== null && session.name !== passkey.name) return null;
  const { verifyAuthenticationResponse } = await library();
  const verified = await verifyAuthenticationResponse({
    response: answer as unknown as AuthenticationResponseJSON,
    credential: credentialOf(passkey),
    ...expected(deps, challenge),
  }).catch(() => ({ verified: false, authenticationInfo: undefined }));
  if (!verified.verified || verified.authenticationInfo === undefined) return null;
  await notePasskeyUse(db, passkey.credential_id, verified.authenticationInfo.newCounter, clock.now());
  return passkey.name;
}

/** The challenge that the session waits for, which is then used up; null if it is for something else, or too old. */
async function answeredChallenge(
  { session: { db, clock } }: SignInDeps,
  { session_id, challenge, challenge_for, challenge_at }: UserSession,
  purpose: string,
): Promise<string | null> {
  if (challenge === null || challenge_at === null || !(await useChallenge(db, session_id, challenge))) return null;
  return challenge_for === purpose && clock.now() - challenge_at < challengeMsMax ? challenge : null;
}

function expected({ publicUrl }: SignInDeps, expectedChallenge: string) {
  const { origin, hostname } = publicUrl();
  return { expectedChallenge, expectedOrigin: origin, expectedRPID: hostname, requireUserVerification: true };
}

function credentialOf({ credential_id, public_key, counter, transports }: Passkey) {
  const publicKey = new Uint8Array(Buffer.from(public_key, 'base64url'));
  return { id: credential_id, publicKey, counter, transports: transports.split(',') };
}

async function listed(db: SignInDeps['session']['db'], name: string) {
  return (await passkeysOf(db, name)).map(({ credential_id, transports }) => ({
    id: credential_id,
    transports: transports === '' ? [] : transports.split(','),
  }));
}

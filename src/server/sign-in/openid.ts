import type { Configuration } from 'openid-client';
import { sha256 } from '../../core/identity/ids.ts';
import { setChallenge, type UserSession, useChallenge } from '../../ledger/access/user-sessions.ts';
import { findUser, findUserByEmail, type User } from '../../ledger/access/users.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import type { OpenId } from '../../runtime/settings/console-config.ts';
import { type Beginning, beginSession, type SignInDeps } from './sessions.ts';

/** The library is loaded at the first sign-in: few installations have a provider. */
const library = () => import('openid-client');

const purpose = 'openid';
/** How long the provider may take to answer (s). */
const timeoutSeconds = 10;

/** The values of one sign-in, derived from the token in the cookie, so that none must be stored. */
const nonceOf = (token: string) => sha256(`openid nonce ${token}`);
const verifierOf = (token: string) => sha256(`openid verifier ${token}`);

function redirectUri({ publicUrl }: SignInDeps): URL {
  return new URL('/sign-in/openid', publicUrl());
}

/** The provider's own description. It is read each time, because keys and addresses may change. */
async function providerOf({ issuer, clientId, clientSecret }: OpenId): Promise<Configuration> {
  const { allowInsecureRequests, discovery } = await library();
  // The configuration allows http only for this machine.
  const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : [];
  return discovery(new URL(issuer), clientId, clientSecret.value, undefined, { execute, timeout: timeoutSeconds });
}

/** Begins a session. Returns its token, and the address at which the browser signs in at the provider. */
export async function leaveForProvider(
  deps: SignInDeps,
  openid: OpenId,
  beginning: Beginning,
): Promise<{ token: string; url: URL }> {
  const { db, clock, random } = deps.session;
  const state = random.hex(16);
  const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library();
  // Before the session begins: if the provider cannot be reached, the browser keeps its earlier session.
  const provider = await providerOf(openid);
  const { token, session_id } = await beginSession(deps.session, null, beginning);
  const url = buildAuthorizationUrl(provider, {
    redirect_uri: redirectUri(deps).href,
    scope: 'openid email profile',
    state,
    nonce: nonceOf(token),
    code_challenge: await calculatePKCECodeChallenge(verifierOf(token)),
    code_challenge_method: 'S256',
  });
  await setChallenge(db, session_id, { challenge: state, purpose, at: clock.now() });
  return { token, url };
}

/** The person that the provider has sent back with this query; null if unknown here, or not of this session. */
export async function personSentBack(
  deps: SignInDeps,
  openid: OpenId,
  { session, token, query }: { session: UserSession; token: string; query: string },
): Promise<User | null> {
  const { db } = deps.session;
  const { challenge, challenge_for, session_id } = session;
  if (challenge === null || challenge_for !== purpose || !(await useChallenge(db, session_id, challenge))) return null;
  const url = redirectUri(deps);
  url.search = query;
  const { authorizationCodeGrant } = await library();
  const tokens = await authorizationCodeGrant(await providerOf(openid), url, {
    expectedState: challenge,
    expectedNonce: nonceOf(token),
    pkceCodeVerifier: verifierOf(token),
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  return claims === undefined ? null : personOf(db, openid.claim, claims);
}

/** An e-mail address counts only if the provider has verified it: otherwise anybody could enter somebody else's. */
async function personOf(db: Queryable, claim: string, claims: object): Promise<User | null> {
  const { email_verified, [claim]: value } = claims as Record<string, unknown>;
  if (typeof value !== 'string') return null;
  if (claim !== 'email') return findUser(db, value);
  return email_verified === true ? findUserByEmail(db, value.toLowerCase()) : null;
}

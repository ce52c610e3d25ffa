import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { csrfTokenNow, setCsrfToken } from './client.ts';
import { ApiProblem, problemOf, Unreachable } from './problem.ts';
import { keepSession, type Session } from './session.ts';

export type Factor = 'totp' | 'passkey';

/** What follows the password for a person with second factors. A session has `factors`, too, and no `next`. */
interface SecondStep {
  next: Factor;
  factors: Factor[];
}

/**
 * A request of sign-in or of a second factor. It opens no dialog, because the dialogs themselves send it. Throws
 * `ApiProblem` and `Unreachable`.
 */
async function ask<Data>(path: string, body: object = {}): Promise<Data> {
  const headers = { 'content-type': 'application/json', 'x-csrf-token': csrfTokenNow() ?? '' };
  return answerTo(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function answerTo<Data>(path: string, init: RequestInit): Promise<Data> {
  const response = await fetch(`/api/v1/session${path}`, init).catch(() => null);
  if (response === null) throw new Unreachable();
  if (!response.ok) throw new ApiProblem(await problemOf(response));
  return (await response.json()) as Data;
}

const signedIn = async (path: string, body: object): Promise<Session> => keepSession(await ask<Session>(path, body));

/** Signs in with a password. Returns the session, or the second factors that the person may use next. */
export async function signIn(name: string, password: string): Promise<Session | SecondStep> {
  const answer = await ask<Session | SecondStep>('', { name, password });
  return 'next' in answer ? answer : keepSession(answer);
}

export const signInByCode = (code: string) => signedIn('/totp', { code });
export const showLink = (token: string) =>
  ask<{ name: string | null; display_name: string | null }>('/link/show', { token });
export const redeemLink = (body: { token: string; password: string; name?: string; language: string }) =>
  signedIn('/link', body);
export const providerUrl = async () => (await ask<{ url: string }>('/openid')).url;
export const returnFromProvider = (query: string) => signedIn('/openid/return', { query });
export const changePassword = (current: string, password: string) => signedIn('/password', { current, password });
/** Proves a second factor. The session then has a new token. */
async function prove(path: string, body: object): Promise<void> {
  const { csrf_token } = await ask<{ csrf_token: string }>(path, body);
  setCsrfToken(csrf_token);
}

export const stepUpByCode = (purpose: string, code: string) => prove('/step-up', { purpose, code });

/** The session of somebody who has signed in meanwhile, in another window. */
export const findNewSession = async () => keepSession(await answerTo<Session>('', {}));

/** Signs in with a passkey: after the password, or instead of it. */
export async function signInByPasskey(): Promise<Session> {
  const options = await ask<PublicKeyCredentialRequestOptionsJSON>('/passkey/options');
  return signedIn('/passkey', { credential: await answerOf(options) });
}

export async function stepUpByPasskey(purpose: string): Promise<void> {
  const options = await ask<PublicKeyCredentialRequestOptionsJSON>('/step-up/passkey/options', { purpose });
  await prove('/step-up/passkey', { purpose, credential: await answerOf(options) });
}

/** Makes a passkey in the browser. Returns it for `add-passkey`. */
export async function newPasskey(options: PublicKeyCredentialCreationOptionsJSON) {
  const { startRegistration } = await import('@simplewebauthn/browser');
  return startRegistration({ optionsJSON: options });
}

async function answerOf(options: PublicKeyCredentialRequestOptionsJSON) {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  return startAuthentication({ optionsJSON: options });
}

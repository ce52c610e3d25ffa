import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Refused } from '../base/problem.ts';
import { csrfTokenOf } from './sessions.ts';

/** The cookie's name. Browsers accept `__Host-` only over TLS, for the whole host, and from that host itself. */
function cookieName({ protocol }: URL): string {
  return protocol === 'https:' ? '__Host-airbatch' : 'airbatch';
}

/** The token in the request's cookie; null if there is none, or more than one. */
export function tokenIn({ cookie }: IncomingHttpHeaders, publicUrl: URL): string | null {
  const name = cookieName(publicUrl);
  const found = (cookie ?? '').split(';').filter((one) => one.trim().startsWith(`${name}=`));
  const [, token = null] = found.length === 1 ? (found[0]?.trim().match(/^[^=]+=([0-9a-f]{64})$/) ?? []) : [];
  return token;
}

/** The header `Set-Cookie` for a token; null removes the cookie. */
export function cookieFor(token: string | null, publicUrl: URL): string {
  const secure = publicUrl.protocol === 'https:' ? '; Secure' : '';
  const value = token === null ? '=; Max-Age=0' : `=${token}`;
  return `${cookieName(publicUrl)}${value}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

/**
 * Throws `CROSS_ORIGIN` for a request that changes something and does not come from a page of this console. Browsers
 * always send `Origin` with such requests.
 */
export function requireOwnOrigin({ origin }: IncomingHttpHeaders, publicUrl: URL): void {
  if (origin !== undefined && ownOrigins(publicUrl).includes(origin)) return;
  throw new Refused('CROSS_ORIGIN', 'The request does not come from a page of this console.', {
    hint: `Open the console at ${publicUrl.origin}.`,
  });
}

/** On this machine, 127.0.0.1 and localhost are the same. */
function ownOrigins({ origin, protocol, port, hostname }: URL): string[] {
  const names = ['localhost', '127.0.0.1'];
  return names.includes(hostname) ? names.map((name) => `${protocol}//${name}${port && `:${port}`}`) : [origin];
}

/** Throws `CROSS_ORIGIN` for a request by cookie without the token that the session's answer has. */
export function requireCsrfToken(headers: IncomingHttpHeaders, token: string): void {
  const expected = Buffer.from(csrfTokenOf(token));
  const sent = Buffer.from(String(headers['x-csrf-token'] ?? ''));
  if (sent.length === expected.length && timingSafeEqual(sent, expected)) return;
  throw new Refused('CROSS_ORIGIN', 'The header X-CSRF-Token is not the one of this session.', {
    hint: 'Read the session again.',
  });
}

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { z } from 'zod';
import { createUser } from '../../../src/operations/access/create-user.ts';
import { resetUser as resetUserOperation } from '../../../src/operations/access/reset-user.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import { api } from '../api/api-fixture.ts';

export const password = 'correct horse battery';

interface Request {
  body?: object;
  headers?: Record<string, string>;
  /** The network address of the sender. */
  ip?: string;
}

/** The console of an installation, and browsers that keep its cookie. */
export async function consoleOf(t: TestContext, options: Parameters<typeof api>[1] = {}) {
  const installation = await api(t, options);
  const { server, session, clock } = installation;
  const origin = new URL(options?.publicUrl ?? 'http://localhost:8788').origin;
  const door = { nameOf: (field: string) => field };
  let requests = 0;

  /** A browser with its own cookies. It sends `Origin`, and the CSRF token that it was given. */
  const browser = () => {
    const jar = { cookie: '', csrf: '' };
    const send = async (
      method: 'GET' | 'POST' | 'DELETE',
      url: string,
      { body, headers = {}, ip = '127.0.0.1' }: Request = {},
    ) => {
      const answer = await server.inject({
        method,
        url,
        remoteAddress: ip,
        headers: {
          'sec-fetch-mode': 'cors',
          ...(method === 'GET' ? {} : { origin, 'x-csrf-token': jar.csrf, 'idempotency-key': `request-${++requests}` }),
          ...(jar.cookie === '' ? {} : { cookie: jar.cookie }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: body }),
      });
      const set = String(answer.headers['set-cookie'] ?? '');
      if (set !== '') jar.cookie = set.includes('Max-Age=0') ? '' : (set.split(';')[0] ?? '');
      const json = answer.json();
      if (json.csrf_token) jar.csrf = json.csrf_token;
      return { status: answer.statusCode, headers: answer.headers, body: json };
    };
    const signIn = (name: string, secret = password, more: Omit<Request, 'body'> = {}) =>
      send('POST', '/api/v1/session', { body: { name, password: secret }, ...more });
    /** An app that shows codes, enrolled for the person who is signed in. */
    const enrol = async () => confirmTotp((await send('POST', '/api/v1/session/factors/totp')).body.secret);
    const confirmTotp = async (secret: string) => {
      const totp = new TOTP({ secret: Secret.fromBase32(secret) });
      const codeNow = () => totp.generate({ timestamp: clock.now() });
      const confirmed = await send('POST', '/api/v1/session/factors/totp/confirm', { body: { code: codeNow() } });
      assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
      /** Each code counts once: the next one comes in the next period. */
      return () => {
        clock.setWall(clock.now() + 30_000);
        return codeNow();
      };
    };
    return { jar, send, signIn, enrol, confirmTotp };
  };

  const addUser = (name: string, more: Partial<z.input<typeof createUser.input>> = {}) =>
    performIn(session, createUser, door, { name, display_name: name, roles: ['prepare'], ...more });
  const resetUser = (name: string) => performIn(session, resetUserOperation, door, { name });
  /** A person who has used the link, in a browser. */
  const person = async (name: string, more: Partial<z.input<typeof createUser.input>> = {}) => {
    const { link } = await addUser(name, more);
    const own = browser();
    const { status, body } = await own.send('POST', '/api/v1/session/link', { body: { token: link.token, password } });
    assert.equal(status, 200, JSON.stringify(body));
    return own;
  };
  return { ...installation, origin, browser, addUser, resetUser, person };
}

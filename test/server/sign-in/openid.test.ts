import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { httpServer } from '../../support/http-server.ts';
import { consoleOf } from './browser.ts';

/** An identity provider that signs in whoever `claims` says, and refuses what a real one would. */
async function makeProvider(t: TestContext) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const claims: Record<string, unknown> = { email: 'amina@example.org', email_verified: true };
  /** The secret by which the provider knows the console. */
  const secret = { value: 'secret' };
  const outage = { isNow: false };
  /** By code: what the browser came with. */
  const issued = new Map<string, URLSearchParams>();
  const { url: issuer } = await httpServer(t, (request, body, response) => {
    const reply = (body: object, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const { pathname } = new URL(request.url ?? '', issuer);
    if (outage.isNow) return reply({}, 503);
    if (pathname === '/.well-known/openid-configuration')
      return reply({
        ...{ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
        ...{ jwks_uri: `${issuer}/keys`, response_types_supported: ['code'], subject_types_supported: ['public'] },
        ...{ id_token_signing_alg_values_supported: ['RS256'], code_challenge_methods_supported: ['S256'] },
      });
    if (pathname === '/keys')
      return reply({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: '1', alg: 'RS256' }] });
    const form = new URLSearchParams(body.toString());
    const asked = issued.get(form.get('code') ?? '');
    if (form.get('client_secret') !== secret.value) return reply({ error: 'invalid_client' }, 401);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (asked === undefined || asked.get('code_challenge') !== challenge) return reply({ error: 'invalid_grant' }, 400);
    const now = Math.floor(Date.now() / 1_000);
    const payload = {
      iss: issuer,
      aud: 'airbatch',
      sub: '1',
      iat: now,
      exp: now + 60,
      nonce: asked.get('nonce'),
      ...claims,
    };
    const parts = [{ alg: 'RS256', kid: '1' }, payload].map((one) =>
      Buffer.from(JSON.stringify(one)).toString('base64url'),
    );
    const signature = sign('sha256', Buffer.from(parts.join('.')), privateKey).toString('base64url');
    return reply({ access_token: 'x', token_type: 'bearer', id_token: `${parts.join('.')}.${signature}` });
  });
  /** The person signs in there; returns the query with which the browser comes back. */
  const visit = (url: string) => {
    const { searchParams } = new URL(url);
    const code = `code-${issued.size}`;
    issued.set(code, searchParams);
    return { query: `?code=${code}&state=${searchParams.get('state')}`, asked: searchParams };
  };
  return { issuer, claims, secret, outage, visit };
}

/** A console with that provider, and `amina`, who has an address and no password. */
async function withProvider(t: TestContext, claim = 'email') {
  const provider = await makeProvider(t);
  const clientSecret = { value: provider.secret.value };
  const openid = { issuer: provider.issuer, clientId: 'airbatch', clientSecret, claim, label: 'Example' };
  const installation = await consoleOf(t, { openid });
  await installation.addUser('amina', { email: 'amina@example.org' });
  const leave = async () => {
    const one = installation.browser();
    const { body } = await one.send('POST', '/api/v1/session/openid', { body: {} });
    assert.ok(body.url, JSON.stringify(body));
    return { one, url: body.url as string };
  };
  const back = (one: ReturnType<typeof installation.browser>, query: string) =>
    one.send('POST', '/api/v1/session/openid/return', { body: { query } });
  return { ...installation, provider, clientSecret, leave, back };
}

describe('signing in at an identity provider', () => {
  test('is offered if one is configured', async (t) => {
    const { browser } = await withProvider(t);
    const ways = await browser().send('GET', '/api/v1/session/ways');
    assert.deepEqual(ways.body, { openid: { label: 'Example' } });
    const none = await consoleOf(t);
    assert.deepEqual((await none.browser().send('GET', '/api/v1/session/ways')).body, { openid: null });
    assert.equal((await none.browser().send('POST', '/api/v1/session/openid', { body: {} })).body.code, 'NOT_FOUND');
  });

  test('recognizes a person by the verified e-mail address, with PKCE, state and nonce', async (t) => {
    const { provider, leave, back } = await withProvider(t);
    const { one, url } = await leave();
    const { query, asked } = provider.visit(url);
    assert.equal(asked.get('redirect_uri'), 'http://localhost:8788/sign-in/openid');
    assert.equal(asked.get('code_challenge_method'), 'S256');
    for (const name of ['state', 'nonce', 'code_challenge']) assert.ok((asked.get(name) ?? '').length >= 32, name);
    const { status, body } = await back(one, query);
    assert.deepEqual([status, body.person], [200, 'amina'], JSON.stringify(body));
    assert.equal((await one.send('GET', '/api/v1/session')).body.person, 'amina');
  });

  test('ends the session that the browser had, once the provider answers', async (t) => {
    const { provider, leave, back } = await withProvider(t);
    const { one, url } = await leave();
    await back(one, provider.visit(url).query);
    const { cookie } = one.jar;
    const again = () => one.send('POST', '/api/v1/session/openid', { body: {} });
    provider.outage.isNow = true;
    assert.equal((await again()).body.code, 'PROVIDER_UNREACHABLE');
    assert.equal((await one.send('GET', '/api/v1/session')).status, 200);
    provider.outage.isNow = false;
    assert.equal((await again()).status, 200);
    one.jar.cookie = cookie;
    assert.equal((await one.send('GET', '/api/v1/session')).status, 401);
  });

  test('signs in as many people from one address as work there', async (t) => {
    const { provider, leave, back } = await withProvider(t);
    for (let person = 0; person < 40; person += 1) {
      const { one, url } = await leave();
      assert.equal((await back(one, provider.visit(url).query)).status, 200, `number ${person}`);
    }
  });

  test('follows a secret of the client that is replaced', async (t) => {
    const { provider, clientSecret, leave, back } = await withProvider(t);
    provider.secret.value = 'fresh-secret';
    const refused = await leave();
    assert.equal((await back(refused.one, provider.visit(refused.url).query)).body.code, 'SIGN_IN_REFUSED');
    clientSecret.value = 'fresh-secret';
    const { one, url } = await leave();
    assert.equal((await back(one, provider.visit(url).query)).body.person, 'amina');
  });

  test('recognizes a person by another claim if that is configured', async (t) => {
    const { provider, leave, back } = await withProvider(t, 'preferred_username');
    provider.claims.preferred_username = 'amina';
    provider.claims.email = 'other@example.org';
    const { one, url } = await leave();
    assert.equal((await back(one, provider.visit(url).query)).body.person, 'amina');
  });

  for (const [what, claims] of [
    ['an address that is not verified', { email_verified: false }],
    ['an address of nobody here', { email: 'bela@example.org' }],
    ['no address', { email: undefined }],
    ['a token of another provider', { iss: 'https://evil.example' }],
    ['a token for another program', { aud: 'other' }],
    ['a token of another sign-in', { nonce: 'x' }],
    ['a token that has expired', { exp: 1 }],
  ] as const)
    test(`refuses ${what}`, async (t) => {
      const { provider, leave, back } = await withProvider(t);
      Object.assign(provider.claims, claims);
      const { one, url } = await leave();
      assert.equal((await back(one, provider.visit(url).query)).body.code, 'SIGN_IN_REFUSED');
      assert.equal((await one.send('GET', '/api/v1/session')).status, 401);
    });

  test('refuses another browser, another state, and a second use', async (t) => {
    const { provider, leave, back, browser } = await withProvider(t);
    const attacker = await leave();
    const { query } = provider.visit(attacker.url);
    const victim = await leave();
    assert.equal((await back(victim.one, query)).body.code, 'SIGN_IN_REFUSED', "a sign-in of the attacker's");
    assert.equal((await back(browser(), query)).body.code, 'SIGN_IN_NEEDED', 'a browser that asked for nothing');
    const forged = query.replace(/state=.*/, 'state=0');
    assert.equal((await back(attacker.one, forged)).body.code, 'SIGN_IN_REFUSED');
    assert.equal((await back(attacker.one, query)).body.code, 'SIGN_IN_REFUSED', 'each sign-in is answered once');
  });

  test('refuses a disabled person', async (t) => {
    const { db, provider, leave, back } = await withProvider(t);
    await db.execute('UPDATE users SET disabled_at = 1');
    const { one, url } = await leave();
    assert.equal((await back(one, provider.visit(url).query)).body.code, 'SIGN_IN_REFUSED');
  });

  test('says so if the provider does not answer', async (t) => {
    const openid = {
      issuer: 'http://127.0.0.1:1',
      clientId: 'x',
      clientSecret: { value: 'x' },
      claim: 'email',
      label: 'x',
    };
    const { browser } = await consoleOf(t, { openid });
    const { status, body } = await browser().send('POST', '/api/v1/session/openid', { body: {} });
    assert.deepEqual([status, body.code], [502, 'PROVIDER_UNREACHABLE']);
  });
});

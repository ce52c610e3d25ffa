import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { isPrivateAddress } from '../../../src/notify/post.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';
import { consoleOf } from '../sign-in/browser.ts';

const scripts = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "javascript:alert('x')",
  '</title><svg onload=alert(1)>',
  '{{constructor.constructor("alert(1)")()}}',
];

describe('an attacker', () => {
  test('does not escape the throttle by an address in a header', async (t) => {
    const { browser } = await consoleOf(t);
    const codes = new Set<string>();
    for (let count = 0; count < 40; count += 1) {
      const headers = {
        'x-forwarded-for': `10.0.0.${count}`,
        'x-real-ip': `10.0.0.${count}`,
        forwarded: 'for=10.1.1.1',
      };
      codes.add((await browser().signIn(`nobody-${count}`, 'wrong wrong wrong', { headers })).body.code);
    }
    assert.deepEqual([...codes], ['SIGN_IN_REFUSED', 'SIGN_IN_THROTTLED']);
  });

  test('gets no page out of a field: every answer is JSON that no browser guesses about', async (t) => {
    const { person, server } = await consoleOf(t);
    const { send, jar, enrol } = await person('amina', { roles: ['admin', 'prepare', 'approve', 'operate', 'audit'] });
    const nextCode = await enrol();
    for (const purpose of ['create-user', 'create-webhook'])
      await send('POST', '/api/v1/session/step-up', { body: { purpose, code: nextCode() } });
    const texts = [...scripts, ...hostileTexts.map(({ text }) => text)];
    for (const text of texts) {
      const answers = [
        await send('POST', '/api/v1/batches/B-default/pause', { body: { why: text } }),
        await send('POST', '/api/v1/users', { body: { name: text, display_name: text, roles: ['audit'] } }),
        await send('POST', '/api/v1/webhooks', {
          body: { url: `https://example.org/${encodeURIComponent(text.toWellFormed())}` },
        }),
        await send('POST', '/api/v1/webhooks', { body: { url: text } }),
        await send('GET', `/api/v1/batches/${encodeURIComponent(text.toWellFormed())}`),
        await send('GET', `/api/v1/jobs/${encodeURIComponent(text.toWellFormed())}`),
        await send('POST', `/api/v1/jobs/${encodeURIComponent(text.toWellFormed())}/run`, { body: {} }),
        await send('GET', '/api/v1/webhooks'),
      ];
      for (const { headers } of answers) {
        assert.match(String(headers['content-type']), /^application\/(problem\+)?json/);
        assert.equal(headers['x-content-type-options'], 'nosniff');
      }
    }
    const bad = await server.inject({ url: '/api/v1/%ff<script>', headers: { cookie: jar.cookie } });
    assert.doesNotMatch(bad.body, /<script>/);
  });

  test('reads no file beside the reports or the console', async (t) => {
    const { person, session, server } = await consoleOf(t);
    const { send, jar } = await person('amina', { roles: ['prepare', 'operate'] });
    const secret = 'canary of a key';
    const folder = dirname(session.ledgerPath);
    mkdirSync(join(folder, 'reports', 'default'), { recursive: true });
    for (const name of ['signing-key.pem', 'secrets.key', 'ledger.db']) writeFileSync(join(folder, name), secret);
    const names = [
      '..%2f..%2fsigning-key.pem',
      '%2e%2e%2fsecrets.key',
      '..%5csecrets.key',
      '%2fetc%2fpasswd',
      '..',
      '.',
    ];
    for (const name of names) {
      const { status } = await send('GET', `/api/v1/batches/B-default/report-files/${name}`);
      assert.ok([400, 404].includes(status), `${name}: ${status}`);
      for (const url of [`/assets/${name}`, `/${name}`, `/assets/../${name}`, `/api/v1/drafts/D-other/file/${name}`]) {
        const answer = await server.inject({ url, headers: { cookie: jar.cookie } });
        assert.ok(!answer.body.includes(secret) && !answer.body.includes('root:'), url);
      }
    }
  });

  test('sends no webhook to this machine or its network', async (t) => {
    const { person, session } = await consoleOf(t);
    const { send, enrol } = await person('amina', { roles: ['admin'] });
    const nextCode = await enrol();
    for (const purpose of ['create-webhook', 'change-webhook'])
      await send('POST', '/api/v1/session/step-up', { body: { purpose, code: nextCode() } });
    const create = async (url: string) => (await send('POST', '/api/v1/webhooks', { body: { url } })).body;
    for (const url of [
      'http://127.0.0.1:9200/',
      'https://localhost/',
      'https://2130706433/',
      'https://[::1]/',
      'https://0x7f.1/',
    ])
      assert.match((await create(url)).detail, /names the machine of airbatch/, url);
    const { endpoint_id } = await create('https://example.org/');
    const changed = await send('POST', `/api/v1/webhooks/${endpoint_id}/change`, {
      body: { url: 'https://127.0.0.1/' },
    });
    assert.equal(changed.status, 400);
    Object.assign(session.config.webhooks, { allowPrivateAddresses: true });
    assert.match((await create('http://127.0.0.1:9200/')).endpoint_id, /^we_/);
    const inside = [
      '10.0.0.1',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '::ffff:10.0.0.1',
      '::127.0.0.1',
      'fec0::1',
    ];
    for (const address of [...inside, '2002:a00:1::', '2001:0:a:b::1', '64:ff9b:1::a00:1', 'fd00::1'])
      assert.equal(isPrivateAddress(address), true, address);
    for (const address of ['8.8.8.8', '2606:4700::1111', '2001:4860:4860::8888'])
      assert.equal(isPrivateAddress(address), false, address);
  });

  test('gains nothing by a second cookie, a token in the query, or another method in a header', async (t) => {
    const { person, server, browser } = await consoleOf(t);
    const { jar, send } = await person('amina', { roles: ['operate'] });
    const headers = { 'sec-fetch-mode': 'cors', cookie: `${jar.cookie}; ${jar.cookie}` };
    assert.equal((await server.inject({ url: '/api/v1/session', headers })).statusCode, 401);
    const query = `?airbatch=${jar.cookie.split('=')[1]}&authorization=x`;
    assert.equal((await browser().send('GET', `/api/v1/session${query}`)).status, 401);
    const override = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' };
    await send('GET', '/api/v1/session', { headers: override });
    assert.equal((await send('GET', '/api/v1/session')).status, 200, 'nobody was signed out');
    // A key that is sent with the cookie decides alone.
    const mixed = { cookie: jar.cookie, authorization: 'Bearer x' };
    assert.equal((await server.inject({ url: '/api/v1/batches', headers: mixed })).json().code, 'KEY_REFUSED');
  });

  test('meets no error of the program by lists in lists, which no function can follow to their end', async (t) => {
    const { server, origin, admin, logged } = await consoleOf(t);
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const by = { 'content-type': 'application/json', 'idempotency-key': 'deep' };
    const key = { ...by, authorization: `Bearer ${admin}` };
    const passkey = `{"id":"a","rawId":"a","type":"public-key","clientExtensionResults":{},"response":{"a":${deep}}}`;
    for (const [url, headers, payload] of [
      ['/api/v1/batches/B-default/pause', key, `{"why":${deep}}`],
      ['/api/v1/batches/B-default/pause', key, deep],
      // Nobody is signed in here.
      ['/api/v1/session/passkey', { ...by, origin }, `{"credential":${passkey}}`],
    ] as const) {
      const answer = await server.inject({ method: 'POST', url, headers, payload });
      assert.equal(answer.statusCode, 400, answer.body);
    }
    assert.deepEqual(logged, []);
  });
});

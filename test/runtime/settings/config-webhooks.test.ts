import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { AirbatchError } from '../../../src/core/basics/errors.ts';
import { loadConfig } from '../../../src/runtime/settings/config.ts';
import { folderOf } from '../../support/folder.ts';

function load(t: TestContext, account: object | null, env: Record<string, string> = {}) {
  return loadFile(t, account && { accounts: { main: account } }, env);
}

function loadFile(t: TestContext, config: object | null, env: Record<string, string> = {}) {
  const folder = folderOf(t);
  if (config) writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify(config));
  return loadConfig({ cwd: folder, env });
}

const v2 = { baseUrl: 'https://service.example', apiKeyEnv: 'KEY' };
const env = { KEY: 'key-2', OLD_KEY: 'key-1', HOOK: 'hook-2', OLD_HOOK: 'hook-1' };

describe('the configuration of webhooks', () => {
  test('accepts the API key, and the previous one during a rotation', async (t) => {
    const config = await load(
      t,
      { ...v2, webhooks: { previousApiKeyEnv: 'OLD_KEY', secretEnvs: ['HOOK', 'OLD_HOOK'] } },
      env,
    );
    assert.deepEqual(config.accounts.get('main')?.webhookKeys, {
      callback: ['key-2', 'key-1'],
      registered: ['hook-2', 'hook-1'],
    });
    for (const secret of Object.values(env)) assert.ok(config.secrets.includes(secret), secret);
  });

  test('accepts no registered webhook without a secret', async (t) => {
    const config = await load(t, v2, env);
    assert.deepEqual(config.accounts.get('main')?.webhookKeys, { callback: ['key-2'], registered: [] });
  });

  test('has none for a v1 account, which sends none', async (t) => {
    const v1 = { version: 'v1', baseUrl: 'https://service.example', emailEnv: 'KEY', tokenEnv: 'KEY' };
    const config = await load(t, v1, env);
    assert.deepEqual(config.accounts.get('main')?.webhookKeys, { callback: [], registered: [] });
    await assert.rejects(
      load(t, { ...v1, webhooks: { secretEnvs: ['HOOK'] } }, env),
      /webhooks are not for a v1 account/,
    );
  });

  test('names the variable that is not set', async (t) => {
    await assert.rejects(
      load(t, { ...v2, webhooks: { secretEnvs: ['NOPE'] } }, env),
      /webhooks\.secretEnvs.*NOPE is not set/,
    );
  });

  test('sends callbacks over https, or to this machine', async (t) => {
    for (const callbackUrl of [
      'https://pay.example/hooks',
      'http://127.0.0.1:8080/h',
      'http://localhost/h',
      'http://[::1]/h',
    ]) {
      assert.equal((await load(t, { ...v2, callbackUrl }, env)).accounts.get('main')?.callbackUrl, callbackUrl);
    }
    for (const callbackUrl of [
      'http://pay.example/h',
      'http://127.0.0.1.evil.example/h',
      'ftp://127.0.0.1/h',
      'hooks',
    ]) {
      await assert.rejects(load(t, { ...v2, callbackUrl }, env), /callbackUrl/, callbackUrl);
    }
  });

  test('can come from the environment alone', async (t) => {
    const account = { AIRBATCH_BASE_URL: 'https://service.example', AIRBATCH_API_KEY: 'key' };
    const hooks = { AIRBATCH_CALLBACK_URL: 'https://pay.example/h', AIRBATCH_WEBHOOK_SECRET: 'hook' };
    const found = (await load(t, null, { ...account, ...hooks })).accounts.get('default');
    assert.deepEqual(found?.webhookKeys, { callback: ['key'], registered: ['hook'] });
    assert.equal(found?.callbackUrl, 'https://pay.example/h');
    await assert.rejects(
      load(t, null, { ...account, AIRBATCH_CALLBACK_URL: 'http://pay.example' }),
      /AIRBATCH_CALLBACK_URL/,
    );
  });
});

describe('an address that secrets, people or payments are sent to', () => {
  const env = { KEY: 'key', HOOK: 'hook', WORD: `whsec_${Buffer.alloc(24, 1).toString('base64')}` };
  const fields: [string, (url: string) => object][] = [
    ['accounts.main.baseUrl', (baseUrl) => ({ accounts: { main: { ...v2, baseUrl } } })],
    ['accounts.main.callbackUrl', (callbackUrl) => ({ accounts: { main: { ...v2, callbackUrl } } })],
    ['anchors.0.url', (url) => ({ anchors: [{ kind: 'url', url, tokenEnv: 'HOOK' }] })],
    ['notifications.0.url', (url) => ({ notifications: [{ kind: 'webhook', url, secretEnv: 'WORD' }] })],
  ];
  for (const [field, config] of fields)
    test(`is https, or this machine: ${field}`, async (t) => {
      for (const url of ['https://pay.example/h', 'http://127.0.0.2:80/h', 'http://localhost/h', 'http://[::1]/h'])
        await loadFile(t, config(url), env);
      for (const url of [
        'http://pay.example/h',
        'http://127.0.0.1.evil.example/h',
        'ftp://127.0.0.1/h',
        'ftp://pay.example/h',
        'file:///etc/passwd',
        'hooks',
      ])
        await assert.rejects(
          loadFile(t, config(url), env),
          { code: 'CONFIG_INVALID', message: new RegExp(field) },
          url,
        );
    });

  test('may use http for a time-stamping authority, which receives only a digest', async (t) => {
    const config = (url: string) => ({ anchors: [{ kind: 'rfc3161', url }] });
    await loadFile(t, config('http://timestamp.example'), env);
    await assert.rejects(loadFile(t, config('ftp://timestamp.example'), env), /anchors\.0\.url/);
  });
});

test('all missing variables are named at once, without a value', async (t) => {
  const accounts = {
    a: { baseUrl: 'https://pay.example', apiKeyEnv: 'A_KEY' },
    b: { version: 'v1', baseUrl: 'https://pay.example', emailEnv: 'B_MAIL', tokenEnv: 'B_TOKEN' },
  };
  const mail = { host: 'smtp.example.com', from: 'airbatch@example.com', userEnv: 'M_USER', passwordEnv: 'M_PASS' };
  const env = { B_MAIL: 'hidden@example.com' };
  await assert.rejects(loadFile(t, { accounts, mail }, env), (error: AirbatchError) => {
    for (const name of ['A_KEY', 'B_TOKEN', 'M_USER', 'M_PASS'])
      assert.ok(error.message.includes(`the environment variable ${name} is not set`), name);
    assert.equal(error.hint, 'Set A_KEY, B_TOKEN, M_USER and M_PASS in the environment or in .env.');
    assert.doesNotMatch(error.message, /hidden|B_MAIL/);
    return true;
  });
});

test('a key in place of the name of its variable is not shown', async (t) => {
  for (const key of ['live_4f9a2c71d0', 'sk-live-4F9A', '4F9A2C71']) {
    await assert.rejects(loadFile(t, { accounts: { main: { ...v2, apiKeyEnv: key } } }, {}), (error: AirbatchError) => {
      assert.match(error.message, /accounts\.main\.apiKeyEnv: .*not shown/);
      assert.match(error.hint ?? '', /a variable such as TOPUP_KEY, never the secret itself/);
      assert.ok(!`${error.message} ${error.hint}`.includes(key), key);
      return true;
    });
  }
});

test('a secret under the name of no field is not shown, and the fields that name a secret are offered', async (t) => {
  const account = { baseUrl: v2.baseUrl, apiKey: 'live_4f9a2c71d0', webhooks: { secret: 'whsec_1' } };
  const old = { version: 'v1', baseUrl: v2.baseUrl, emailEnv: 'EMAIL', api_token: 'x', token: 'whsec_2' };
  await assert.rejects(loadFile(t, { accounts: { main: account, old } }, { EMAIL: 'a@b.example' }), (error: Error) => {
    for (const fault of [
      'accounts.main.apiKey is not known (did you mean apiKeyEnv or apiKeyFile?)',
      'accounts.main.webhooks.secret is not known (did you mean secretEnvs?)',
      'accounts.old.token is not known (did you mean tokenEnv or tokenFile?)',
      'accounts.old.api_token is not known',
    ])
      assert.ok(error.message.includes(fault), `${fault}: ${error.message}`);
    assert.doesNotMatch(JSON.stringify(error), /live_4f9a|whsec_/);
    assert.doesNotMatch(error.message, /live_4f9a|whsec_/);
    return true;
  });
});

test('every fault is reported when the configuration is read, also of settings that only files use', async (t) => {
  const intake = { countri: 'KE', guards: { amountMax: { KES: 5 } } };
  const policy = { repeatWithinDay: 6, approval: { needed: 'sometimes' } };
  await assert.rejects(loadFile(t, { intake, policy }), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'CONFIG_INVALID');
    for (const key of [
      'intake.countri is not known (did you mean country?)',
      'intake.guards.amountMax.KES',
      'policy.repeatWithinDay is not known (did you mean repeatWithinDays?)',
      'policy.approval.needed must be "never", "always" or "above"',
    ])
      assert.ok(error.message.includes(key), key);
    return true;
  });
  const to = { kind: 'email', to: 'ann@example.com' };
  await assert.rejects(loadFile(t, { notifications: [to] }), /notifications\.0: an e-mail needs "mail"/);
  const mail = { host: 'smtp.example.com', from: 'airbatch@example.com' };
  await loadFile(t, { mail, notifications: [{ ...to, accounts: ['sandbox'] }] });
  await assert.rejects(
    loadFile(t, { mail, notifications: [{ ...to, accounts: ['mian'] }] }),
    /notifications\.0\.accounts: there is no account "mian"/,
  );
});

describe('the secret of a notification', () => {
  const base64 = (bytes: number) => Buffer.alloc(bytes, 251).toString('base64');
  const webhook = { notifications: [{ kind: 'webhook', url: 'https://pay.example/h', secretEnv: 'WORD' }] };
  const chat = { notifications: [{ kind: 'chat', name: 'ops', urlEnv: 'WORD' }] };

  test('of a webhook is "whsec_" and base64 of 24 bytes or more', async (t) => {
    for (const WORD of [
      `whsec_${base64(24)}`,
      `whsec_${base64(32)}`,
      `whsec_${base64(25)}`,
      `whsec_${base64(25).replace(/=/g, '')}`,
    ]) {
      const [recipient] = (await loadFile(t, webhook, { WORD })).notifications;
      assert.equal(recipient?.kind === 'webhook' && recipient.secret.value, WORD);
    }
    for (const WORD of [
      base64(24),
      `whsec_${base64(23)}`,
      `whsec_${base64(24)}!`,
      `whsec_${base64(24)}A`,
      `whsec_ ${base64(24)}`,
      'whsec_',
      'correct horse battery staple, and some more words',
    ])
      await assert.rejects(loadFile(t, webhook, { WORD }), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'CONFIG_INVALID');
        assert.match(error.message, /^notifications\.0\.secretEnv: the environment variable WORD (is not|has)/);
        assert.equal(error.message.includes(WORD.replace('whsec_', '') || '?'), false, 'the secret is not repeated');
        return true;
      });
  });

  test('of a chat is an address that is never used without TLS', async (t) => {
    await loadFile(t, chat, { WORD: 'https://chat.example/canary' });
    for (const WORD of ['http://chat.example/canary', 'ftp://chat.example/canary', 'canary'])
      await assert.rejects(loadFile(t, chat, { WORD }), (error: Error) => {
        assert.match(
          error.message,
          /^notifications\.0\.urlEnv: the environment variable WORD (must be https|is not a URL)/,
        );
        assert.doesNotMatch(error.message, /canary/);
        return true;
      });
  });
});

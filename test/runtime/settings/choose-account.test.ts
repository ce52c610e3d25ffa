import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { chooseAccount, loadConfig } from '../../../src/runtime/settings/config.ts';
import { folderOf } from '../../support/folder.ts';

const baseUrl = 'https://service.example';
const inEnvironment = { AIRBATCH_BASE_URL: 'https://other.example', AIRBATCH_API_KEY: 'key' };

/** The configuration with accounts of these names, each of which has its key in `KEY`. */
function configWith(t: TestContext, names: readonly string[], env: Record<string, string> = {}, apiKeyEnv = 'KEY') {
  const folder = folderOf(t);
  const accounts = Object.fromEntries(names.map((name) => [name, { baseUrl, apiKeyEnv }]));
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts }));
  return loadConfig({ cwd: folder, env: { KEY: 'key', ...env } });
}

describe('the account that pays', () => {
  for (const [what, names, env, given, chosen] of [
    ['the one that is named', ['a', 'b'], {}, 'b', 'b'],
    ['the only one', ['a'], {}, undefined, 'a'],
    ['"default" among several', ['a', 'default'], {}, undefined, 'default'],
    ['that of the environment among several', ['a'], inEnvironment, undefined, 'default'],
    ['none, which is the embedded sandbox, where none is configured', [], {}, undefined, null],
    ['the embedded sandbox where it is named', ['a'], {}, 'sandbox', null],
    ['an account of that name before the embedded sandbox', ['sandbox', 'a'], {}, 'sandbox', 'sandbox'],
  ] as const)
    test(`is ${what}`, async (t) => {
      assert.equal(chooseAccount(await configWith(t, names, env), given)?.name ?? null, chosen);
    });

  test('is never guessed: without a default, one of several must be named, and it must exist', async (t) => {
    const config = await configWith(t, ['a', 'b']);
    assert.throws(() => chooseAccount(config, undefined), { code: 'ACCOUNT_UNKNOWN', message: /a, b/ });
    assert.throws(() => chooseAccount(config, 'Sandbx'), { hint: /^Did you mean "sandbox"\? Name one/ });
    assert.throws(() => chooseAccount(config, 'c'), { code: 'ACCOUNT_UNKNOWN', message: /"c" \(configured: a, b\)/ });
  });
});

describe('the account of the environment', () => {
  test('does not replace a "default" of the file', async (t) => {
    const config = await configWith(t, ['default'], inEnvironment);
    assert.equal(config.accounts.get('default')?.baseUrl, baseUrl);
  });

  test('needs an address and a key, unless an account of the file has its key there', async (t) => {
    for (const [missing, rest] of Object.keys(inEnvironment).map(
      (name) => [name, Object.fromEntries(Object.entries(inEnvironment).filter(([other]) => other !== name))] as const,
    ))
      await assert.rejects(configWith(t, [], rest), { code: 'CONFIG_INVALID', message: new RegExp(`^${missing} is`) });
    const config = await configWith(t, ['a'], { AIRBATCH_API_KEY: 'key' }, 'AIRBATCH_API_KEY');
    assert.deepEqual([...config.accounts.keys()], ['a']);
  });
});

describe('the credentials of an account', () => {
  test('are named by their variables, and never by their values', async (t) => {
    const folder = folderOf(t);
    const accounts = {
      new: { baseUrl, apiKeyEnv: 'KEY' },
      old: { version: 'v1', baseUrl, emailEnv: 'EMAIL', tokenEnv: 'TOKEN' },
    };
    writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts }));
    const env = { KEY: 'secret-1', EMAIL: 'secret-2', TOKEN: 'secret-3' };
    const config = await loadConfig({ cwd: folder, env });
    const told = [...config.accounts.values()].map(({ name, credentialsFrom }) => [name, credentialsFrom]);
    assert.deepEqual(told, [
      ['new', 'KEY'],
      ['old', 'EMAIL and TOKEN'],
    ]);
  });
});

test('of two configurations in a folder, none is used unless it is named', async (t) => {
  const folder = folderOf(t);
  const [json, code] = ['airbatch.config.json', 'airbatch.config.ts'].map((name) => join(folder, name));
  writeFileSync(json ?? '', '{ "policy": { "repeatWithinDays": 3 } }');
  writeFileSync(code ?? '', 'export default { policy: { repeatWithinDays: 4 } };\n', { mode: 0o644 });
  await assert.rejects(loadConfig({ cwd: folder, env: {} }), {
    code: 'CONFIG_INVALID',
    message: /two configurations in .*: airbatch\.config\.json and airbatch\.config\.ts$/,
  });
  assert.deepEqual((await loadConfig({ cwd: folder, env: {}, configPath: json })).policy, { repeatWithinDays: 3 });
});

test('no account is used while certificates are not checked; the embedded sandbox needs none', async (t) => {
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  await assert.rejects(configWith(t, ['a'], env), {
    code: 'CONFIG_INVALID',
    message: /^NODE_TLS_REJECT_UNAUTHORIZED=0 /,
    hint: /NODE_EXTRA_CA_CERTS/,
  });
  assert.equal(chooseAccount(await configWith(t, [], env), undefined), null);
  assert.equal((await configWith(t, ['a'], { NODE_TLS_REJECT_UNAUTHORIZED: '1' })).accounts.size, 1);
});

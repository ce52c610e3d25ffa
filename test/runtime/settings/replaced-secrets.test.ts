import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { newsKinds } from '../../../src/notify/recipients.ts';
import { makeSender } from '../../../src/notify/senders.ts';
import { loadConfig } from '../../../src/runtime/settings/config.ts';
import { folderOf } from '../../support/folder.ts';

const whsec = (byte: number) => `whsec_${Buffer.alloc(24, byte).toString('base64')}`;
const fields = [
  ['API_KEY', 'canary-key-1', 'canary-key-2'],
  ['HOOK', whsec(1), whsec(2)],
  ['CHAT', 'https://chat.example/canary-1', 'https://chat.example/canary-2'],
  ['ANCHOR', 'canary-anchor-1', 'canary-anchor-2'],
  ['SMTP_USER', 'mailer-one', 'mailer-two'],
  ['SMTP_PASSWORD', 'canary-mail-1', 'canary-mail-2'],
  ['OPENID', 'canary-openid-1', 'canary-openid-2'],
  ['BACKUP', 'canary-passphrase-1', 'canary-passphrase-2'],
  ['JOB_HOOK', whsec(3), whsec(4)],
] as const;

/** A configuration whose secrets are all in files; `write` replaces them. */
async function withFiles(t: TestContext, mailPort = 587) {
  const cwd = folderOf(t);
  const write = (which: 1 | 2, names: readonly string[] = fields.map(([name]) => name)) => {
    for (const [name, ...values] of fields)
      if (names.includes(name)) writeFileSync(join(cwd, name), `${values[which - 1]}\n`, { mode: 0o600 });
  };
  write(1);
  const config = {
    accounts: { main: { baseUrl: 'http://127.0.0.1:1', apiKeyEnv: 'API_KEY' } },
    notifications: [
      { kind: 'webhook', url: 'https://hooks.example', secretEnv: 'HOOK' },
      { kind: 'chat', name: 'ops', urlEnv: 'CHAT' },
    ],
    anchors: [{ kind: 'url', url: 'https://anchor.example', tokenEnv: 'ANCHOR' }],
    mail: {
      ...{ host: '127.0.0.1', port: mailPort, from: 'airbatch@example.com' },
      ...{ userEnv: 'SMTP_USER', passwordEnv: 'SMTP_PASSWORD' },
    },
    console: { openid: { issuer: 'https://id.example', clientId: 'airbatch', clientSecretEnv: 'OPENID' } },
    backup: { folder: 'backups', passphraseEnv: 'BACKUP' },
  };
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify(config));
  const loaded = await loadConfig({ cwd, env: { CREDENTIALS_DIRECTORY: cwd } });
  const job = loaded.secretOf('job payroll: notifications.0.secretEnv', 'JOB_HOOK');
  const now = () => {
    const { notifications, anchors, mail, console: web, backup } = loaded;
    const [hook, chat] = notifications;
    const [anchor] = anchors;
    return [
      hook?.kind === 'webhook' && hook.secret.value,
      chat?.kind === 'chat' && chat.url.value,
      anchor?.kind === 'url' && anchor.token?.value,
      ...[mail?.user?.value, mail?.password?.value, web.openid?.clientSecret.value, backup?.passphrase?.value],
      job.value,
    ];
  };
  return { cwd, config: loaded, write, now };
}

test('every secret is replaced when two readings agree, and its values are all redacted', async (t) => {
  const { config, write, now } = await withFiles(t);
  const [first, second] = ([1, 2] as const).map((which) => fields.slice(1).map((one) => one[which]));
  const keyOf = ({ accounts } = config.rereadSecrets()) => accounts.get('main')?.credentials;
  assert.deepEqual(now(), first);
  assert.deepEqual(keyOf(), { apiKey: 'canary-key-1' });
  write(2);
  assert.deepEqual([config.rereadSecrets().places, now()], [[], first], 'one reading may be of a half-written file');
  const { places, faults, accounts } = config.rereadSecrets();
  assert.equal(places.length, fields.length);
  assert.equal(faults.size, 0);
  assert.deepEqual(now(), second);
  assert.deepEqual(accounts.get('main')?.credentials, { apiKey: 'canary-key-2' });
  for (const [name, ...values] of fields)
    for (const value of values) assert.equal(config.secrets.includes(value), name !== 'SMTP_USER', value);
  assert.deepEqual(config.rereadSecrets().places, []);
});

test('a secret that cannot be read stays as it was, and holds up no other', async (t) => {
  const { cwd, config, write, now } = await withFiles(t);
  config.rereadSecrets();
  write(2, ['HOOK', 'SMTP_PASSWORD', 'OPENID']);
  writeFileSync(join(cwd, 'API_KEY'), 'canary key\n');
  writeFileSync(join(cwd, 'HOOK'), 'canary-hook\n');
  rmSync(join(cwd, 'ANCHOR'));
  config.rereadSecrets();
  const { faults, accounts } = config.rereadSecrets();
  assert.deepEqual(
    [...faults.keys()],
    ['accounts.main.apiKeyEnv', 'anchors.0.tokenEnv', 'notifications.0.secretEnv'],
    JSON.stringify([...faults]),
  );
  for (const fault of faults.values()) assert.doesNotMatch(fault, /canary/);
  assert.deepEqual(accounts.get('main')?.credentials, { apiKey: 'canary-key-1' });
  const [hook, , anchor, , password, openid] = now();
  assert.deepEqual([hook, anchor], [whsec(1), 'canary-anchor-1']);
  assert.deepEqual([password, openid], ['canary-mail-2', 'canary-openid-2']);
  write(2);
  config.rereadSecrets();
  assert.equal(config.rereadSecrets().faults.size, 0);
  assert.deepEqual(
    now(),
    fields.slice(1).map((one) => one[2]),
  );
});

test('the next mail is sent with the new password', async (t) => {
  const got: (string | undefined)[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      got.push(`${username}:${password}`);
      done(null, { user: username });
    },
    onData(stream, _session, done) {
      stream.resume().on('end', () => done());
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  t.after(() => new Promise((resolve) => server.close(() => resolve(undefined))));
  const { config, write } = await withFiles(t, (server.server.address() as AddressInfo).port);
  const send = makeSender({ mail: config.mail, report: () => assert.fail(), secrets: config.secrets });
  const message = { kind: 'finished' as const, subject: 'Payout', lines: [], facts: {}, report: null };
  const mail = () =>
    send({ id: 'm', kind: 'email', to: 'ann@example.com', attachReport: false, on: newsKinds }, message, {
      eventId: 'finished:1',
      at: 0,
    });
  await mail();
  write(2);
  config.rereadSecrets();
  config.rereadSecrets();
  await mail();
  assert.deepEqual(got, ['mailer-one:canary-mail-1', 'mailer-two:canary-mail-2']);
});

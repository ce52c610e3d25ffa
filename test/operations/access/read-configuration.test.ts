import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfiguration } from '../../../src/operations/access/read-configuration.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { loadConfig } from '../../../src/runtime/settings/config.ts';
import { folderOf } from '../../support/folder.ts';

test('read-configuration shows what is set, and no secret', async (t) => {
  const cwd = folderOf(t);
  const file = {
    accounts: { main: { baseUrl: 'https://api.example.com', apiKeyEnv: 'KEY' } },
    intake: { country: 'KE' },
    policy: { approval: { needed: 'always' } },
    people: { admin: ['ann'] },
    notifications: [
      { kind: 'email', to: 'pay@example.com', on: ['finished'] },
      { kind: 'webhook', url: 'https://hooks.example.com/a?token=secret-1', secretEnv: 'HOOK' },
      { kind: 'chat', name: 'team', urlEnv: 'CHAT' },
    ],
    mail: { host: 'mail.example.com', from: 'airbatch@example.com', userEnv: 'USER_NAME', passwordEnv: 'PASSWORD' },
    anchors: [{ kind: 'url', url: 'https://heads.example.com/b?key=secret-2', tokenEnv: 'TOKEN' }],
    retention: { personalDataDays: 365 },
  };
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify(file));
  const HOOK = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
  const secrets = { KEY: 'secret-3', HOOK, CHAT: 'https://chat.example.com/secret-4', PASSWORD: 'secret-5' };
  const config = await loadConfig({ cwd, env: { ...secrets, USER_NAME: 'mailer', TOKEN: 'secret-6' } });
  const session = {
    config,
    ledgerPath: 'ledger.db',
    ledgerUrl: 'postgres://ann:secret-7@db.example.com/pay?password=secret-8',
    person: 'ann',
    through: 'cli',
  } as unknown as Session;
  const door = { nameOf: (field: string) => field };
  const read = await performIn(session, readConfiguration, door, {});
  const { intake, policy, people, notifications, mail, anchors, personal_data_days } = read;
  assert.deepEqual({ intake, policy, people }, { intake: file.intake, policy: file.policy, people: file.people });
  assert.deepEqual(
    notifications.map(({ recipient }) => recipient.replace(/ \([0-9a-f]{6}\)/, '')),
    ['email pay@example.com', 'webhook https://hooks.example.com/a', 'chat team'],
  );
  assert.equal(mail?.host, 'mail.example.com');
  assert.deepEqual(anchors, ['url https://heads.example.com/b']);
  assert.equal(personal_data_days, 365);
  assert.equal(read.file, join(cwd, 'airbatch.config.json'));
  assert.doesNotMatch(JSON.stringify(read), /secret-\d|whsec_/);
  const auditor = { ...session, person: 'joe', grant: { roles: ['audit'], accounts: [] } } as unknown as Session;
  const seen = await performIn(auditor, readConfiguration, door, {});
  assert.deepEqual([seen.notifications[0]?.recipient, seen.mail?.from], ['email ***@example.com', '***@example.com']);
  assert.deepEqual(seen.policy, file.policy);
  await assert.rejects(performIn({ ...session, person: 'joe' }, readConfiguration, door, {}), { code: 'ROLE_MISSING' });
});

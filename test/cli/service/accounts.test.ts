import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';

test('airbatch accounts lists the accounts, whether each may send, and its last known balance', async (t) => {
  const folder = folderOf(t);
  const airbatch = (...args: string[]) =>
    runHere(args, { cwd: folder, env: { KEY: 'key-1', EMAIL: 'mail-1', TOKEN: 'token-1' } });
  assert.match(
    (await airbatch('accounts')).stdout,
    /^sandbox +V2 .*no: no airbatch program is running for it +not known$/m,
  );
  writeFileSync(join(folder, 'p.csv'), 'phone_number,network_id,amount,currency\n+254712101000,1,10,KES\n');
  assert.equal((await airbatch('run', 'p.csv', '--yes')).code, 0);
  const rehearsal = JSON.parse((await airbatch('accounts', '--json')).stdout).accounts;
  assert.equal(rehearsal.length, 1);
  const [{ balance, ...sandbox }] = rehearsal;
  assert.deepEqual(sandbox, {
    account: 'sandbox',
    version: 'V2',
    service: 'embedded sandbox',
    is_rehearsal: true,
    worker: null,
    gate: { is_open: false, why: 'no_lease', until: null, causes: [{ why: 'no_lease', since: null, until: null }] },
  });
  assert.match(balance.read_at, /^\d{4}-\d\d-\d\dT/);
  assert.match((await airbatch('accounts')).stdout, /USD 9,999\./);

  const accounts = {
    main: { baseUrl: 'https://api.example.com', apiKeyEnv: 'KEY' },
    old: { version: 'v1', baseUrl: 'https://old.example.com', emailEnv: 'EMAIL', tokenEnv: 'TOKEN' },
  };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts }));
  const { stdout } = await airbatch('accounts', '--json');
  const configured = JSON.parse(stdout).accounts as { account: string; version: string; is_rehearsal: boolean }[];
  assert.deepEqual(
    configured.map(({ account, version, is_rehearsal }) => [account, version, is_rehearsal]),
    [
      ['main', 'V2', false],
      ['old', 'V1', false],
    ],
  );
  assert.doesNotMatch(stdout, /key-1|token-1/, 'no secret is shown');
});

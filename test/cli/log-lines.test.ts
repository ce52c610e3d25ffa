import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startCommand } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { makeLedgerIn } from '../support/folder-ledger.ts';
import { startSandbox } from '../support/sandbox-process.ts';

test('log lines about an account, and not a batch, name the account', async (t) => {
  const folder = folderOf(t);
  const sandbox = await startSandbox(t, folder, ['--rate', '25', '--window-ms', '2000']);
  // Enough for most of a minute: the service goes away in the middle of them, also on a busy machine.
  const rows = Array.from({ length: 600 }, (_, index) => `+2547121${10_000 + index},1,10,KES`);
  writeFileSync(join(folder, 'x.csv'), ['phone_number,network_id,amount,currency', ...rows, ''].join('\n'));
  const accounts = {
    main: { baseUrl: sandbox.url, apiKeyEnv: 'AIRBATCH_API_KEY', limits: { creation: { limit: 60, windowMs: 2_000 } } },
  };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts }));
  const env = { AIRBATCH_API_KEY: 'sandbox-key' };
  await makeLedgerIn(folder);
  const command = startCommand(['run', 'x.csv', '--yes'], { cwd: folder, env });
  t.after(async () => {
    command.child.kill('SIGKILL');
    await command.ended;
  });
  const [limit] = await command.seen(/.*the service allows another rate than the configured one.*/);
  assert.equal(JSON.parse(limit).account, 'main');
  await sandbox.stop();
  const [silence] = await command.seen(/.*(cannot be reached|got no answer).*/);
  assert.equal(JSON.parse(silence).account, 'main');
});

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startCommand, workFolder } from '../support/command.ts';
import { startSandbox } from './sandbox-process.ts';

test('what the log says of an account, and of no batch, names the account', async () => {
  const folder = workFolder();
  const sandbox = await startSandbox(folder.path, ['--rate', '25', '--window-ms', '2000']);
  const rows = Array.from({ length: 60 }, (_, index) => `+2547121${10_000 + index},1,10,KES`);
  writeFileSync(join(folder.path, 'x.csv'), ['phone_number,network_id,amount,currency', ...rows, ''].join('\n'));
  const accounts = {
    main: { baseUrl: sandbox.url, apiKeyEnv: 'AIRBATCH_API_KEY', limits: { creation: { limit: 60, windowMs: 2_000 } } },
  };
  writeFileSync(join(folder.path, 'airbatch.config.json'), JSON.stringify({ accounts }));
  const env = { AIRBATCH_API_KEY: 'sandbox-key' };
  const command = startCommand(['run', 'x.csv', '--yes'], { cwd: folder.path, env });
  try {
    const [limit] = await command.seen(/.*the service allows another rate than configured.*/);
    assert.equal(JSON.parse(limit).account, 'main');
    await sandbox.stop();
    const [silence] = await command.seen(/.*(cannot be reached|got no answer).*/);
    assert.equal(JSON.parse(silence).account, 'main');
  } finally {
    command.child.kill('SIGKILL');
    await command.ended;
    await sandbox.stop();
    folder.dispose();
  }
});

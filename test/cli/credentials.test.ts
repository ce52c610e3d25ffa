import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runHere, startCommand } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { makeLedgerIn } from '../support/folder-ledger.ts';
import { sandboxHere } from '../support/sandbox-process.ts';

test('airbatch resume ends with exit code 5 if the service refuses the key, and leaves doubts unchanged', {
  timeout: 600_000,
}, async (t) => {
  const folder = folderOf(t);
  const sandbox = await sandboxHere(t, { rate: 5, windowMs: 1_000, settleMs: 0 });
  const main = {
    baseUrl: sandbox.url,
    apiKeyEnv: 'AIRBATCH_API_KEY',
    limits: { creation: { limit: 5, windowMs: 1_000 } },
    // Whoever waits for the look-ups of its doubts does not end.
    doubt: { lookupDelaysMs: [3_600_000] },
  };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts: { main } }));
  const under = (key: string) => ({ cwd: folder, env: { AIRBATCH_API_KEY: key } });
  // A number that ends in 0005 is charged, and its answer is lost: its row is in doubt when the run is stopped.
  const lost = ['+254712100005,1,10,KES,e-lost', '+254712110005,1,10,KES,e-lost-too'];
  const others = Array.from({ length: 60 }, (_, index) => `+25471210${1_010 + index},1,10,KES,e-${index}`);
  const file = ['phone_number,network_id,amount,currency,reference', ...lost, ...others, ''];
  writeFileSync(join(folder, 'payroll.csv'), file.join('\n'));
  await makeLedgerIn(folder);
  const first = startCommand(['run', 'payroll.csv', '--yes'], under('sandbox-key'));
  while ((await sandbox.liveCharges()).size < 5) await sleep(50);
  first.child.kill('SIGINT');
  assert.equal((await first.ended).code, 130);

  const { code, stderr, stdout } = await runHere(['resume', '--json'], under('another-key'));
  assert.equal(code, 5, stderr);
  const [{ summary }] = JSON.parse(stdout).batches;
  const why = new RegExp(
    `; correct AIRBATCH_API_KEY, then resume it \\("airbatch resume ${summary.batch_id}"\\)$`,
    'm',
  );
  assert.match((await runHere(['status', summary.batch_id], under('another-key'))).stdout, why);
  assert.equal(summary.rows.by_status.in_doubt, 2);
  assert.equal(stderr.match(/the account is paused/g)?.length, 1, stderr);
});

test('airbatch validate ends with the refusal of the key, and calls no row wrong because of it', async (t) => {
  const folder = folderOf(t);
  const sandbox = await sandboxHere(t, { settleMs: 0 });
  const main = { baseUrl: sandbox.url, apiKeyEnv: 'TOPUP_KEY' };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts: { main } }));
  writeFileSync(join(folder, 'a.csv'), 'phone_number,network_id,amount,currency\n+254712405118,Safaricom,10,KES\n');
  const under = (key: string) => runHere(['validate', 'a.csv'], { cwd: folder, env: { TOPUP_KEY: key } });
  const refused = await under('another-key');
  assert.deepEqual([refused.code, refused.stdout], [6, ''], refused.stderr);
  assert.match(
    refused.stderr,
    /rejects the credentials .*TOPUP_KEY.*\nCorrect TOPUP_KEY .* then validate the file again/,
  );
  assert.equal((await under('sandbox-key')).code, 0);
});

for (const [key, permission] of [
  ['sandbox-no-list-key', 'airtime.transactions.read'],
  ['sandbox-write-only-key', 'wallets.read'],
] as const)
  test(`a key without ${permission} is found before anything is sent, and the message names the permission`, async (t) => {
    const folder = folderOf(t);
    const sandbox = await sandboxHere(t, { settleMs: 0 });
    const main = { baseUrl: sandbox.url, apiKeyEnv: 'TOPUP_KEY' };
    writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts: { main } }));
    writeFileSync(join(folder, 'a.csv'), 'phone_number,network_id,amount,currency\n+254712405118,1,10,KES\n');
    const under = (with_: string) => runHere(['run', 'a.csv', '--yes'], { cwd: folder, env: { TOPUP_KEY: with_ } });
    const refused = await under(key);
    assert.equal(refused.code, 6, refused.stderr);
    assert.match(
      refused.stderr,
      new RegExp(
        `lacks the permission ${permission}.*\nGive the key the permission ${permission}, or correct TOPUP_KEY`,
      ),
    );
    assert.equal((await sandbox.liveCharges()).size, 0);
    assert.equal((await under('sandbox-key')).code, 0);
    assert.equal((await sandbox.liveCharges()).size, 1);
  });

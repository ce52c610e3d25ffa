import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand, startCommand } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { startSandbox } from '../support/sandbox-process.ts';

const rowCount = 30;
const leaseTtlMs = 1_000;

test('a run that stood still for longer than its hold says that and what goes on, and sends nothing more', {
  timeout: 60_000,
}, async (t) => {
  const folder = folderOf(t);
  const sandbox = await startSandbox(t, folder, ['--rate', '10', '--window-ms', '1000', '--instant']);
  const main = {
    baseUrl: sandbox.url,
    apiKeyEnv: 'AIRBATCH_API_KEY',
    leaseTtlMs,
    limits: { creation: { limit: 10, windowMs: 1_000 } },
    doubt: { lookUpDelaysMs: [300], resendDelaysMs: [600] },
  };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts: { main } }));
  const lines = Array.from({ length: rowCount }, (_, index) => `+25471210${1_010 + index},1,10,KES,e-${index}`);
  const header = 'phone_number,network_id,amount,currency,reference';
  writeFileSync(join(folder, 'payroll.csv'), [header, ...lines, ''].join('\n'));
  const at = { cwd: folder, env: { AIRBATCH_API_KEY: 'sandbox-key' } };
  const run = startCommand(['run', 'payroll.csv', '--yes'], at);
  while ((await sandbox.liveCharges()).size < 5) await sleep(20);
  run.child.kill('SIGSTOP');
  await sleep(leaseTtlMs + 200);
  run.child.kill('SIGCONT');
  const { code, stderr } = await run.ended;
  assert.equal(code, 5, stderr);
  assert.match(
    stderr,
    /the hold on account "main" ran out \[FENCED\]\n.*stood still too long.*"airbatch resume" goes on/,
  );
  const sent = (await sandbox.liveCharges()).size;
  assert.ok(sent < rowCount, `${sent} rows`);
  assert.equal((await runCommand(['resume'], at)).code, 0);
  assert.deepEqual([...(await sandbox.liveCharges()).values()], Array(rowCount).fill(1));
});

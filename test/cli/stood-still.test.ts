import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand, startCommand } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { makeLedgerIn } from '../support/folder-ledger.ts';
import { startSandbox } from '../support/sandbox-process.ts';

const rowCount = 100;
const leaseTtlMs = 1_000;
/** Twenty seconds of sending: the run is stopped in the middle of it, however late on a busy machine. */
const slowly = { leaseTtlMs, limits: { creation: { limit: 5, windowMs: 1_000 } } };
/** As much as the sandbox takes, under the usual hold: a short one may run out where the machine is busy. */
const quickly = { limits: { creation: { limit: 1_000, windowMs: 1_000 } } };

for (const [title, isTaken] of [
  ['goes on', false],
  ['sends nothing more if another program has taken the account, and names the batch that continues', true],
] as const)
  test(`a run that stood still for longer than its lease ${title}`, { timeout: 600_000 }, (t) =>
    standStill(t, isTaken),
  );

async function standStill(t: TestContext, isTaken: boolean): Promise<void> {
  const folder = folderOf(t);
  const sandbox = await startSandbox(t, folder, ['--rate', '1000', '--window-ms', '1000', '--instant']);
  const configure = (pace: object) => {
    const doubt = { lookupDelaysMs: [300], resendDelaysMs: [600] };
    const main = { baseUrl: sandbox.url, apiKeyEnv: 'AIRBATCH_API_KEY', doubt, ...pace };
    writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts: { main } }));
  };
  configure(slowly);
  const lines = Array.from({ length: rowCount }, (_, index) => `+25471210${1_010 + index},1,10,KES,e-${index}`);
  const header = 'phone_number,network_id,amount,currency,reference';
  writeFileSync(join(folder, 'payroll.csv'), [header, ...lines, ''].join('\n'));
  const at = { cwd: folder, env: { AIRBATCH_API_KEY: 'sandbox-key' } };
  await makeLedgerIn(folder);
  const run = startCommand(['run', 'payroll.csv', '--yes'], at);
  t.after(() => run.child.kill('SIGKILL'));
  // Where the machine is so busy that the hold has run out before, it says the same.
  while ((await sandbox.liveCharges()).size < 5 && run.child.exitCode === null) await sleep(20);
  const stop = async () => {
    run.child.kill('SIGSTOP');
    await sleep(leaseTtlMs + 200);
  };
  await stop();
  if (isTaken) {
    configure(quickly);
    let resumed = await runCommand(['resume'], at);
    while (resumed.stderr.includes('LEDGER_BUSY')) {
      // It was stopped in the middle of a transaction: nobody else can write.
      run.child.kill('SIGCONT');
      await sleep(100);
      await stop();
      resumed = await runCommand(['resume'], at);
    }
    assert.equal(resumed.code, 0, resumed.stderr);
  }
  run.child.kill('SIGCONT');
  const { code, stderr } = await run.ended;
  assert.equal(code, isTaken ? 5 : 0, stderr);
  if (isTaken) assert.match(stderr, /\[FENCED\]\n.*"airbatch resume" continues/);
  assert.deepEqual([...(await sandbox.liveCharges()).values()], Array(rowCount).fill(1));
}

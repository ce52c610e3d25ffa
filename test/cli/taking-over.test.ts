import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand, startCommand } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { makeLedgerIn } from '../support/folder-ledger.ts';

test('a command that watches says when it takes over the work, and others then see its name', {
  timeout: 60_000,
}, async (t) => {
  const cwd = folderOf(t);
  // It is processed for ever, so that somebody has to end each command.
  writeFileSync(join(cwd, 'a.csv'), 'phone_number,network_id,amount,currency\n+254712100003,1,50,KES\n');
  await makeLedgerIn(cwd);
  const first = startCommand(['run', 'a.csv', '--yes'], { cwd });
  t.after(() => first.child.kill('SIGKILL'));
  const worker = async () => JSON.parse((await runCommand(['status', '--json'], { cwd })).stdout).batches?.[0]?.worker;
  while (!(await worker()));
  const second = startCommand(['resume'], { cwd });
  t.after(() => second.child.kill('SIGKILL'));
  const told = /Another airbatch \(process (\d+) on \S+\) is sending for account "[^"]*"; showing its progress\./;
  assert.equal(Number((await second.seen(told))[1]), first.child.pid);
  first.child.kill('SIGINT');
  await first.ended;
  await second.seen(/^The other airbatch has stopped: this command continues its work\.$/m);
  const third = startCommand(['resume'], { cwd });
  assert.equal(Number((await third.seen(told))[1]), second.child.pid);
  third.child.kill('SIGINT');
  const { stderr } = await third.ended;
  const [, batch = ''] =
    /stops, and the other airbatch continues\. To stop a batch: airbatch pause (\S+) --why TEXT/.exec(stderr) ?? [];
  // Nobody is advised to pause what is paused.
  const fourth = startCommand(['resume'], { cwd });
  t.after(() => fourth.child.kill('SIGKILL'));
  await fourth.seen(told);
  assert.equal((await runCommand(['pause', batch, '--why', 'month-end'], { cwd })).code, 0);
  await fourth.seen(
    /^Batch \S+ is paused, and has nothing more to send\. Payments already sent are still followed: this command waits for the service’s result for 1 row\. /m,
  );
  fourth.child.kill('SIGINT');
  assert.match(
    (await fourth.ended).stderr,
    /^This command stops, and the other airbatch follows the payments already sent; /m,
  );
  second.child.kill('SIGINT');
  assert.match((await second.ended).stderr, /^Stopping: nothing more is sent/m);
});

import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { runHere, startCommand } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { configureAccount, startSandbox } from '../../support/sandbox-process.ts';

const rowCount = 60;

/**
 * A payout of 60 rows, backed up when a part was paid and then paid to its end; and the ledger put back from the
 * backup.
 */
async function restoredLedger(t: TestContext) {
  const folder = folderOf(t);
  const data = join(folder, 'service.db');
  const args = ['--data', data, '--rate', '1000', '--window-ms', '1000', '--instant'];
  const sandbox = await startSandbox(t, folder, args);
  const lines = Array.from({ length: rowCount }, (_, index) => `+25471210${String(1_000 + index)},1,10,KES,e-${index}`);
  const file = ['phone_number,network_id,amount,currency,reference', ...lines, ''].join('\n');
  writeFileSync(join(folder, 'payroll.csv'), file);
  const configure = (creationsPerSecond: number) => configureAccount(folder, sandbox.url, creationsPerSecond);
  const options = { cwd: folder, env: { AIRBATCH_API_KEY: 'sandbox-key' } };

  const ledger = join(folder, '.airbatch/ledger.db');
  // So slowly that it is stopped in the middle, however late on a busy machine.
  configure(3);
  const first = startCommand(['run', 'payroll.csv', '--run-id', 'november', '--yes'], options);
  await first.seen(/Batch +\S+/);
  while ((await sandbox.liveCharges()).size < 5) await sleep(50);
  first.child.kill('SIGINT');
  assert.equal((await first.ended).code, 130);
  const charged = (await sandbox.liveCharges()).size;
  assert.ok(charged > 0 && charged < rowCount, `${charged} rows were charged before the backup`);
  copyFileSync(ledger, join(folder, 'backup.db'));
  configure(1_000);
  const second = await runHere(['resume'], options);
  assert.equal(second.code, 0, second.stderr);
  assert.equal((await sandbox.liveCharges()).size, rowCount);

  for (const path of [ledger, `${ledger}-wal`, `${ledger}-shm`]) rmSync(path, { force: true });
  copyFileSync(join(folder, 'backup.db'), ledger);
  // More than a day has gone by: the service knows the payments, and no longer their keys.
  const service = new DatabaseSync(data, { timeout: 5_000 });
  service.exec('DELETE FROM kept_answers');
  service.close();
  return { folder, sandbox, options, run: (...args: string[]) => runHere(args, options) };
}

async function assertEachChargedOnce(sandbox: Awaited<ReturnType<typeof startSandbox>>) {
  const charges = [...(await sandbox.liveCharges()).values()];
  assert.deepEqual([charges.length, charges.filter((count) => count !== 1)], [rowCount, []]);
}

describe('a ledger that was restored from a backup', () => {
  test('is detected, and nothing is sent until a person confirms it; then every row is looked up first', async (t) => {
    const { sandbox, run } = await restoredLedger(t);
    const refused = await run('resume');
    assert.equal(refused.code, 6);
    assert.match(refused.stderr, /restored from a backup.*\[LEDGER_RESTORED\]\n.*--restored/);
    await assertEachChargedOnce(sandbox);
    const resumed = await run('resume', '--restored');
    assert.equal(resumed.code, 0, resumed.stderr);
    await assertEachChargedOnce(sandbox);
    assert.equal((await run('resume', '--unlisted', 'asked')).code, 2, 'said of one batch alone');
    const { batches } = JSON.parse((await run('status', '--json')).stdout);
    assert.deepEqual(batches[0].counts, { completed: rowCount });
    // Said once, it is known: the next run needs no word.
    assert.equal((await run('resume')).code, 0);
  });

  test('does not pay a file again that only the lost part of the ledger knew', async (t) => {
    const { folder, sandbox, run } = await restoredLedger(t);
    for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `.airbatch/ledger.db${end}`), { force: true });
    assert.equal((await run('run', 'payroll.csv', '--run-id', 'november', '--yes')).code, 6);
    const resumed = await run('resume', '--restored');
    assert.equal(resumed.code, 0, resumed.stderr);
    await assertEachChargedOnce(sandbox);
    const results = readFileSync(join(folder, 'reports', batchOf(resumed.stderr), 'results.csv'));
    const states = (parse(results, { columns: true }) as { status: string }[]).map(({ status }) => status);
    assert.deepEqual([states.length, new Set(states)], [rowCount, new Set(['completed'])]);
  });

  test('does not pay it again even if its marks were lost as well, and nothing was left to resume when a person confirmed it', async (t) => {
    const { folder, sandbox, run } = await restoredLedger(t);
    for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `.airbatch/ledger.db${end}`), { force: true });
    const isMark = (name: string) => name.endsWith('.mark');
    for (const name of readdirSync(join(folder, '.airbatch')).filter(isMark)) rmSync(join(folder, '.airbatch', name));
    const said = await run('resume', '--restored');
    assert.equal(said.code, 0, said.stderr);
    assert.match(said.stderr, /Nothing to resume.*\n.*restored.*looked up/);
    const paid = await run('run', 'payroll.csv', '--run-id', 'november', '--yes');
    assert.equal(paid.code, 0, paid.stderr);
    await assertEachChargedOnce(sandbox);
  });
});

function batchOf(stderr: string): string {
  return stderr.match(/Reports +\S*?([^/\s]+)\/ \(/)?.[1] ?? '';
}

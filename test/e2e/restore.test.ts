import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { type ListeningSandbox, sandboxHere } from '../support/sandbox-process.ts';
import { env, writeConfig } from './two-versions.ts';

const rows = 40;

function writeRows(cwd: string, name: string): void {
  const lines = Array.from({ length: rows }, (_, index) => `+2547224${41_100 + index},1,50,KES,${name}-${index}`);
  writeFileSync(join(cwd, `${name}.csv`), `phone_number,network_id,amount,currency,reference\n${lines.join('\n')}\n`);
}

/** Two seconds for the file, so that there are moments at which rows are not sent yet. */
function slowDown(cwd: string): void {
  const path = join(cwd, 'airbatch.config.json');
  const config = JSON.parse(readFileSync(path, 'utf8'));
  for (const account of Object.values<{ limits: object }>(config.accounts))
    account.limits = { ...account.limits, creation: { limit: 5, windowMs: 250 } };
  writeFileSync(path, JSON.stringify(config));
}

/** Pays a file, and makes a backup after a random number of its rows. Returns the folder of the backup. */
async function payWithBackup(t: TestContext, cwd: string, sandbox: ListeningSandbox, account: string): Promise<string> {
  writeRows(cwd, account);
  const running = runHere(['run', `${account}.csv`, '--account', account, '--run-id', account, '--yes'], { cwd, env });
  const moment = 1 + Math.floor(Math.random() * (rows - 1));
  t.diagnostic(`backup after ${moment} rows of ${account}`);
  while ((await sandbox.liveCharges()).size < moment) await sleep(5);
  const made = await runHere(['--json', 'backup', 'backups'], { cwd, env });
  assert.equal(made.code, 0, made.stderr);
  const paid = await running;
  assert.equal(paid.code, 0, paid.stderr);
  return JSON.parse(made.stdout).backup;
}

function assertPaidOnce(charges: Map<string, number>): void {
  assert.equal(charges.size, rows);
  assert.deepEqual(
    [...charges].filter(([, times]) => times !== 1),
    [],
  );
}

/** The machine has died: another folder has the configuration, the file and the backup, and no mark of the ledger. */
function otherMachine(t: TestContext, cwd: string): string {
  const fresh = folderOf(t);
  for (const name of readdirSync(cwd))
    if (name !== '.airbatch' && name !== 'reports') cpSync(join(cwd, name), join(fresh, name), { recursive: true });
  return fresh;
}

/** The disk has damaged the ledger: a person moves it away, and leaves its marks. */
function withoutLedger(_t: TestContext, cwd: string): string {
  mkdirSync(join(cwd, 'damaged'));
  for (const name of ['ledger.db', 'ledger.db-wal', 'ledger.db-shm'])
    if (existsSync(join(cwd, '.airbatch', name))) renameSync(join(cwd, '.airbatch', name), join(cwd, 'damaged', name));
  return cwd;
}

const losses = [
  { account: 'new', loss: otherMachine },
  { account: 'old', loss: withoutLedger },
];
for (const { account, loss } of losses)
  test(`a backup made at a random moment of a batch is restored (${loss.name}, ${account}), and nothing is paid twice`, async (t) => {
    const cwd = folderOf(t);
    const sandbox = await sandboxHere(t, { rate: 60_000, settleMs: 100 });
    writeConfig(cwd, sandbox);
    slowDown(cwd);
    const backup = await payWithBackup(t, cwd, sandbox, account);
    // The service forgets keys after a day: only the lookups keep a row from being paid again.
    const body = JSON.stringify({ advance_ms: 25 * 3_600_000 });
    assert.equal((await fetch(`${sandbox.url}/_sandbox/clock`, { method: 'POST', body })).status, 200);
    const place = loss(t, cwd);
    const restored = await runHere(['restore', backup], { cwd: place, env });
    assert.equal(restored.code, 0, restored.stderr);
    const resumed = await runHere(['resume'], { cwd: place, env });
    assert.ok([0, 5].includes(resumed.code ?? 1), resumed.stderr);
    // Without a batch in the backup, the file is run again, under the run id that it had.
    const again = await runHere(['run', `${account}.csv`, '--account', account, '--run-id', account, '--yes'], {
      cwd: place,
      env,
    });
    assert.ok(again.code === 0 || again.code === 4, again.stderr);
    assertPaidOnce(await sandbox.liveCharges());
  });

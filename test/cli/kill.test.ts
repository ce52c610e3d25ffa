import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { makeSeededRandom } from '../simulation/seeded-random.ts';
import { runCommand, startCommand } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { makeLedgerIn } from '../support/folder-ledger.ts';
import { configureAccount, startSandbox } from '../support/sandbox-process.ts';

const rowCount = 600;
const kills = 10;

function payoutFile(): string {
  const lines = Array.from({ length: rowCount }, (_, index) => {
    const number = index + 1;
    return `+2547122${String(1_000 + number * 7).padStart(5, '0')},{network},${10 + (number % 90)},KES,emp-${number}`;
  });
  return ['phone_number,network_id,amount,currency,reference', ...lines, ''].join('\n');
}

test('a run killed with -9 at ten random moments, and resumed each time, charges every row exactly once', async (t) => {
  const random = makeSeededRandom(20_261_120);
  const folder = folderOf(t);
  const sandbox = await startSandbox(t, folder, ['--rate', '1000', '--window-ms', '1000']);
  writeFileSync(join(folder, 'payroll.csv'), payoutFile().replaceAll('{network}', '1'));
  const configure = (creationsPerSecond: number) => configureAccount(folder, sandbox.url, creationsPerSecond);
  const env = { AIRBATCH_API_KEY: 'sandbox-key' };

  // Twenty-four seconds of sending: slow enough that ten kills fall within the run, also on a busy machine. The last
  // life is quick.
  configure(25);
  await makeLedgerIn(folder);
  let command = startCommand(['run', 'payroll.csv', '--run-id', 'kill-test', '--yes'], { cwd: folder, env });
  // It is approved by then: one that was killed before is nobody's to resume.
  while ((await sandbox.liveCharges()).size === 0 && command.child.exitCode === null) await sleep(20);
  let killed = 0;
  for (; killed < kills; killed++) {
    await sleep(random.between(150, 900));
    if (command.child.exitCode !== null) break;
    command.child.kill('SIGKILL');
    await command.ended;
    if (killed === kills - 1) configure(1_000);
    command = startCommand(['resume'], { cwd: folder, env });
  }
  const last = await command.ended;
  assert.equal(killed, kills, 'the run was over before the last kill: make it slower');
  assert.equal(last.code, 0, last.stderr);

  const charges = await sandbox.liveCharges();
  assert.equal(charges.size, rowCount);
  assert.deepEqual(
    [...charges.values()].filter((count) => count !== 1),
    [],
  );

  const [, batch = ''] = last.stderr.match(/Reports +\S*?([^/\s]+)\/ \(/) ?? [];
  const results = parse(readFileSync(join(folder, 'reports', batch, 'results.csv')), {
    columns: true,
  }) as Record<string, string>[];
  assert.equal(results.length, rowCount);
  assert.deepEqual(new Set(results.map(({ status }) => status)), new Set(['completed']));
  const status = await runCommand(['status', '--json'], { cwd: folder, env });
  assert.deepEqual(
    JSON.parse(status.stdout).batches.map((one: { counts: unknown }) => one.counts),
    [{ completed: rowCount }],
  );
});

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { haltAccount } from '../../../src/ledger/batches/pauses.ts';
import { runHere, startCommand } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { makeLedgerIn, openLedgerIn } from '../../support/folder-ledger.ts';
import { setPause } from '../../support/ledger.ts';

test('a batch that a person paused is sent by no program until a person resumes it by its id', async (t) => {
  const folder = folderOf(t);
  const airbatch = (...args: string[]) => runHere(args, { cwd: folder });
  const header = 'phone_number,network_id,amount,currency';
  writeFileSync(join(folder, 'wrong.csv'), `${header}\n+254712405118,1,50,KES\n`);
  writeFileSync(join(folder, 'right.csv'), `${header}\n+254712405119,1,60,KES\n`);
  const { batch_id: batch } = JSON.parse((await airbatch('submit', 'wrong.csv', '--json')).stdout);
  const counts = async () => JSON.parse((await airbatch('status', batch, '--json')).stdout).counts;

  const paused = await airbatch('pause', batch, '--why', 'the wrong month', '--json');
  assert.deepEqual([paused.code, JSON.parse(paused.stdout)], [0, { batch_id: batch, status: 'paused' }]);
  assert.equal((await airbatch('run', 'right.csv', '--yes')).code, 0);
  const unnamed = await airbatch('resume');
  assert.deepEqual(
    [unnamed.code, unnamed.stderr],
    [0, `Batch ${batch} stays paused, as a person decided: "airbatch resume ${batch}" continues it.\n`],
  );
  assert.deepEqual(await counts(), { ready: 1 });
  assert.match((await airbatch('audit', '--batch', batch)).stdout, /batch: paused it \(by person\).*the wrong month/);

  assert.equal((await airbatch('resume', batch)).code, 0);
  assert.deepEqual(await counts(), { completed: 1 });
  const again = await airbatch('pause', batch, '--why', 'too late');
  assert.deepEqual([again.code, /is finished.*\[BATCH_STATE\]/.test(again.stderr)], [2, true]);
});

for (const [reason, label] of [
  ['guard_tripped', 'a safety limit was reached'],
  ['service_mismatch', 'the service answered about another payment'],
] as const)
  test(`a pause that asks for a look (${label}) ends only if its batch is named: cron may resume all others`, async (t) => {
    const folder = folderOf(t);
    const airbatch = (...args: string[]) => runHere(args, { cwd: folder });
    writeFileSync(join(folder, 'a.csv'), 'phone_number,network_id,amount,currency\n+254712405118,1,50,KES\n');
    const { batch_id: batch } = JSON.parse((await airbatch('submit', 'a.csv', '--json')).stdout);
    const counts = async () => JSON.parse((await airbatch('status', batch, '--json')).stdout).counts;
    const db = await openLedgerIn(folder);
    await setPause(db, reason, { batchId: batch, detail: 'look at row 1' });
    if (reason === 'service_mismatch')
      await db.transact((tx) =>
        haltAccount({ tx, at: 0, actor: 'engine' }, 'default', { text: 'look at row 1', reason: null }),
      );
    await db.close();

    const unnamed = await airbatch('resume');
    assert.equal(unnamed.code, 5, unnamed.stderr);
    assert.ok(unnamed.stderr.includes(`paused (${label}: look at row 1)`), unnamed.stderr);
    assert.ok(unnamed.stderr.includes(`airbatch resume ${batch}`), unnamed.stderr);
    assert.deepEqual(await counts(), { ready: 1 });

    assert.equal((await airbatch('resume', batch)).code, 0);
    assert.deepEqual(await counts(), { completed: 1 });
  });

test('a run that waits for the result of a row says what its pause waits for, and how to continue', {
  timeout: 600_000,
}, async (t) => {
  const folder = folderOf(t);
  const header = 'phone_number,network_id,amount,currency';
  // One is processed for ever, and the money is out at the next.
  const rows = ['+254712100003,1,50,KES', '+254712100004,1,50,KES'];
  writeFileSync(join(folder, 'a.csv'), `${[header, ...rows].join('\n')}\n`);
  await makeLedgerIn(folder);
  const run = startCommand(['run', 'a.csv', '--yes'], { cwd: folder });
  await run.seen(
    /^Batch (\S+) waits for a person: it is paused \(balance too low: .*\); fund the account, then resume it\. Payments already sent are still followed: this command waits for the service’s result for 1 row\. The service promises a result by \S+ \S+ UTC\. Next: "airbatch resume \1"\. Ctrl-C is safe: nothing is paid twice or lost, and "airbatch resume \1" continues\.$/m,
  );
  run.child.kill('SIGINT');
  const { code, stderr } = await run.ended;
  assert.deepEqual([code, stderr.match(/ waits for a person: /g)?.length], [130, 1], stderr);
});

test('a person who pauses a batch that waits for money sees both reasons, each with its own detail', async (t) => {
  const folder = folderOf(t);
  const airbatch = (...args: string[]) => runHere(args, { cwd: folder });
  writeFileSync(join(folder, 'a.csv'), 'phone_number,network_id,amount,currency\n+254712100004,1,50,KES\n');
  const run = await airbatch('run', 'a.csv', '--yes', '--json');
  assert.equal(run.code, 5, run.stderr);
  const batch = JSON.parse(run.stdout).summary.batch_id;
  assert.equal((await airbatch('pause', batch, '--why', 'month-end')).code, 0);
  assert.match(
    (await airbatch('status', batch)).stdout,
    /^Status {5}paused \(by a person: month-end; balance too low: \w/m,
  );
  const { pauses } = JSON.parse((await airbatch('status', batch, '--json')).stdout);
  assert.deepEqual(
    pauses.map(({ reason, paused_by }: Record<string, string>) => [reason, paused_by === 'engine']),
    [
      ['insufficient_balance', true],
      ['by_person', false],
    ],
  );
  await airbatch('report', batch);
  const reports = join(folder, 'reports', batch);
  const { pause } = JSON.parse(readFileSync(join(reports, 'summary.json'), 'utf8'));
  assert.deepEqual(
    [pause.reason, /^\w.*; also by a person: month-end$/.test(pause.detail)],
    ['insufficient_balance', true],
    pause.detail,
  );
  assert.match(
    readFileSync(join(reports, 'report.html'), 'utf8'),
    /paused \(balance too low: [^)]*; also by a person: month-end\)\. Fund the account, then resume\./,
  );
  assert.equal((await airbatch('verify', reports)).code, 0);
});

test('the rest of a wrong file is skipped once a person has paused it, and the batch ends', async (t) => {
  const folder = folderOf(t);
  const airbatch = (...args: string[]) => runHere(args, { cwd: folder });
  const rows = [1, 2, 3, 4].map((row) => `+25471240511${row},1,50,KES`);
  writeFileSync(join(folder, 'wrong.csv'), `phone_number,network_id,amount,currency\n${rows.join('\n')}\n`);
  const { batch_id: batch } = JSON.parse((await airbatch('submit', 'wrong.csv', '--json')).stdout);
  const early = await airbatch('skip', batch, '--unsent', '--why', 'the wrong month');
  assert.deepEqual([early.code, /not paused by a person.*\n.*airbatch pause /.test(early.stderr)], [2, true]);
  await airbatch('pause', batch, '--why', 'the wrong month');
  assert.match(
    (await airbatch('skip', batch, '2', '--why', 'x')).stderr,
    /row 2 of batch \S+ is not yet sent, not held/,
  );

  const one = await airbatch('skip', batch, '2', '--unsent', '--why', 'the wrong month', '--json');
  assert.deepEqual(JSON.parse(one.stdout), {
    ...{ batch_id: batch, skipped: 1, status: 'paused' },
    ...{ ready: 3, is_worked_on: false },
  });
  assert.match((await airbatch('skip', batch, '--unsent', '--why', 'the wrong month')).stdout, /^Skipped 3 rows\. /);
  const resumed = await airbatch('resume', batch);
  assert.deepEqual(
    [resumed.code, /All 4 rows were skipped: this batch has paid none/.test(resumed.stderr)],
    [0, true],
    resumed.stderr,
  );
  const late = await airbatch('skip', batch, '--unsent', '--why', 'the wrong month');
  assert.deepEqual([late.code, /is finished: nothing more of it is sent/.test(late.stderr)], [2, true], late.stderr);
  assert.equal((await airbatch('verify', join('reports', batch))).code, 0);
  const audit = await airbatch('audit', '--batch', batch);
  assert.deepEqual([audit.code, /row 3: skipped it: the wrong month/.test(audit.stdout)], [0, true], audit.stderr);
});

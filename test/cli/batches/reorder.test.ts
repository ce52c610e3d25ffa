import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';

const rows = 'phone_number,network_id,amount,currency\n+254712405118,1,50,KES\n';

test('a batch has the deadline of its run command, and another one if a person sets it, which the log shows', async (t) => {
  const folder = folderOf(t);
  const airbatch = (...args: string[]) => runHere(args, { cwd: folder });
  writeFileSync(join(folder, 'a.csv'), rows);
  const submitted = await airbatch('submit', 'a.csv', '--finish-by', '2098-11-20T17:00:00+03:00');
  assert.match(submitted.stderr, /^Done {7}about \d{4}-.* early \(due 2098-11-20 14:00 UTC\), if it begins now$/m);
  const [, batch = ''] = /^Batch +(\S+)/m.exec(submitted.stderr) ?? [];
  // An hour of sending, to be done in half of it: neither is over before a busy machine has read the file.
  const many = Array.from({ length: 3_600 }, (_, index) => `+25471241${1_000 + index},1,50,KES\n`).join('');
  writeFileSync(join(folder, 'b.csv'), `phone_number,network_id,amount,currency\n${many}`);
  const soon = new Date(systemClock.now() + 30 * 60_000).toISOString();
  const late = JSON.parse((await airbatch('submit', 'b.csv', '--finish-by', soon, '--json')).stdout);
  assert.deepEqual([late.finish_by, late.in_time, late.makes_late], [soon, false, []]);
  const changed = await airbatch(
    'reorder',
    batch,
    '--priority',
    'urgent',
    '--finish-by',
    '2098-11-20T18:00:00+03:00',
    '--json',
  );
  assert.deepEqual(JSON.parse(changed.stdout), {
    batch_id: batch,
    status: 'approved',
    priority: 'urgent',
    finish_by: '2098-11-20T15:00:00.000Z',
  });
  const taken = await airbatch('reorder', batch, '--no-finish-by');
  assert.match(taken.stdout, /has the priority urgent now, without a deadline\./);
  const { stdout } = await airbatch('audit', '--batch', batch);
  assert.match(stdout, /received the file .*, to finish by 2098-11-20 14:00:00 UTC$/m);
  assert.match(
    stdout,
    /changed its order: urgent instead of normal, to finish by 2098-11-20 15:00:00 UTC instead of by 2098-11-20 14:00/,
  );
  assert.match(stdout, /changed its order: urgent, to finish at no set time instead of by 2098-11-20 15:00/);
  assert.equal((await airbatch('resume', batch)).code, 0);
  const ended = await airbatch('reorder', batch, '--priority', 'bulk');
  assert.deepEqual(
    [ended.code, /is finished: it has nothing left to send.*\[BATCH_STATE\]/.test(ended.stderr)],
    [2, true],
  );
});

for (const [what, args, words] of [
  [
    'a time that is past',
    ['--finish-by', '2026-01-01T09:00:00Z'],
    /--finish-by "2026-01-01T09:00:00(\.000)?Z" is past: it is \d{4}-/,
  ],
  [
    'a time without its zone',
    ['--finish-by', '2098-01-01T09:00:00'],
    /is not a time with its day and zone.*\nWrite the time with its zone/,
  ],
  ['a day', ['--finish-by', '2098-01-01'], /is a day, not a time/],
  ['what is not a time', ['--finish-by', 'noon'], /--finish-by "noon" is not a time with its day/],
] as const)
  test(`${what} is not accepted as a deadline, and no file is imported`, async (t) => {
    const folder = folderOf(t);
    writeFileSync(join(folder, 'a.csv'), rows);
    const { code, stderr } = await runHere(['submit', 'a.csv', ...args], { cwd: folder });
    assert.equal(code, 2);
    assert.match(stderr, words);
    const { stdout, stderr: said } = await runHere(['status'], { cwd: folder });
    assert.match(stdout + said, /No batches yet|there is no ledger/);
  });

test('a deadline and no deadline cannot be set together', async (t) => {
  for (const args of [
    ['--finish-by', '2098-11-20T17:00:00Z', '--no-finish-by'],
    ['--no-finish-by', '--finish-by', '2098-11-20T17:00:00Z'],
  ]) {
    const { code, stdout, stderr } = await runHere(['reorder', 'x', ...args, '--json'], { cwd: folderOf(t) });
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^error: option '--finish-by' cannot be used with option '--no-finish-by'\n/);
    assert.equal(JSON.parse(stdout).error.code, 'USAGE');
  }
});

test('a reorder without a change is an error', async (t) => {
  const { code, stderr } = await runHere(['reorder', 'x'], { cwd: folderOf(t) });
  assert.deepEqual([code, /nothing to change was given/.test(stderr)], [2, true]);
});

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { runCommand, workFolder } from '../support/command.ts';
import { startSandbox } from './sandbox-process.ts';

test('failed.csv, corrected or as it is, is paid under the run id of the file that it came from', async (t) => {
  const folder = workFolder();
  t.after(() => folder.dispose());
  const sandbox = await startSandbox(folder.path, ['--instant']);
  t.after(() => sandbox.stop());
  const run = (...args: string[]) => runCommand(args, { cwd: folder.path, env: sandbox.env });
  // Numbers that end in 0001 are declined.
  const lines = [
    'phone_number,network_id,amount,currency,reference,name',
    '+254712101001,1,10,KES,e-1,Ann',
    '+254712100001,1,20,KES,e-2,Ben',
    '+254712110001,1,30,KES,e-3,Cat',
    '0712,1,40,KES,e-4,Dan',
  ];
  writeFileSync(join(folder.path, 'november.csv'), `${lines.join('\n')}\n`);
  const first = await run('run', 'november.csv', '--run-id', 'november', '--yes');
  assert.equal(first.code, 4, first.stderr);
  const next =
    /copy (\S+failed\.csv) to (\S+), correct that, then \(nothing is paid twice\) airbatch run \2 --run-id november$/m.exec(
      first.stderr,
    );
  const [, failedCsv = '', corrected = ''] = next ?? [];
  assert.ok(next, first.stderr);

  // A clerk corrects two of the three numbers, and leaves the third as it is.
  const text = readFileSync(join(folder.path, failedCsv), 'utf8')
    .replace('+254712100001', '+254712102002')
    .replace('0712,', '+254712103003,');
  writeFileSync(join(folder.path, corrected), text);
  const second = await run('run', corrected, '--run-id', 'november', '--yes', '--json');
  assert.equal(second.code, 4, second.stderr);
  const { summary } = JSON.parse(second.stdout);
  assert.deepEqual([summary.rows.total, summary.rows.by_status.completed, summary.rows.by_status.failed], [3, 2, 1]);
  const results = readFileSync(join(folder.path, 'reports', summary.batch_id, 'results.csv'), 'utf8');
  for (const reference of ['november/e-2~2', 'november/e-3~2', 'november/e-4'])
    assert.match(results, new RegExp(`,${reference},`));

  const twice = await run('run', corrected, '--run-id', 'november', '--yes');
  assert.match(twice.stderr, /File {7}3 rows: 1 to pay \(1 again, after it failed\), 2 paid before or under way\n/);
  const all = await run('reconcile', '--from', '2000-01-01', '--to', '2100-01-01', '--json');
  assert.equal(all.code, 0, all.stdout);

  const verify = await run('verify', dirname(failedCsv));
  assert.equal(verify.code, 0, verify.stdout);
  writeFileSync(join(folder.path, failedCsv), text);
  const edited = await run('verify', dirname(failedCsv));
  assert.equal(edited.code, 4);
  assert.match(
    edited.stdout,
    /! Only failed\.csv is not as it was signed: it was edited or taken away .*\n✘ failed\.csv has /,
  );
});

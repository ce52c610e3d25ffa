import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { sandboxHere } from '../support/sandbox-process.ts';

test('failed.csv, corrected or unchanged, is paid under the run id of its file', async (t) => {
  const folder = folderOf(t);
  const sandbox = await sandboxHere(t, { settleMs: 0 });
  const run = (...args: string[]) => runHere(args, { cwd: folder, env: sandbox.env });
  // Numbers that end in 0001 are declined.
  const lines = [
    'phone_number,network_id,amount,currency,reference,name',
    '+254712101001,1,10,KES,e-1,Ann',
    '+254712100001,1,20,KES,e-2,Ben',
    '+254712110001,1,30,KES,e-3,Cat',
    '0712,1,40,KES,e-4,Dan',
  ];
  writeFileSync(join(folder, 'november.csv'), `${lines.join('\n')}\n`);
  const first = await run('run', 'november.csv', '--run-id', 'november', '--yes');
  assert.equal(first.code, 4, first.stderr);
  const next =
    /copy (\S+failed\.csv) to (\S+), correct the copy, then \(nothing is paid twice\) airbatch run \2 --run-id november$/m.exec(
      first.stderr,
    );
  const [, failedCsv = '', corrected = ''] = next ?? [];
  assert.ok(next, first.stderr);

  // A clerk corrects two of the three numbers, and leaves the third as it is.
  const text = readFileSync(join(folder, failedCsv), 'utf8')
    .replace('+254712100001', '+254712102002')
    .replace('0712,', '+254712103003,');
  writeFileSync(join(folder, corrected), text);
  const second = await run('run', corrected, '--run-id', 'november', '--yes', '--json');
  assert.equal(second.code, 4, second.stderr);
  const { summary } = JSON.parse(second.stdout);
  assert.deepEqual([summary.rows.total, summary.rows.by_status.completed, summary.rows.by_status.failed], [3, 2, 1]);
  const results = readFileSync(join(folder, 'reports', summary.batch_id, 'results.csv'), 'utf8');
  for (const reference of ['november/e-2~2', 'november/e-3~2', 'november/e-4'])
    assert.match(results, new RegExp(`,${reference},`));

  const [, firstBatch = ''] = /reports\/([^/]+)\//.exec(failedCsv) ?? [];
  const { stdout } = await run('status', firstBatch);
  const since = `Corrected  2 of the failed and invalid rows were paid since, in batch ${summary.batch_id}\n`;
  assert.ok(stdout.includes(since), stdout);

  const twice = await run('run', corrected, '--run-id', 'november', '--yes');
  assert.match(
    twice.stderr,
    /File {7}3 rows: 1 to pay \(1 again, after it failed\), 2 skipped \(paid before, in progress, or a total\)\n/,
  );
  // The results have the same columns, and rows that were paid: a second run of them would pay these again.
  const workbook = join('reports', summary.batch_id, 'results.xlsx');
  for (const paid of [
    ['run', workbook, '--sheet', 'Results', '--run-id', 'december', '--yes'],
    ['run', join('reports', summary.batch_id, 'results.csv'), '--map', 'phone_number=phone_number', '--yes'],
  ]) {
    const refused = await run(...paid);
    assert.equal(refused.code, 3, refused.stderr);
    assert.match(
      refused.stderr,
      /these are the results of a batch, with rows that were paid: not a file to pay \[FILE_REJECTED\]\nTo correct rows, /,
    );
  }
  const all = await run('reconcile', '--from', '2000-01-01', '--to', '2100-01-01', '--json');
  assert.equal(all.code, 0, all.stdout);

  const verify = await run('verify', dirname(failedCsv));
  assert.equal(verify.code, 0, verify.stdout);
  writeFileSync(join(folder, failedCsv), text);
  const edited = await run('verify', dirname(failedCsv));
  assert.equal(edited.code, 4);
  assert.match(edited.stdout, /! Only failed\.csv was changed or removed .*\n✘ failed\.csv has /);
});

for (const [name, delimiter] of [
  ['commas', ','],
  ['semicolons', ';'],
  ['tabs', '\t'],
] as const)
  test(`failed.csv of a file with ${name} and decimal commas has ${name}, and is read as the same amounts again`, async (t) => {
    const folder = folderOf(t);
    const run = (...args: string[]) => runHere(args, { cwd: folder });
    // The first row alone tells that commas are decimal signs: it is paid, and is not in failed.csv. The last name is
    // an attack.
    const rows = [
      ['phone_number', 'network_id', 'amount', 'currency', 'reference', 'name'],
      ['+254712101001', '1', '10,50', 'KES', 'c-1', 'Ann'],
      ['+254712110001', '1', '1.234', 'KES', 'c-2', 'Bén; Ödön, Cat'],
      ['0712', '1', 'KES 1.100', 'KES', 'c-3', 'Dan,=1+1'],
      ['0713', '1', '20,25', 'KES', 'c-4;,=2', 'Eve'],
    ];
    const lines = rows.map((cells) => cells.map((cell) => `"${cell}"`).join(delimiter));
    writeFileSync(join(folder, 'november.csv'), `${lines.join('\n')}\n`);
    const first = await run('run', 'november.csv', '--run-id', 'november', '--yes', '--json');
    assert.equal(first.code, 4, first.stderr);
    const dir = join('reports', JSON.parse(first.stdout).summary.batch_id);
    const text = readFileSync(join(folder, dir, 'failed.csv'), 'utf8');
    const [header = '', failed = ''] = text.slice(1).split('\n');
    assert.equal(header, [...(rows[0] ?? []), 'problem', 'suggestion'].join(delimiter));
    assert.equal(failed.split(delimiter)[2], '1234');
    if (delimiter !== ',') assert.doesNotMatch(text, /,"*=/);
    assert.equal((await run('verify', dir)).code, 0);

    const corrected = text
      .replace('+254712110001', '+254712102002')
      .replace('0712', '+254712103003')
      .replace('0713', '+254712104004');
    writeFileSync(join(folder, 'corrected.csv'), corrected);
    const second = await run('run', 'corrected.csv', '--run-id', 'november', '--yes', '--json');
    assert.equal(second.code, 0, second.stderr);
    const { summary } = JSON.parse(second.stdout);
    assert.deepEqual(summary.requested.by_status.completed, { KES: '2354.25' });
    const paid = readFileSync(join(folder, 'reports', summary.batch_id, 'results.csv'), 'utf8');
    for (const reference of ['november/c-2~2', 'november/c-3', 'november/c-4;,=2'])
      assert.ok(paid.includes(reference), paid);
    assert.equal((await run('verify', join('reports', summary.batch_id))).code, 0);

    const errors = await run('validate', 'november.csv', '--errors', 'errors.csv');
    assert.equal(errors.code, 4, errors.stderr);
    const [, wrong = ''] = readFileSync(join(folder, 'errors.csv'), 'utf8').split('\n');
    assert.equal(wrong.split(delimiter)[2], 'KES 1100');
  });

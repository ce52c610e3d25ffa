import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { runCommand, workFolder } from '../support/command.ts';

test('airbatch audit tells what happened to a batch and to a row, and finds a chain that was changed', async (t) => {
  const folder = workFolder();
  t.after(() => folder.dispose());
  const run = (...args: string[]) => runCommand(args, { cwd: folder.path });
  const rows = ['+254712101000,1,10,KES,e-1', '+254712101001,1,20,KES,e-2'];
  writeFileSync(
    join(folder.path, 'p.csv'),
    ['phone_number,network_id,amount,currency,reference', ...rows, ''].join('\n'),
  );
  const paid = await run('--json', 'run', 'p.csv', '--yes');
  const batch = (JSON.parse(paid.stdout) as { summary: { batch_id: string } }).summary.batch_id;

  const whole = await run('audit', '--batch', batch);
  assert.equal(whole.code, 0);
  assert.match(whole.stdout, /intake {2}batch: read 2 rows: 2 to pay, 0 wrong/);
  assert.match(whole.stdout, /engine {2}row 2: it was paid for /);
  assert.match(whole.stderr, /The chain of \d+ events is whole/);
  assert.doesNotMatch(whole.stdout, /712101/);

  const row = await run('audit', '--batch', batch, '--row', '2');
  const lines = row.stdout.trim().split('\n');
  assert.ok(lines.length >= 3 && lines.every((line) => line.includes('row 2: ')), row.stdout);
  assert.equal(
    (await run('--json', 'audit', '--batch', batch)).stdout
      .trim()
      .split('\n')
      .every((line) => JSON.parse(line).batch_id === batch),
    true,
  );
  assert.match((await run('audit')).stdout, new RegExp(`${batch}.*approved 2 rows`));
  assert.equal((await run('audit', '--row', '2')).code, 2);
  assert.equal((await run('audit', '--batch', 'none')).code, 2);

  const ledger = new DatabaseSync(join(folder.path, '.airbatch/ledger.db'), { timeout: 5_000 });
  ledger.exec(`UPDATE events SET body = substr(body, 2) WHERE seq = 3`);
  ledger.close();
  const broken = await run('audit', '--batch', batch);
  assert.equal(broken.code, 5);
  assert.match(broken.stderr, /The chain is broken: event 3 does not follow/);
});

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openPostgres } from '../../src/ledger/drivers/postgres/postgres.ts';
import { runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { emptyPostgres } from '../support/postgres.ts';

test('a file is paid, reported and verified on a ledger in PostgreSQL, and its password is nowhere', async (t) => {
  const cwd = folderOf(t);
  const url = new URL(await emptyPostgres());
  url.password = 'hunter2-secret';
  const env = { AIRBATCH_LEDGER_URL: url.href };
  const all: string[] = [];
  const airbatch = async (...args: string[]) => {
    const result = await runHere(args, { cwd, env });
    all.push(result.stdout, result.stderr);
    return result;
  };
  const header = 'phone_number,network_id,amount,currency,reference';
  writeFileSync(
    join(cwd, 'pay.csv'),
    [header, '+254722441100,1,10,KES,a-1', '+254722441101,1,20,KES,a-2', ''].join('\n'),
  );
  const paid = await airbatch('run', 'pay.csv', '--run-id', 'november', '--yes');
  assert.equal(paid.code, 0, paid.stderr);
  const [batch = ''] = readdirSync(join(cwd, 'reports'));

  const again = await airbatch('run', 'pay.csv', '--run-id', 'november', '--yes');
  assert.match(again.stderr, /2 skipped|0 to pay/);
  assert.match((await airbatch('status', batch, '--watch')).stdout, /2 of 2 rows settled/);
  assert.equal((await airbatch('report', batch)).code, 0);
  assert.equal((await airbatch('audit')).code, 0);
  const today = new Date().toISOString().slice(0, 10);
  const reconciled = await airbatch('reconcile', '--from', today, '--to', today);
  assert.equal(reconciled.code, 0, reconciled.stdout);

  const verify = () => airbatch('verify', join('reports', batch), '--ledger', url.href);
  const verified = await verify();
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  assert.match(verified.stdout, /The audit chain is the beginning of the ledger's/);
  const db = openPostgres(url.href);
  t.after(() => db.close());
  await db.execute('UPDATE events SET hash = ? WHERE batch_id = ?', ['0', batch]);
  assert.match((await verify()).stdout, /events\.jsonl is not the audit chain of this ledger/);

  assert.equal(existsSync(join(cwd, '.airbatch/ledger.db')), false);
  for (const folder of ['reports', '.airbatch'])
    for (const file of readdirSync(join(cwd, folder), { recursive: true, withFileTypes: true }))
      if (file.isFile()) all.push(readFileSync(join(file.parentPath, file.name), 'latin1'));
  for (const text of all) assert.doesNotMatch(text, /hunter2/);
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { sandboxHere } from '../support/sandbox-process.ts';

test('report says that nothing has changed, a retry lists the differences from the published version, and both versions verify', async (t) => {
  const folder = folderOf(t);
  const sandbox = await sandboxHere(t, { settleMs: 0 });
  const main = { baseUrl: sandbox.url, apiKeyEnv: 'PAY_KEY' };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts: { main } }));
  const lines = ['+254712101002,1,10,KES,e-1', '+254712100001,1,20,KES,e-2', ''];
  writeFileSync(
    join(folder, 'payroll.csv'),
    ['phone_number,network_id,amount,currency,reference', ...lines].join('\n'),
  );
  const run = (...args: string[]) => runHere(args, { cwd: folder, env: { PAY_KEY: 'sandbox-key' } });
  const paid = await run('run', 'payroll.csv', '--yes');
  assert.equal(paid.code, 4, paid.stderr);
  assert.match(paid.stderr, /^Reports/m);
  assert.doesNotMatch(paid.stderr, /^Version/m, 'a first version differs from nothing');
  const [batch = ''] = readdirSync(join(folder, 'reports'));
  const given = readFileSync(join(folder, 'reports', batch, 'manifest.json'), 'utf8');

  const again = await run('report', batch);
  assert.match(again.stdout, /\nNothing has changed since version 1, as of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\.\n?$/);
  const retried = await run('retry', batch);
  assert.equal(retried.code, 4, retried.stderr);
  assert.match(
    retried.stderr,
    /^Version {4}This is version 2, as of .* UTC\. 1 row differs from version 1 of \d{4}-\d\d-\d\d\. Version 1 is kept in reports\/\S+\/versions\/\.$/m,
  );
  const report = JSON.parse((await run('--json', 'report', batch)).stdout);
  assert.deepEqual([report.is_new, report.version, report.previous.version, report.difference.rows], [false, 2, 1, 1]);
  const dir = join('reports', batch);
  const [kept = '', ...others] = readdirSync(join(folder, dir, 'versions'));
  assert.deepEqual(others, []);
  assert.equal(readFileSync(join(folder, dir, 'versions', kept, 'manifest.json'), 'utf8'), given);
  const proof = await run('verify', dir);
  assert.equal(proof.code, 0, proof.stdout);
  assert.match(
    proof.stdout,
    /^Version {4}2, as of .*^✔ difference\.csv has exactly the differences from version 1 of/ms,
  );
  assert.equal((await run('verify', join(dir, 'versions', kept))).code, 0);
});

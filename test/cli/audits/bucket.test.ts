import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { changeLedgerIn } from '../../support/folder-ledger.ts';
import { s3Server } from '../../support/s3-server.ts';
import { unzipped } from '../../support/unzip.ts';

test('reports in a bucket are written, packed for an auditor, verified and forgotten, and none stays on the machine', async (t) => {
  const [folder, server] = [folderOf(t), await s3Server(t)];
  const { endpoint, bucket, prefix } = server.bucket;
  const keys = { accessKeyIdEnv: 'REPORTS_ID', secretAccessKeyEnv: 'REPORTS_KEY' };
  writeFileSync(
    join(folder, 'airbatch.config.json'),
    JSON.stringify({ reports: { s3: { endpoint, bucket, prefix, ...keys } } }),
  );
  const env = { ...process.env, REPORTS_ID: 'AKIATEST', REPORTS_KEY: 'the-secret-key-of-the-store' };
  const run = (...args: string[]) => runHere(args, { cwd: folder, env });
  writeFileSync(
    join(folder, 'p.csv'),
    'phone_number,network_id,amount,currency,reference\n+254712101000,1,10,KES,e-1\n+254712101001,1,20,KES,e-2\n',
  );
  const paid = await run('run', 'p.csv', '--yes', '--json');
  assert.equal(paid.code, 0, paid.stderr);
  const { summary, reports } = JSON.parse(paid.stdout);
  const batch: string = summary.batch_id;
  assert.match(reports.dir, /^s3:\/\/payouts\/reports\/.*\/version-1-[0-9a-f]{16}$/);
  const again = await run('report', batch);
  assert.match(again.stdout, /Nothing has changed since version 1/);

  const packed = await run('audit-pack', batch, '--out', 'pack.zip');
  assert.equal(packed.code, 0, packed.stderr);
  for (const [name, content] of unzipped(readFileSync(join(folder, 'pack.zip')))) {
    mkdirSync(dirname(join(folder, 'pack', name)), { recursive: true });
    writeFileSync(join(folder, 'pack', name), content);
  }
  const proof = await run('verify', 'pack/reports', '--key', 'pack/airbatch-key.pem');
  assert.equal(proof.code, 0, proof.stdout + proof.stderr);

  assert.equal(existsSync(join(folder, 'reports')), false);
  assert.deepEqual(
    readdirSync(join(folder, '.airbatch')).filter((name) => name.startsWith('.making-')),
    [],
  );

  await changeLedgerIn(folder, 'UPDATE batches SET completed_at = 1');
  const forgotten = await run('forget', batch, '--yes');
  assert.equal(forgotten.code, 0, forgotten.stderr);
  assert.ok(forgotten.stdout.includes(`s3://payouts/reports/${batch}`), 'these reports still name people');

  server.before = () => 503;
  writeFileSync(
    join(folder, 'q.csv'),
    'phone_number,network_id,amount,currency,reference\n+254712101002,1,10,KES,f-1\n',
  );
  const away = await run('run', 'q.csv', '--yes');
  assert.match(away.stderr, /All 1 row was paid|1 of 1|was paid/, 'it is paid without the store');
  assert.match(away.stderr, /s3:\/\/payouts\/reports cannot be used/);
  assert.match(away.stderr, /Check "reports\.s3" .* Then: "airbatch report \S+"\./);
  assert.doesNotMatch(away.stderr, /folder writable/);
  assert.equal(away.code, 5);
});

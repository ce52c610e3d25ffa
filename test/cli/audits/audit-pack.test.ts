import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { unzipped } from '../../support/unzip.ts';

/** A batch that is paid and anchored. */
async function paid(t: TestContext) {
  const folder = folderOf(t);
  const run = (...args: string[]) => runHere(args, { cwd: folder });
  writeFileSync(join(folder, 'airbatch.config.json'), '{"anchors":[{"kind":"file","path":"heads.jsonl"}]}');
  writeFileSync(
    join(folder, 'p.csv'),
    'phone_number,network_id,amount,currency,reference\n+254712101000,1,10,KES,e-1\n+254712101001,1,20,KES,e-2\n',
  );
  const { stdout } = await run('run', 'p.csv', '--yes', '--json');
  return { folder, run, batch: JSON.parse(stdout).summary.batch_id as string };
}

/** Unpacks a pack into a folder. */
function unpack(file: string, into: string): string[] {
  const files = unzipped(readFileSync(file));
  for (const [name, content] of files) {
    mkdirSync(dirname(join(into, name)), { recursive: true });
    writeFileSync(join(into, name), content);
  }
  return [...files.keys()];
}

test('airbatch audit-pack writes one file from which the batch is verified offline', async (t) => {
  const { folder, run, batch } = await paid(t);
  const { code, stdout } = await run('audit-pack', batch, '--out', 'november.zip', '--json');
  assert.equal(code, 0);
  const answer = JSON.parse(stdout);
  assert.deepEqual([answer.batch_id, answer.is_masked, answer.file], [batch, false, join(folder, 'november.zip')]);
  assert.equal(statSync(join(folder, 'november.zip')).mode & 0o777, 0o600);
  const names = unpack(join(folder, 'november.zip'), join(folder, 'pack'));
  assert.deepEqual(names, answer.files);
  for (const name of ['README.txt', 'airbatch-key.pem', 'anchors.jsonl', 'report-format.md', 'reports/results.csv'])
    assert.ok(names.includes(name), name);
  const instructions = readFileSync(join(folder, 'pack/README.txt'), 'utf8');
  const command = 'verify reports --key airbatch-key.pem --anchor anchors.jsonl';
  assert.match(instructions, new RegExp(`airbatch ${command}`));
  assert.match(instructions, new RegExp(`batch ${batch}`));
  const proof = await runHere(command.split(' '), { cwd: join(folder, 'pack') });
  assert.equal(proof.code, 0, proof.stdout + proof.stderr);
  const [, openssl = ''] = /^ {2}openssl (.*)$/m.exec(instructions) ?? [];
  const signature = execFileSync('openssl', openssl.split(' '), { cwd: join(folder, 'pack'), encoding: 'utf8' });
  assert.match(signature, /Verified Successfully/);

  assert.match(instructions, /^ {2}sha256sum reports\/\*\.\*$/m);
  appendFileSync(join(folder, 'pack/reports/results.csv'), '\n');
  const changed = await runHere(command.split(' '), { cwd: join(folder, 'pack') });
  assert.equal(changed.code, 4);
  assert.match(changed.stdout, /✘ results\.csv has \d+ bytes[\s\S]*\nThese reports are not proven\.\n$/);

  const mistyped = await runHere(['verify', 'report'], { cwd: join(folder, 'pack') });
  assert.equal(mistyped.code, 3);
  assert.match(mistyped.stderr, /pack\/report cannot be read \[FILE_UNREADABLE\]/);
});

test('airbatch audit-pack --mask contains no number, and is verified as well', async (t) => {
  const { folder, run, batch } = await paid(t);
  const { code, stdout } = await run('audit-pack', batch, '--mask');
  assert.equal(code, 0);
  assert.match(stdout, /-audit-pack-masked\.zip: \d+ files, masked\./);
  const names = unpack(join(folder, `${batch}-audit-pack-masked.zip`), join(folder, 'pack'));
  for (const name of names)
    assert.equal(readFileSync(join(folder, 'pack', name)).includes('254712101000'), false, name);
  const proof = await runHere(['verify', 'reports', '--key', 'airbatch-key.pem'], { cwd: join(folder, 'pack') });
  assert.equal(proof.code, 0, proof.stdout + proof.stderr);
});

test('airbatch audit-pack names heads that it cannot read', async (t) => {
  const { folder, run, batch } = await paid(t);
  writeFileSync(join(folder, 'heads.jsonl'), 'no head\n');
  await run('audit-pack', batch, '--out', 'november.zip');
  unpack(join(folder, 'november.zip'), join(folder, 'pack'));
  const instructions = readFileSync(join(folder, 'pack/README.txt'), 'utf8');
  assert.match(instructions, /The heads at file .*heads\.jsonl could not be read: line 1/);
});

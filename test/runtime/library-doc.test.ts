import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as airbatch from '../../src/index.ts';
import { verifyReports } from '../../src/verify/verify.ts';
import { folderOf } from '../support/folder.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(root, 'docs', name), 'utf8');

test('docs/library.md has a program that pays a file, and leaves signed reports and a marked ledger', async (t) => {
  const folder = folderOf(t);
  copyFileSync(join(root, 'samples/payroll.csv'), join(folder, 'payroll.csv'));
  const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(read('library.md')) ?? [];
  const file = join(folder, 'pay.ts');
  writeFileSync(file, program.replace("'airbatch'", `'${pathToFileURL(join(root, 'src/index.ts'))}'`));
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder });
  const { id, rows, dir } = JSON.parse(stdout);
  const { completed, failed, invalid } = rows.by_status;
  assert.deepEqual([rows.total, completed, failed, invalid], [40, 26, 2, 12]);
  assert.equal((await verifyReports(dir)).ok, true, id);
  assert.ok(readFileSync(join(folder, '.airbatch/ledger.db.sandbox.mark'), 'utf8').length > 0);
});

test('what docs/library.md and docs/sandbox.md name of the library is there', () => {
  const named = [
    ...read('library.md').matchAll(/airbatch\.([a-z]\w+)\(/g),
    ...read('library.md').matchAll(/`([a-z]+[A-Z]\w*)(?:\(\w*\))?`/g),
    ...read('sandbox.md').matchAll(/`(make[A-Z]\w+)\(/g),
  ].map(([, name = '']) => name);
  assert.ok(named.length > 15, named.join(', '));
  assert.deepEqual(
    named.filter((name) => !(name in airbatch)),
    [],
  );
});

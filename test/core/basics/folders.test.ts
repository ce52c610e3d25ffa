import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolders } from '../../../src/core/basics/folders.ts';
import { folderOf } from '../../support/folder.ts';

test('a folder is made with its parents, each with the given mode, and an existing folder is kept', (t) => {
  const folder = folderOf(t);
  for (let times = 0; times < 2; times++) makeFolders(join(folder, 'a/b/c'), 0o700);
  for (const path of ['a', 'a/b', 'a/b/c']) assert.equal(statSync(join(folder, path)).mode & 0o777, 0o700, path);
  mkdirSync(join(folder, 'there'));
  symlinkSync('there', join(folder, 'link'));
  makeFolders(join(folder, 'link/d'));
  assert.ok(existsSync(join(folder, 'there/d')));
});

test('a file in the place of a folder is a file-system error, and so is a dangling link', (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'file'), '');
  symlinkSync('nowhere', join(folder, 'link'));
  for (const path of ['file', 'file/a', 'link', 'link/a'])
    assert.throws(() => makeFolders(join(folder, path)), /EEXIST|ENOTDIR|ENOENT/, path);
});

test('a ledger and reports are refused if no folder can be made, and the program does not retry for ever', (t) => {
  if (!existsSync('/proc/self')) return t.skip('there is no /proc here');
  const cwd = folderOf(t);
  const launcher = join(import.meta.dirname, '../../../src/cli/airbatch.js');
  const sample = join(import.meta.dirname, '../../../samples/payroll.csv');
  for (const [args, says] of [
    [['run', sample, '--yes', '--ledger', '/proc/x/ledger.db'], /the ledger \/proc\/x\/ledger\.db: .*ENOENT/],
    [['run', sample, '--yes', '--out', '/proc/x/y'], /\/proc\/x\/y: ENOENT/],
  ] as const) {
    const { status, stderr } = spawnSync(process.execPath, [launcher, ...args], {
      cwd,
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.equal(status, 5, stderr);
    assert.match(stderr, says);
  }
});

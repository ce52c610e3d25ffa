import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSource, type Source } from '../../../src/intake/file/source.ts';
import { folderOf } from '../../support/folder.ts';
import { useTemporary } from '../support.ts';

const fileBytesMax = 1_000_000;

async function read(source: Source): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of source.chunks()) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts).toString();
}

async function* given(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

test('a file can be read several times, and its digest is known before its first row', async (t) => {
  const file = join(folderOf(t), 'payroll.csv');
  writeFileSync(file, 'a,b\n'.repeat(100_000));
  const source = await openSource({ file, fileBytesMax });
  assert.deepEqual([source.name, source.bytes, source.sha256.length], ['payroll.csv', 400_000, 64]);
  assert.equal((await read(source)).length, 400_000);
  assert.equal(await read(source), 'a,b\n'.repeat(100_000));
});

test('a file that changes between two readings is refused', async (t) => {
  const file = join(folderOf(t), 'payroll.csv');
  writeFileSync(file, 'amount\n10\n');
  const source = await openSource({ file, fileBytesMax });
  writeFileSync(file, 'amount\n99\n');
  await assert.rejects(read(source), { code: 'FILE_REJECTED', message: /changed while it was being read/ });
});

test('standard input has the digest of the same file, and never leaves anything on the disk', async (t) => {
  const folder = folderOf(t);
  const file = join(folder, 'payroll.csv');
  writeFileSync(file, 'one,two');
  const fromFile = await openSource({ file, fileBytesMax });
  useTemporary(t, folder);
  const source = await openSource({ file: '-', fileBytesMax, stdin: given('one,', 'two') });
  assert.deepEqual(readdirSync(folder), ['payroll.csv'], 'what a crash would leave');
  assert.deepEqual([source.name, source.sha256], ['standard input', fromFile.sha256]);
  assert.equal(await read(source), 'one,two');
  assert.equal(await read(source), 'one,two');
  source.dispose();
});

test('a named pipe, which gives its bytes once, is read like standard input', async (t) => {
  const folder = folderOf(t);
  const pipe = join(folder, 'payroll.pipe');
  if (spawnSync('mkfifo', [pipe]).status !== 0) return t.skip('there are no pipes with names here');
  const text = 'one,two\n'.repeat(50_000);
  const written = writeFile(pipe, text);
  useTemporary(t, folder);
  const source = await openSource({ file: pipe, fileBytesMax });
  await written;
  assert.deepEqual([source.name, source.bytes], ['payroll.pipe', text.length]);
  assert.equal(await read(source), text);
  assert.equal(await read(source), text);
  source.dispose();
  assert.deepEqual(readdirSync(folder), ['payroll.pipe']);
  const large = writeFile(pipe, 'x'.repeat(101));
  await assert.rejects(openSource({ file: pipe, fileBytesMax: 100 }), /payroll\.pipe is larger than 100/);
  await large;
});

test('a file over the limit is refused, and nothing of it is kept', async (t) => {
  const file = join(folderOf(t), 'payroll.csv');
  writeFileSync(file, 'x'.repeat(101));
  await assert.rejects(openSource({ file, fileBytesMax: 100 }), { code: 'FILE_REJECTED', message: /larger than 100/ });
  const stdin = given('x'.repeat(60), 'x'.repeat(60));
  await assert.rejects(openSource({ file: '-', fileBytesMax: 100, stdin }), /standard input is larger than 100/);
});

test('an unreadable file is reported in one sentence', async (t) => {
  const folder = folderOf(t);
  await assert.rejects(openSource({ file: join(folder, 'no.csv'), fileBytesMax }), {
    code: 'FILE_UNREADABLE',
    message: `there is no file no.csv in ${folder}`,
  });
  await assert.rejects(openSource({ file: folder, fileBytesMax }), { code: 'FILE_UNREADABLE', message: /folder/ });
});

test('a file for which a sheet is named is a workbook, wherever it comes from', async (t) => {
  const folder = folderOf(t);
  const file = join(folder, 'payroll.csv');
  writeFileSync(file, 'one,two');
  const refused = { code: 'USAGE', message: /is not a workbook/ };
  await assert.rejects(openSource({ file, fileBytesMax, sheetIsNamed: true }), refused);
  const from = (text: string) => ({ file: '-', fileBytesMax, stdin: given(text) });
  await assert.rejects(openSource({ ...from('one,two'), sheetIsNamed: true }), refused);
  (await openSource({ ...from('one,two'), sheetIsNamed: false })).dispose();
  (await openSource({ ...from('PK\u0003\u0004'), sheetIsNamed: true })).dispose();
});

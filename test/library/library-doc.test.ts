import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as airbatch from '../../src/index.ts';
import * as operations from '../../src/operations/all.ts';
import { verifyReports } from '../../src/verify/verify.ts';
import { folderOf } from '../support/folder.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(root, 'docs', name), 'utf8');
const programs = [...read('library.md').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, program = '']) => program);

/** Runs programs of the page one after the other in a folder of their own, and returns what each prints. */
async function printed(t: TestContext, ...which: number[]): Promise<unknown[]> {
  const folder = folderOf(t);
  copyFileSync(join(root, 'samples/payroll.csv'), join(folder, 'payroll.csv'));
  const documents: unknown[] = [];
  for (const index of which) {
    const file = join(folder, `program-${index}.ts`);
    const program = programs[index] ?? '';
    writeFileSync(file, program.replaceAll("'airbatch'", `'${pathToFileURL(join(root, 'src/index.ts'))}'`));
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder });
    documents.push(JSON.parse(stdout));
  }
  return documents;
}

describe('the programs of docs/library.md', () => {
  test('pay a file; then prove, reconcile and forget', async (t) => {
    const [paid, proven] = await printed(t, 0, 3);
    const { rows, dir } = paid as { rows: { total: number; byStatus: Record<string, number> }; dir: string };
    const { completed, failed, invalid } = rows.byStatus;
    assert.deepEqual([rows.total, completed, failed, invalid], [40, 26, 2, 12]);
    assert.equal((await verifyReports(dir)).ok, true);
    assert.deepEqual(proven, { ok: true, isSettled: true, forgotten: 0 });
  });

  test('ask before sending', async (t) => {
    assert.deepEqual(await printed(t, 1), ['cancelled']);
  });

  test('check, submit and approve', async (t) => {
    assert.deepEqual(await printed(t, 2), [{ invalid: 12, status: 'completed' }]);
  });
});

test('every name of the library in docs/library.md and docs/sandbox.md exists', () => {
  const named = [
    ...read('library.md').matchAll(/(?:airbatch|clerk|approver)\.([a-z]\w+)\(/g),
    ...read('library.md').matchAll(/`([a-z]+[A-Z]\w*)(?:\(\w*\))?`/g),
    ...read('sandbox.md').matchAll(/`(make[A-Z]\w+)\(/g),
  ].map(([, name = '']) => name);
  assert.ok(named.length > 15, named.join(', '));
  assert.deepEqual(
    named.filter((name) => !(name in airbatch || name in operations || ['camelCase', 'batchId'].includes(name))),
    [],
  );
});

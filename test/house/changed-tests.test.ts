import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { folderOf } from '../support/folder.ts';
import { changedTests } from './changed-tests.ts';

const imports = new Map([
  ['src/core/time/clock.ts', []],
  ['src/engine/pacing/outage.ts', ['src/core/time/clock.ts']],
  ['src/engine/loops.ts', ['src/engine/pacing/outage.ts']],
  ['src/cli/run.ts', ['src/engine/loops.ts']],
  ['test/core/time/clock.test.ts', ['src/core/time/clock.ts']],
  ['test/cli/run.test.ts', ['src/cli/run.ts']],
  ['test/cli/loops.test.ts', ['src/engine/loops.ts']],
  ['test/engine/loops.test.ts', ['src/engine/loops.ts']],
  ['test/engine/pacing/outage.test.ts', ['src/engine/pacing/outage.ts']],
  ['test/support/engine.ts', ['src/engine/loops.ts']],
  ['test/support/wide.ts', ['test/support/engine.ts']],
  ['test/engine/wide.test.ts', ['test/support/wide.ts']],
  ['test/runtime/library-doc.test.ts', []],
  ['test/tidy.test.ts', []],
]);

describe('npm run check', () => {
  const testsFor = (t: Parameters<typeof folderOf>[0], changed: readonly string[]) => {
    const root = folderOf(t);
    const texts = { 'test/runtime/library-doc.test.ts': "read('library.md')" } as Record<string, string>;
    for (const path of imports.keys()) {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, texts[path] ?? '');
    }
    return changedTests(imports, changed, root).map((path) => basename(path, '.test.ts'));
  };

  test('runs the tests that import a changed file, directly or through its own room, its own folder first', (t) => {
    const tests = testsFor(t, ['src/engine/pacing/outage.ts']);
    assert.deepEqual(tests, ['tidy', 'outage', 'loops', 'loops']);
    assert.deepEqual(testsFor(t, ['src/engine/loops.ts']), ['tidy', 'loops', 'loops']);
    assert.deepEqual(testsFor(t, ['src/core/time/clock.ts']), ['tidy', 'clock']);
  });

  test('runs a changed test, and all tests that use a changed helper of tests', (t) => {
    assert.deepEqual(testsFor(t, ['test/cli/run.test.ts']), ['tidy', 'run']);
    assert.deepEqual(testsFor(t, ['test/support/engine.ts']), ['tidy', 'wide']);
  });

  test('runs the tests that name a changed page', (t) => {
    assert.deepEqual(testsFor(t, ['docs/library.md']), ['tidy', 'library-doc']);
  });

  test('runs only the tests of the house for a file that no test knows', (t) => {
    assert.deepEqual(testsFor(t, ['src/gone.ts']), ['tidy']);
  });
});

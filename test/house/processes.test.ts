import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { describe, test } from 'node:test';
import { root } from './imports.ts';
import { shareProcesses } from './processes.ts';

describe('the processes of npm test', () => {
  const files = globSync('test/**/*.test.ts', { cwd: root }).sort();

  test('run every test file, once', () => {
    assert.ok(files.length > 300);
    assert.deepEqual(shareProcesses(files).flat().sort(), files);
  });

  test('have files of one room, and begin with those that take longest', () => {
    const shares = shareProcesses(files);
    for (const share of shares) assert.equal(new Set(share.map((file) => file.split('/')[1])).size, 1, share.join());
    assert.deepEqual(shares[0], ['test/bench/quick.test.ts']);
    assert.ok(shares.length < files.length / 2);
  });
});

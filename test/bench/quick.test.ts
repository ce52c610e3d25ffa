import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');
const kept = [
  join(root, 'docs/performance.md'),
  ...readdirSync(join(root, 'bench/results')).map((name) => join(root, 'bench/results', name)),
];
const keptTexts = () => kept.map((path) => readFileSync(path, 'utf8'));

function bench(args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(root, 'bench/main.ts'), ...args], { encoding: 'utf8', timeout: 600_000 });
}

describe('npm run bench', () => {
  test('measures everything in one table with --quick, and stores none of those figures', () => {
    const before = keptTexts();
    const { status, stdout, stderr } = bench(['--quick']);
    assert.equal(status, 0, stderr);
    const names = [...stderr.matchAll(/^([a-z]+) \.\.\./gm)].map(([, name]) => name);
    assert.ok(names.length >= 7, `only ${names} ran`);
    for (const name of names) assert.match(stdout, new RegExp(`│ ${name} +│ .+ │ +[0-9.,]+ `), `${name} has no figure`);
    assert.doesNotMatch(stdout, /NaN|Infinity/);
    assert.deepEqual(keptTexts(), before);
  });

  test('lists the benches if asked for an unknown one', () => {
    const { status, stderr } = bench(['no-such-bench']);
    assert.equal(status, 2);
    assert.match(stderr, /no-such-bench.*start, .*engine/);
  });
});

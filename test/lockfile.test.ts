import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';

const root = resolve(import.meta.dirname, '..');

interface LockedPackage {
  version?: string;
  integrity?: string;
  link?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
}

const read = <Document>(path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as Document;
const { packages } = read<{ packages: Record<string, LockedPackage> }>('package-lock.json');
const project = read<{
  workspaces: string[];
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
}>('package.json');

const nameOf = (path: string) => path.replace(/^.*node_modules\//, '');
/** What is fetched: the rest are folders of this very repository. */
const fetched = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && link !== true);

describe('the lockfile', () => {
  test('names every package with the digest of its content', () => {
    assert.ok(fetched.length > 100);
    const without = fetched.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''));
    assert.deepEqual(
      without.map(([path]) => path),
      [],
    );
  });

  test('lets no package run a script of its own, which could fetch what it does not name', () => {
    const scripted = fetched.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    for (const [path] of scripted) assert.equal(project.allowScripts[nameOf(path)], false, path);
    assert.ok(!Object.values(project.allowScripts).includes(true));
  });

  test('links to folders of this repository alone', () => {
    const local = Object.keys(packages).filter((path) => path !== '' && !path.includes('node_modules/'));
    assert.deepEqual(local, project.workspaces.toSorted());
  });

  test('brings one exact version of Node, in as many packages as there are platforms', () => {
    const { version, optionalDependencies } = read<{ version: string; optionalDependencies: Record<string, string> }>(
      'tools/node/package.json',
    );
    for (const [name, wanted] of Object.entries(optionalDependencies)) {
      assert.equal(wanted, version);
      const { version: locked, optional, hasInstallScript } = packages[`node_modules/${name}`] ?? {};
      assert.deepEqual([locked, optional, hasInstallScript], [version, true, undefined], name);
    }
    const { dependencies, devDependencies } = project;
    for (const [name, wanted] of Object.entries({ ...dependencies, ...devDependencies }))
      assert.match(wanted, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, name);
  });
});

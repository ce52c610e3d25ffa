import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { embeddedSandboxService } from '../../src/ledger/batches/batches.ts';
import { root } from '../house/imports.ts';
import { folderOf } from '../support/folder.ts';

describe('the console', () => {
  test('has the present types of the API (if not: npm run client-types)', (t) => {
    const generator = join(root, 'tools/client-types/node_modules/openapi-typescript/bin/cli.js');
    if (!existsSync(generator)) {
      t.skip('openapi-typescript is not installed in tools/client-types');
      return;
    }
    const path = join(folderOf(t), 'schema.ts');
    execFileSync(process.execPath, [generator, join(root, 'docs/api-openapi.json'), '-o', path], { stdio: 'ignore' });
    const isSame = readFileSync(path, 'utf8') === readFileSync(join(root, 'src/console/api/schema.ts'), 'utf8');
    assert.ok(isSame, 'src/console/api/schema.ts is old: npm run client-types');
  });

  test('and the verifier know the sandbox within the program by the name that the ledger has', () => {
    for (const path of ['src/console/base/values.tsx', 'src/verify/checks/derived.ts'])
      assert.ok(readFileSync(join(root, path), 'utf8').includes(`'${embeddedSandboxService}'`), path);
  });

  test('and its tests compile', () => {
    const tsc = join(root, 'node_modules/.bin/tsc');
    for (const program of ['src/console', 'test/console'])
      execFileSync(process.execPath, [tsc, '-p', join(root, program)], { encoding: 'utf8' });
  });
});

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';

/**
 * Reports that earlier versions of the program made of samples/payroll.csv, each with its public key. One is added for
 * each release (docs/releasing.md), and none is ever changed.
 */
const folder = join(import.meta.dirname, 'earlier-reports');

interface Kept {
  batch: string;
  key: string;
  /** The content of each file in base64. */
  files: Record<string, string>;
}

for (const name of readdirSync(folder))
  test(`the reports of ${name.replace('.json.gz', '')} verify, and a changed amount in them is found`, async (t) => {
    const { batch, key, files }: Kept = JSON.parse(gunzipSync(readFileSync(join(folder, name))).toString());
    const cwd = folderOf(t);
    mkdirSync(join(cwd, batch));
    for (const [file, content] of Object.entries(files)) writeFileSync(join(cwd, batch, file), content, 'base64');
    writeFileSync(join(cwd, 'key.pem'), key);
    const verify = () => runHere(['verify', batch, '--key', 'key.pem'], { cwd });
    const proven = await verify();
    assert.equal(proven.code, 0, proven.stdout);
    const results = join(cwd, batch, 'results.csv');
    writeFileSync(results, readFileSync(results, 'utf8').replace(',KES,', ',UGX,'));
    assert.equal((await verify()).code, 4);
  });

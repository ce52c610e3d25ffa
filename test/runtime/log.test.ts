import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeLog } from '../../src/runtime/log.ts';
import { workFolder } from '../support/command.ts';

test('a log in files is turned over when it is full, and the oldest goes; secrets and numbers are in none of them', async (t) => {
  const folder = workFolder();
  t.after(() => folder.dispose());
  const file = join(folder.path, 'airbatch.log');
  const log = makeLog({
    level: 'warn',
    secrets: ['canary-secret'],
    screen: null,
    file: { file, maxSizeMb: 0.01, keep: 3 },
  });
  for (let line = 0; line < 400; line++) {
    log.info('a row was sent with canary-secret to +254712345678', {
      batch: 'B-1',
      row: line,
      note: 'key canary-secret',
    });
    if (line % 50 === 0) await sleep(20);
  }
  await sleep(300);
  const names = readdirSync(folder.path).sort();
  assert.ok(names.length > 1 && names.length <= 3, names.join());
  for (const name of names) {
    const text = readFileSync(join(folder.path, name), 'utf8');
    assert.doesNotMatch(text, /canary|712345678/);
    for (const line of text.split('\n').filter(Boolean)) assert.equal(JSON.parse(line).batch, 'B-1');
    assert.equal(statSync(join(folder.path, name)).mode & 0o077, 0, `${name} is readable by its owner alone`);
  }
});

import assert from 'node:assert/strict';
import fs, { readdirSync, readFileSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
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

test('a disk that is full for a while costs the lines of that while, and nothing else', {
  timeout: 60_000,
}, async (t) => {
  const folder = workFolder();
  t.after(() => folder.dispose());
  const file = join(folder.path, 'airbatch.log');
  const { write } = fs;
  let isFull = false;
  let linesGiven = 0;
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  t.mock.method(fs, 'write', (fd: number, bytes: Uint8Array, ...rest: unknown[]) => {
    const done = rest.at(-1) as (error: Error | null, ...written: unknown[]) => void;
    const [at, length] = rest as [number, number];
    const given =
      Buffer.from(bytes.subarray(at, at + length))
        .toString()
        .split('\n').length - 1;
    const count: typeof done = (...answer) => {
      linesGiven += given;
      done(...answer);
    };
    if (isFull) return setImmediate(() => count(full));
    return Reflect.apply(write, fs, [fd, bytes, ...rest.slice(0, -1), count]);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const seen: string[] = [];
  const screen = (text: string) => void seen.push(text);
  const log = makeLog({ level: 'info', secrets: [], screen, file: { file, maxSizeMb: 1, keep: 3 } });
  const say = async (count: number) => {
    const expected = linesGiven + count;
    for (let line = 0; line < count; line++) log.info('a line', { pad: 'x'.repeat(500) });
    while (linesGiven < expected) await sleep(5);
  };
  const lines = () => readFileSync(file, 'utf8').trim().split('\n').length;
  await say(10);
  assert.equal(lines(), 10);
  isFull = true;
  await say(300);
  assert.equal(seen.length, 310, 'the screen does not wait for the disk');
  isFull = false;
  await say(10);
  assert.deepEqual([lines(), seen.length], [20, 320]);
});

import assert from 'node:assert/strict';
import fsSync, { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isJournal, makeLastingTrouble, makeLog } from '../../../src/runtime/logging/log.ts';
import { folderOf } from '../../support/folder.ts';

/** What the newest file of a log holds: nothing where it is being turned over at this moment. */
function lastOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

test('a log file is rotated when it is full, and the oldest is deleted; no file has secrets or numbers', async (t) => {
  const folder = folderOf(t);
  const file = join(folder, 'airbatch.log');
  const log = makeLog({
    level: 'warn',
    secrets: ['canary-secret'],
    screen: null,
    file: { file, maxSizeMb: 0.01, keep: 3 },
  });
  for (let line = 0; line < 400; line++) {
    log.info('a job has run', {
      batch_id: 'B-1',
      row: line,
      note: 'key canary-secret, a row was sent to +254712345678',
    });
    if (line % 50 === 0) await sleep(20);
  }
  // The last of them is in the file: nothing is under way that would reach into the next test, however slow the disk
  // is.
  while (!lastOf(file).includes('"row":399')) await sleep(5);
  const names = readdirSync(folder).sort();
  assert.ok(names.length > 1 && names.length <= 3, names.join());
  for (const name of names) {
    const text = readFileSync(join(folder, name), 'utf8');
    assert.doesNotMatch(text, /canary|712345678/);
    for (const line of text.split('\n').filter(Boolean)) assert.equal(JSON.parse(line).batch_id, 'B-1');
    assert.equal(statSync(join(folder, name)).mode & 0o077, 0, `${name} is readable by its owner alone`);
  }
});

test('a network address is whole in the log', () => {
  const lines: string[] = [];
  const log = makeLog({ level: 'warn', secrets: [], screen: (line) => lines.push(line) });
  for (const address of ['198.51.100.71', '2001:db8::1234:5678', '254712345678', 'at 198.51.100.71'])
    log.warn('somebody could not sign in to the console', { address });
  const logged = lines.map((line) => line.match(/address=(.*)\)/)?.[1]);
  assert.deepEqual(logged, ['198.51.100.71', '2001:db8::1234:5678', '[number]', 'at [number]']);
});

test('a temporary error of a disk or a folder costs the lines of that time, and nothing else', async (t) => {
  const folder = folderOf(t);
  const dir = join(folder, 'logs');
  const file = join(dir, 'airbatch.log');
  const { appendFile } = fs;
  let isFull = false;
  let tried = 0;
  t.mock.method(fs, 'appendFile', async (...given: Parameters<typeof appendFile>) => {
    try {
      if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      await appendFile(...given);
    } finally {
      tried += 1;
    }
  });
  const { mkdirSync } = fsSync;
  t.mock.method(fsSync, 'mkdirSync', (...given: Parameters<typeof mkdirSync>) => {
    try {
      return mkdirSync(...given);
    } catch (error) {
      tried += 1;
      throw error;
    }
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const seen: string[] = [];
  const screen = (text: string) => void seen.push(text);
  const log = makeLog({ level: 'info', secrets: [], screen, file: { file, maxSizeMb: 0.1, keep: 3 } });
  const say = async (count: number) => {
    const expected = tried + count;
    for (let line = 0; line < count; line++) log.info('a job has run', { pad: 'x'.repeat(500) });
    while (tried < expected) await sleep(5);
  };
  const lines = () => readFileSync(file, 'utf8').trim().split('\n').length;
  await say(10);
  assert.equal(lines(), 10);
  isFull = true;
  await say(300);
  isFull = false;
  await say(10);
  assert.deepEqual([lines(), seen.length], [20, 320], 'the screen does not wait for the disk');
  rmSync(dir, { recursive: true });
  await say(300);
  assert.deepEqual([readdirSync(dir).length, seen.length], [2, 620], 'a folder that somebody has removed is made anew');
  rmSync(dir, { recursive: true });
  writeFileSync(dir, 'no folder');
  await say(300);
  rmSync(dir);
  await say(10);
  assert.deepEqual([lines(), seen.length], [10, 930], 'where no folder can be, the program goes on');
});

test('a log that cannot be started is reported at once', (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'logs'), 'no folder');
  const file = { file: join(folder, 'logs', 'airbatch.log'), maxSizeMb: 1, keep: 3 };
  assert.throws(() => makeLog({ level: 'info', secrets: [], screen: null, file }), {
    code: 'CONFIG_INVALID',
    message: /^log\.file: \S+airbatch\.log cannot be written \((EEXIST|ENOTDIR)/,
  });
});

test('a log on a read-only disk keeps no program from starting, which then reports the disk', async (t) => {
  const file = { file: join(folderOf(t), 'airbatch.log'), maxSizeMb: 1, keep: 3 };
  const refused = Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
  const mocked = t.mock.method(fsSync, 'appendFileSync', () => {
    throw refused;
  });
  syncBuiltinESMExports();
  const stderr = t.mock.method(process.stderr, 'write', () => true);
  const log = makeLog({ level: 'info', secrets: [], screen: null, file });
  mocked.mock.restore();
  syncBuiltinESMExports();
  log.warn('a webhook was rejected');
  while (lastOf(file.file) === '') await sleep(5);
  stderr.mock.restore();
  assert.match(readFileSync(file.file, 'utf8'), /a webhook was rejected/);
});

test('a field of a line cannot be named message, which would change the sentence', () => {
  const lines: string[] = [];
  const log = makeLog({ level: 'warn', secrets: [], screen: (text) => lines.push(text) });
  // @ts-expect-error: the sentence is the first argument.
  const run = () => log.warn('a webhook was rejected', { message: 'it is busy' });
  run();
  log.warn('a webhook was rejected', { error: 'it is busy' });
  assert.match(lines[0] ?? '', /was rejected it is busy/);
  assert.match(lines[1] ?? '', /was rejected \(error=it is busy\)/);
});

test('lasting trouble is reported once, then every quarter of an hour, and again after it was over', () => {
  const told: unknown[] = [];
  let at = 0;
  const warn = (_message: string, data: unknown) => void told.push(data);
  const trouble = makeLastingTrouble({ warn }, { monotonic: () => at });
  const locked = { error: 'database is locked' };
  for (at = 0; at < 20 * 60_000; at += 5_000)
    trouble.report('webhooks could not be sent; airbatch tries again', locked);
  assert.deepEqual(told, [locked, locked]);
  const full = { error: 'disk is full' };
  trouble.report('webhooks could not be sent; airbatch tries again', full);
  trouble.over();
  trouble.report('webhooks could not be sent; airbatch tries again', full);
  assert.deepEqual(told, [locked, locked, full, full]);
});

test('a line has the code and the level of its sentence, and the time unless systemd’s journal has it', () => {
  const lines: string[] = [];
  const stderr = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
  const options = { level: 'info', secrets: [], screen: null, stderr } as const;
  makeLog(options).warn('a job has failed', { job: 'payroll' });
  makeLog({ ...options, journal: true }).warn('a job has failed', { job: 'payroll' });
  const [plain, journal] = lines as [string, string];
  const { timestamp, ...line } = JSON.parse(plain);
  assert.deepEqual(line, { event: 'job_failed', level: 'error', message: 'a job has failed', job: 'payroll' });
  assert.match(timestamp, /^\d{4}-.*Z$/);
  // The journal reads the priority from the beginning of the line, and takes it away.
  assert.match(journal, /^<3>\{/);
  assert.deepEqual(JSON.parse(journal.slice(3)), line);
});

test('stderr is known as systemd’s journal by its device and inode', (t) => {
  const file = join(folderOf(t), 'journal');
  const fd = fsSync.openSync(file, 'w');
  t.after(() => fsSync.closeSync(fd));
  const stderr = Object.assign(new Writable(), { fd });
  const { dev, ino } = statSync(file, { bigint: true });
  assert.equal(isJournal({ JOURNAL_STREAM: `${dev}:${ino}` }, stderr), true);
  assert.equal(isJournal({ JOURNAL_STREAM: `${dev}:${ino + 1n}` }, stderr), false);
  assert.equal(isJournal({}, stderr), false);
});

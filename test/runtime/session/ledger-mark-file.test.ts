import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { makeLedgerMark } from '../../../src/runtime/session/ledger-mark-file.ts';
import { folderOf } from '../../support/folder.ts';

/** The only file of marks in a folder. */
function fileIn(folder: string): string {
  const [name, ...others] = readdirSync(folder).filter((one) => one.endsWith('.mark'));
  assert.ok(name !== undefined && others.length === 0, `${name} and ${others}`);
  return join(folder, name);
}

/** Counts the files that this process writes to the disk. */
async function countWrites(t: TestContext, path: string, onWrite: () => void): Promise<void> {
  const handle = await open(path);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  t.mock.method(prototype, 'sync', async () => onWrite());
}

test('a mark next to the ledger has the last state of its account, readable only by its owner', async (t) => {
  const folder = folderOf(t);
  const mark = makeLedgerMark(join(folder, 'ledger.db'));
  assert.equal(await mark.read('main'), null);
  await mark.write('main', { fence: 1, expiresAt: 1_000 });
  await mark.write('main', { fence: 2, expiresAt: 2_000 });
  await mark.write('other', { fence: 7, expiresAt: 3_000 });
  assert.deepEqual(await mark.read('main'), { fence: 2, expiresAt: 2_000 });
  assert.deepEqual(await mark.read('other'), { fence: 7, expiresAt: 3_000 });
  assert.equal(statSync(fileIn(folder)).mode & 0o077, 0);
});

test('marks of 300 accounts that are written together take at most two writes', async (t) => {
  const folder = folderOf(t);
  const mark = makeLedgerMark(join(folder, 'ledger.db'));
  await mark.write('main', { fence: 1, expiresAt: 1_000 });
  let writes = 0;
  await countWrites(t, fileIn(folder), () => {
    writes += 1;
  });
  const names = Array.from({ length: 300 }, (_, number) => `account-${number}`);
  await Promise.all(names.map((name, fence) => mark.write(name, { fence, expiresAt: 5_000 })));
  assert.ok(writes <= 2, `${writes}`);
  assert.deepEqual(await mark.read('account-299'), { fence: 299, expiresAt: 5_000 });
});

for (const [which, own, other, newest] of [
  ['of a later holder', { fence: 2, expiresAt: 9_000 }, { fence: 3, expiresAt: 1_000 }, 'other'],
  ['of an earlier holder', { fence: 4, expiresAt: 1_000 }, { fence: 3, expiresAt: 9_000 }, 'own'],
  ['of the same holder, renewed later', { fence: 3, expiresAt: 1_000 }, { fence: 3, expiresAt: 2_000 }, 'other'],
] as const)
  test(`a mark of another process ${which} counts by its number, then by its time`, async (t) => {
    const folder = folderOf(t);
    const mark = makeLedgerMark(join(folder, 'ledger.db'));
    await mark.write('main', own);
    writeFileSync(join(folder, 'ledger.db.+other.mark'), JSON.stringify({ main: other }));
    assert.deepEqual(await mark.read('main'), newest === 'own' ? own : other);
  });

test('the marks of processes whose leases have ended are taken over, and those of living ones stay where they are', async (t) => {
  const folder = folderOf(t);
  const soon = systemClock.now() + 60_000;
  const living = JSON.stringify({ second: { fence: 4, expiresAt: 1 }, third: { fence: 1, expiresAt: soon } });
  writeFileSync(join(folder, 'ledger.db.+ended.mark'), '{"main":{"fence":9,"expiresAt":1000}}');
  writeFileSync(join(folder, 'ledger.db.+living.mark'), living);
  const mark = makeLedgerMark(join(folder, 'ledger.db'));
  await mark.write('first', { fence: 1, expiresAt: 1_000 });
  assert.equal(readFileSync(join(folder, 'ledger.db.+living.mark'), 'utf8'), living);
  assert.ok(!readdirSync(folder).includes('ledger.db.+ended.mark'));
  assert.deepEqual(await mark.read('main'), { fence: 9, expiresAt: 1_000 });
  assert.deepEqual(await mark.read('second'), { fence: 4, expiresAt: 1 });
});

test('a mark that an earlier version wrote counts as well', async (t) => {
  const folder = folderOf(t);
  const mark = makeLedgerMark(join(folder, 'ledger.db'));
  writeFileSync(join(folder, 'ledger.db.main.mark'), '{"fence":5,"expiresAt":1000}');
  assert.deepEqual(await mark.read('main'), { fence: 5, expiresAt: 1_000 });
  await mark.write('main', { fence: 4, expiresAt: 9_000 });
  assert.deepEqual(await mark.read('main'), { fence: 5, expiresAt: 1_000 });
});

for (const name of ['ledger.db.main.mark', 'ledger.db.+some.mark'])
  test(`a mark that was cut short is ignored; an unreadable one is reported: ${name}`, async (t) => {
    const folder = folderOf(t);
    const mark = makeLedgerMark(join(folder, 'ledger.db'));
    for (const text of ['', '{"fence":', '{}', '{"main":{"fence":"1","expiresAt":1}}', '\0\0\0']) {
      writeFileSync(join(folder, name), text);
      assert.equal(await mark.read('main'), null, text);
    }
    mkdirSync(join(folder, name.replace(/main|some/, 'other')));
    await assert.rejects(mark.read('other'), { code: 'LEDGER_IO', message: /other\.mark: EISDIR/ });
  });

test('a mark can be read by everybody who can read the ledger, whoever worked on it last', async (t) => {
  const folder = folderOf(t);
  const ledger = join(folder, 'ledger.db');
  const mark = makeLedgerMark(ledger);
  for (const mode of [0o600, 0o660, 0o640]) {
    writeFileSync(ledger, '');
    chmodSync(ledger, mode);
    await mark.write('main', { fence: 1, expiresAt: 1_000 });
    assert.equal(statSync(fileIn(folder)).mode & 0o777, mode);
  }
});

test('a mark that cannot be written is an error of the ledger, and the next one is written again', async (t) => {
  const ledger = join(folderOf(t), 'nowhere', 'ledger.db');
  const mark = makeLedgerMark(ledger);
  await assert.rejects(mark.write('main', { fence: 1, expiresAt: 1_000 }), { code: 'LEDGER_IO' });
  mkdirSync(join(ledger, '..'));
  await mark.write('other', { fence: 2, expiresAt: 2_000 });
  assert.deepEqual(await mark.read('other'), { fence: 2, expiresAt: 2_000 });
});

test('a mark is completely on the disk before it replaces the previous one', async (t) => {
  const folder = folderOf(t);
  const mark = makeLedgerMark(join(folder, 'ledger.db'));
  await mark.write('main', { fence: 1, expiresAt: 1_000 });
  const path = fileIn(folder);
  const flushed: string[][] = [];
  await countWrites(t, path, () => flushed.push([readFileSync(`${path}.new`, 'utf8'), readFileSync(path, 'utf8')]));
  await mark.write('main', { fence: 2, expiresAt: 2_000 });
  assert.deepEqual(flushed, [['{"main":{"fence":2,"expiresAt":2000}}', '{"main":{"fence":1,"expiresAt":1000}}']]);
  assert.deepEqual(await mark.read('main'), { fence: 2, expiresAt: 2_000 });
});

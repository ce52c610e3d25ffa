import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeLedgerMark } from '../../../src/runtime/session/ledger-mark-file.ts';
import { folderOf } from '../../support/folder.ts';

test('a mark next to the ledger has the last state of its account, readable only by its owner', async (t) => {
  const folder = folderOf(t);
  const mark = makeLedgerMark(join(folder, 'ledger.db'));
  assert.equal(await mark.read('main'), null);
  await mark.write('main', { fence: 1, expiresAt: 1_000 });
  await mark.write('main', { fence: 2, expiresAt: 2_000 });
  await mark.write('other', { fence: 7, expiresAt: 3_000 });
  assert.deepEqual(await mark.read('main'), { fence: 2, expiresAt: 2_000 });
  assert.deepEqual(readdirSync(folder).sort(), ['ledger.db.main.mark', 'ledger.db.other.mark']);
  for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o077, 0, name);
});

test('a mark that was cut short is ignored; an unreadable one is reported', async (t) => {
  const folder = folderOf(t);
  const mark = makeLedgerMark(join(folder, 'ledger.db'));
  for (const text of ['', '{"fence":', '{}', '{"fence":"1","expiresAt":1}', '\0\0\0']) {
    writeFileSync(join(folder, 'ledger.db.main.mark'), text);
    assert.equal(await mark.read('main'), null, text);
  }
  mkdirSync(join(folder, 'ledger.db.other.mark'));
  await assert.rejects(mark.read('other'), { code: 'LEDGER_IO', message: /other\.mark: EISDIR/ });
});

test('a mark can be read by everybody who can read the ledger, whoever worked on it last', async (t) => {
  const ledger = join(folderOf(t), 'ledger.db');
  const mark = makeLedgerMark(ledger);
  for (const mode of [0o600, 0o660, 0o640]) {
    writeFileSync(ledger, '');
    chmodSync(ledger, mode);
    await mark.write('main', { fence: 1, expiresAt: 1_000 });
    assert.equal(statSync(`${ledger}.main.mark`).mode & 0o777, mode);
  }
});

test('a mark that a crash left incomplete, or that cannot be written, causes no internal error', async (t) => {
  const ledger = join(folderOf(t), 'ledger.db');
  const mark = makeLedgerMark(ledger);
  writeFileSync(`${ledger}.main.mark.new`, '{"fence"', { mode: 0o400 });
  await mark.write('main', { fence: 1, expiresAt: 1_000 });
  assert.deepEqual(await mark.read('main'), { fence: 1, expiresAt: 1_000 });
  const gone = makeLedgerMark(join(ledger, 'nowhere', 'ledger.db'));
  await assert.rejects(gone.write('main', { fence: 1, expiresAt: 1_000 }), { code: 'LEDGER_IO' });
});

test('a mark is completely on the disk before it replaces the previous one', async (t) => {
  const folder = folderOf(t);
  const path = join(folder, 'ledger.db.main.mark');
  const mark = makeLedgerMark(join(folder, 'ledger.db'));
  await mark.write('main', { fence: 1, expiresAt: 1_000 });
  const handle = await open(path);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const flushed: string[][] = [];
  t.mock.method(prototype, 'sync', async () => {
    flushed.push([readFileSync(`${path}.new`, 'utf8'), readFileSync(path, 'utf8')]);
  });
  await mark.write('main', { fence: 2, expiresAt: 2_000 });
  assert.deepEqual(flushed, [['{"fence":2,"expiresAt":2000}', '{"fence":1,"expiresAt":1000}']]);
  assert.deepEqual(await mark.read('main'), { fence: 2, expiresAt: 2_000 });
});

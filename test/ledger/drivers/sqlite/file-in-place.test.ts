import assert from 'node:assert/strict';
import { copyFileSync, linkSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { Database } from '../../../../src/ledger/drivers/database.ts';
import { proveWritable } from '../../../../src/ledger/schema/ledger-state.ts';
import { openLedger } from '../../../../src/runtime/session/ledger.ts';
import { folderOf } from '../../../support/folder.ts';

async function ledgerIn(t: TestContext, path: string): Promise<Database> {
  const db = await openLedger(path);
  t.after(() => db.close());
  return db;
}

const refused = { code: 'LEDGER_REPLACED', exitCode: 6 };

describe('a ledger whose file', () => {
  for (const [what, change] of [
    ['is moved', (path: string) => renameSync(path, `${path}.old`)],
    ['is removed', (path: string) => unlinkSync(path)],
    [
      'is replaced by a copy',
      (path: string) => {
        copyFileSync(path, `${path}.copy`);
        renameSync(`${path}.copy`, path);
      },
    ],
  ] as const)
    test(`${what} while it is open accepts no write and shows no snapshot`, async (t) => {
      const path = join(folderOf(t), 'ledger.db');
      const db = await ledgerIn(t, path);
      await proveWritable(db, 1);
      change(path);
      await assert.rejects(proveWritable(db, 2), refused);
      await assert.rejects(db.execute('DELETE FROM pauses'), refused);
      await assert.rejects(
        db.snapshot(async () => 'read'),
        { code: /^LEDGER_(REPLACED|IO)$/ },
      );
    });

  test('is in a folder that is moved accepts no write', async (t) => {
    const folder = folderOf(t);
    const db = await ledgerIn(t, join(folder, '.airbatch/ledger.db'));
    renameSync(join(folder, '.airbatch'), join(folder, 'elsewhere'));
    await assert.rejects(proveWritable(db, 1), refused);
  });

  test('is named by a link that now leads elsewhere accepts no write', async (t) => {
    const folder = folderOf(t);
    const link = join(folder, 'ledger.db');
    for (const name of ['a.db', 'b.db']) await (await openLedger(join(folder, name))).close();
    symlinkSync(join(folder, 'a.db'), link);
    const db = await ledgerIn(t, link);
    await proveWritable(db, 1);
    unlinkSync(link);
    symlinkSync(join(folder, 'b.db'), link);
    await assert.rejects(proveWritable(db, 2), refused);
  });

  test('is moved and put back accepts writes again', async (t) => {
    const path = join(folderOf(t), 'ledger.db');
    const db = await ledgerIn(t, path);
    renameSync(path, `${path}.old`);
    await assert.rejects(proveWritable(db, 1), refused);
    renameSync(`${path}.old`, path);
    await proveWritable(db, 2);
    linkSync(path, `${path}.other`);
    rmSync(`${path}.other`);
    await proveWritable(db, 3);
  });
});

import assert from 'node:assert/strict';
import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { countRows } from '../../../src/ledger/batches/row-counts.ts';
import { openSqlite } from '../../../src/ledger/drivers/sqlite/sqlite.ts';
import { migrate } from '../../../src/ledger/schema/schema.ts';
import { openSession, sessionKey } from '../../../src/runtime/session/session.ts';
import { folderOf } from '../../support/folder.ts';
import { aBatch, addBatch, aRow } from '../../support/ledger.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

test('a start finishes the cancellation of a batch that a crash interrupted: no row of it stays open', async (t) => {
  const cwd = folderOf(t);
  const ledgerPath = join(cwd, 'ledger.db');
  const before = openSqlite(ledgerPath);
  await migrate(before);
  await addBatch(before, makeVirtualClock(), aBatch(), [aRow(1), aRow(2, { status: 'held' }), aRow(3)]);
  await before.execute(`UPDATE batches SET status = 'cancelled'`);
  await before.close();
  const { db } = await openSession({ cwd, env: {}, configPath: undefined, ledgerPath, screen: null });
  t.after(() => db.close());
  assert.deepEqual(await countRows(db, 'batch-1'), new Map([['cancelled', 3]]));
});

test('everybody who may use the ledger can use the signing key, whoever needed it first', async (t) => {
  const cwd = folderOf(t);
  const ledgerPath = join(cwd, 'ledger.db');
  const session = await openSession({ cwd, env: {}, configPath: undefined, ledgerPath, screen: null });
  t.after(() => session.db.close());
  chmodSync(ledgerPath, 0o660);
  await sessionKey(session);
  assert.equal(statSync(join(cwd, 'signing-key.pem')).mode & 0o777, 0o660);
});

test('a failed start leaves no ledger open: a retry every second would open one more each time', async (t) => {
  const cwd = folderOf(t);
  const ledgerPath = join(cwd, 'ledger.db');
  const before = openSqlite(ledgerPath);
  await migrate(before);
  await before.execute('ALTER TABLE batches RENAME TO gone');
  await before.close();
  await assert.rejects(openSession({ cwd, env: {}, configPath: undefined, ledgerPath, screen: null }));
  assert.equal(existsSync(`${ledgerPath}-wal`), false, 'it goes with the last one that has the ledger open');
});

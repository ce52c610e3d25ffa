import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { takeLease } from '../../../src/ledger/schema/lease-table.ts';
import { processHolder } from '../../../src/runtime/session/process-holder.ts';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { makeLedgerIn, openLedgerIn } from '../../support/folder-ledger.ts';
import { aBatch, addBatch, aRow } from '../../support/ledger.ts';

test('airbatch workers lists who works for which account, since when, and how far behind', async (t) => {
  const folder = folderOf(t);
  const account = { baseUrl: 'https://api.example.com', apiKeyEnv: 'KEY' };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts: { main: account, other: account } }));
  await makeLedgerIn(folder);
  const db = await openLedgerIn(folder);
  t.after(() => db.close());
  await addBatch(db, systemClock, aBatch({ batch_id: 'B-1', account: 'main' }), [aRow(1, { batch_id: 'B-1' })]);
  const holder = processHolder(systemClock);
  const lease = { holder, now: systemClock.now(), ttlMs: 60_000, deadHolder: null };
  // By the ledger's own clock.
  const { taken_at } = (await db.transact((tx) => takeLease(tx, { account: 'main', ...lease }))) ?? {};
  assert.ok(taken_at);
  await db.transact((tx) => takeLease(tx, { account: 'other', ...lease, holder: 'far away/1/0', ttlMs: -1 }));
  const airbatch = (...args: string[]) => runHere(['workers', ...args], { cwd: folder, env: { KEY: 'key-1' } });
  const { workers } = JSON.parse((await airbatch('--json')).stdout);
  const idle = { rows_ready: 0, rows_in_flight: 0, rows_in_doubt: 0, oldest_accepted_at: null };
  assert.deepEqual(workers, [
    {
      worker: holder,
      accounts: [{ account: 'main', since: new Date(taken_at).toISOString(), ...idle, rows_ready: 1 }],
    },
    { worker: null, accounts: [{ account: 'other', since: null, ...idle }] },
  ]);
  assert.match((await airbatch()).stdout, /^nobody +other/m);
});

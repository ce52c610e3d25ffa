import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { systemClock } from '../../src/core/time/clock.ts';
import { embeddedSandboxService, listBatches } from '../../src/ledger/batches/batches.ts';
import { openSqlite } from '../../src/ledger/drivers/sqlite/sqlite.ts';
import { migrate } from '../../src/ledger/schema/schema.ts';
import { runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { aBatch, addBatch, aRow } from '../support/ledger.ts';

/** A folder without any credentials, whose ledger has a batch that this service has paid. */
async function setUp(t: TestContext, service: string) {
  const cwd = folderOf(t);
  const db = openSqlite(join(cwd, 'ledger.db'));
  t.after(() => db.close());
  await migrate(db);
  await addBatch(db, systemClock, aBatch({ batch_id: 'old-1', account: 'staff', service }), [
    aRow(1, { batch_id: 'old-1' }),
  ]);
  await db.transact((tx) => tx.execute("UPDATE batches SET status = 'completed'"));
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ ledger: 'ledger.db' }));
  writeFileSync(join(cwd, 'pay.csv'), 'phone_number,network_id,amount,currency\n+254712405118,1,500,KES\n');
  return { cwd, batches: async () => (await listBatches(db, 10)).length };
}

describe('without the credentials of a ledger', () => {
  for (const args of [['run', 'pay.csv', '--yes'], ['serve', '--port', '0'], ['balance']])
    test(`airbatch ${args[0]} does not rehearse`, async (t) => {
      const { cwd, batches } = await setUp(t, 'pay.example');
      const { code, stderr } = await runHere(args, { cwd });
      assert.equal(code, 2, stderr);
      assert.match(stderr, /this ledger has paid from the account "staff" at pay\.example \[CONFIG_INVALID\]/);
      assert.match(stderr, /--account sandbox/);
      assert.equal(await batches(), 1);
    });

  test('an explicit rehearsal is one', async (t) => {
    const { cwd, batches } = await setUp(t, 'pay.example');
    const { code, stderr } = await runHere(['run', 'pay.csv', '--yes', '--account', 'sandbox'], { cwd });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Rehearsal/);
    assert.equal(await batches(), 2);
  });

  test('a ledger of rehearsals continues to rehearse', async (t) => {
    const { cwd } = await setUp(t, embeddedSandboxService);
    const { code, stderr } = await runHere(['run', 'pay.csv', '--yes'], { cwd });
    assert.equal(code, 0, stderr);
  });
});

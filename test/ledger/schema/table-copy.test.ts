import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { openPostgres } from '../../../src/ledger/drivers/postgres/postgres.ts';
import { copyTables, measureTables, readTables } from '../../../src/ledger/schema/table-copy.ts';
import { openLedger } from '../../../src/runtime/session/ledger.ts';
import { migratedPostgres } from '../../support/postgres.ts';

const pauses = 1_000;

/** Half of them are of the account itself, and so name no batch. */
async function withPauses(): Promise<Database> {
  const db = await openLedger(':memory:');
  await db.transact(async (tx) => {
    for (let at = 1; at <= pauses; at++)
      await tx.execute(
        `INSERT INTO pauses (account, batch_id, reason, detail, paused_by, since, cleared_at)
         VALUES ('main', ?, 'service_mismatch', 'a detail', 'engine', ?, ?)`,
        [at % 2 === 0 ? null : `batch-${at}`, at, at === 1 ? null : at],
      );
  });
  return db;
}

for (const [place, open] of [
  ['a file', () => openLedger(':memory:')],
  ['PostgreSQL', async () => openPostgres(await migratedPostgres())],
] as const)
  test(`a table without a key is copied whole to ${place}, in an order that both ledgers have`, async (t) => {
    const from = await withPauses();
    const to = await open();
    t.after(() => Promise.all([from.close(), to.close()]));
    const tables = await readTables(from);
    const read = await copyTables(from, to, tables);
    assert.deepEqual(await measureTables(to, tables), read);
    const [copied] = await to.query<{ records: number }>('SELECT COUNT(*) AS records FROM pauses');
    assert.deepEqual([copied?.records, read.find(({ table }) => table === 'pauses')?.records], [pauses, pauses]);
  });

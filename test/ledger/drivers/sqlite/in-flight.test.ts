import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doubtsByAccount, leftToPersonByBatch, oldestAccepted } from '../../../../src/ledger/accounts/gauges.ts';
import type { Queryable } from '../../../../src/ledger/drivers/database.ts';
import { newsSince, unreportedRows } from '../../../../src/ledger/outbox/news.ts';
import {
  countOverdue,
  dueRows,
  firstOverdue,
  followedRows,
  hasPromised,
  nextDueAt,
  sendingRows,
} from '../../../../src/ledger/rows/in-flight-rows.ts';
import { migrate } from '../../../../src/ledger/schema/schema.ts';
import { sqliteLedger } from '../../../support/ledger.ts';
import { planned } from '../../../support/planned.ts';

const queries: Record<string, (view: Queryable) => Promise<unknown>> = {
  'rows that are due': (view) => dueRows(view, 'batch-1', 'accepted', 5, 10),
  'when the next row is due': (view) => nextDueAt(view, 'batch-1', 'in_doubt'),
  'what is followed': (view) => followedRows(view, 'batch-1', Array(4).fill({ now: 1, dueBy: 2, after: 0, until: 3 })),
  'rows left in sending': (view) => sendingRows(view, 'batch-1', 10),
  'the oldest row that the service has': oldestAccepted,
  'the rows in doubt of all accounts': doubtsByAccount,
  'the doubts that are left to people': leftToPersonByBatch,
  'batches with rows that need a person': (view) => newsSince(view, 0, 1),
  'rows that need a person': (view) => unreportedRows(view, 'in_doubt', 'batch-1', 'chat all'),
  'rows that the service has for too long': (view) => unreportedRows(view, 'overdue', 'batch-1', 'chat all'),
  'how many these are': (view) => countOverdue(view, 'batch-1'),
  'the first of them': (view) => firstOverdue(view, 'batch-1', 20),
  'one that it does not have for too long': (view) => hasPromised(view, 'batch-1'),
};

for (const [what, ask] of Object.entries(queries)) {
  test(`${what}: only the rows in flight are read, however many rows the ledger has`, async () => {
    const db = await sqliteLedger();
    const { view, plans } = planned(db);
    await ask(view);
    const ofRows = plans.filter((plan) => /\brows\b/.test(plan));
    assert.ok(ofRows.length > 0, plans.join('\n'));
    for (const plan of ofRows)
      assert.match(plan, /^(?:SEARCH|SCAN) rows (?:EXISTS )?USING (?:COVERING )?INDEX rows_in_flight\b/);
    await db.close();
  });
}

test('a ledger of an earlier version gets the cheaper index', async () => {
  const db = await sqliteLedger();
  const indexSql = async () => {
    const [found] = await db.query<{ sql: string }>(`SELECT sql FROM sqlite_schema WHERE name = 'rows_in_flight'`);
    return found?.sql ?? '';
  };
  const newest = await indexSql();
  await db.execute('DROP INDEX rows_in_flight');
  await db.execute(
    `CREATE INDEX rows_in_flight ON rows (batch_id, status, next_action_at, accepted_at)
      WHERE status IN ('sending', 'accepted', 'in_doubt')`,
  );
  await db.execute('DELETE FROM migrations WHERE version = 7');
  await migrate(db);
  assert.equal(await indexSql(), newest);
  assert.doesNotMatch(newest, / IN /);
  await db.close();
});

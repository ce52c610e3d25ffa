import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import {
  balancesRead,
  batchesLate,
  batchesOpen,
  costsOfOpenBatches,
  doubtsByAccount,
  lastBalances,
  leftToPersonByBatch,
  notificationsUnsent,
  oldestAccepted,
  rowsOfOpenBatches,
  webhooksWaiting,
} from '../../../src/ledger/accounts/gauges.ts';
import { dueInbox, nextInboxDueAt } from '../../../src/ledger/accounts/webhook-inbox.ts';
import { openBatches, unfinishedBatches } from '../../../src/ledger/batches/batches.ts';
import type { Queryable } from '../../../src/ledger/drivers/database.ts';
import { claimSlot, knownDueTimes, lastSlotIn, openSlots } from '../../../src/ledger/jobs/slots.ts';
import { newsSince, unreportedSkips } from '../../../src/ledger/outbox/news.ts';
import { accountsSending, nextNotification, recipientsWaiting } from '../../../src/ledger/outbox/outbox.ts';
import { countUnsent } from '../../../src/ledger/outbox/webhook-deliveries.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { aBatch, sqliteLedger } from '../../support/ledger.ts';
import { planned } from '../../support/planned.ts';

/** Indexes that hold unfinished entries alone: a scan of one reads nothing else. */
const ofUnfinished = /\bINDEX (?:inbox_unhandled|webhook_deliveries_due)\b/;

const slot = { job: 'minutely', dueAt: 1, holder: 'one', now: 1, expiresAt: 2, deadHolder: null };

/** What `serve` asks for every few seconds, or more often. */
const askedAgain: Record<string, (db: Queryable) => Promise<unknown>> = {
  'news of all kinds': (db) => newsSince(db, 1, 2),
  'slots that were missed': (db) => unreportedSkips(db, 'minutely', 1, 'chat all'),
  'accounts that send': accountsSending,
  'who has word waiting': (db) => recipientsWaiting(db, 1),
  'the next word': (db) => nextNotification(db, 'chat all', 1),
  'batches of an account that are open': (db) => openBatches(db, 'main'),
  'batches that are unfinished': unfinishedBatches,
  'slots that are open': (db) => openSlots(db, 'minutely', 1),
  'due times that are known': (db) => knownDueTimes(db, 'minutely', 1, 2),
  'webhooks that are due': (db) => dueInbox(db, 'main', 1, 10),
  'the next webhook': (db) => nextInboxDueAt(db, 'main'),
  'batches that are late': (db) => batchesLate(db, 1),
  'metrics: open batches': batchesOpen,
  'metrics: their rows': rowsOfOpenBatches,
  'metrics: their costs': costsOfOpenBatches,
  'metrics: the oldest accepted row': oldestAccepted,
  'metrics: doubts': doubtsByAccount,
  'metrics: doubts for people': leftToPersonByBatch,
  'metrics: the last balance': (db) => balancesRead(db, 'main', 1),
  'metrics: webhooks that wait': webhooksWaiting,
  'metrics: notifications that wait': notificationsUnsent,
  'metrics: the last slot that was done': (db) => lastSlotIn(db, 'minutely', 'done'),
  'metrics: webhooks to others that wait': countUnsent,
};

describe('a ledger that has grown for years', () => {
  for (const [what, ask] of Object.entries(askedAgain))
    test(`reads no finished entries for ${what}`, async () => {
      const { view, plans } = planned(await sqliteLedger());
      await ask(view);
      const ofTables = plans.filter((plan) =>
        /\b(batches|slots|inbox|outbox|rows|events|batch_counts|batch_costs|webhook_deliveries)\b/.test(plan),
      );
      assert.ok(ofTables.length > 0);
      assert.deepEqual(
        ofTables.filter(
          (plan) =>
            (plan.startsWith('SCAN') && !ofUnfinished.test(plan)) || /sqlite_autoindex_slots_1 \(job=\?\)/.test(plan),
        ),
        [],
      );
    });

  test('reads only running slots to claim a slot', async () => {
    const db = await sqliteLedger();
    const { view, plans } = planned(db);
    await claimSlot({ ...view, execute: async (sql, params) => (await view.query(sql, params)).length }, slot);
    assert.match(plans.join('\n'), /SEARCH other USING COVERING INDEX slots_by_state \(state=\? AND job=\?\)/);
  });

  test('finds the last balance of each account without comparing its batches with each other', async () => {
    const db = await sqliteLedger();
    const add = (batch_id: string, fields: Parameters<typeof aBatch>[0]) =>
      inUnit(db, { clock: systemClock, actor: 'test' }, (unit) => unit.addBatch(aBatch({ batch_id, ...fields }), {}));
    await add('new', { created_at: 3, balance_before: '"before"', balance_after: '"after"' });
    await add('old', { created_at: 1, balance_before: '"old"' });
    await add('newest, not read', { created_at: 4 });
    await add('of another', { account: 'other', created_at: 2, balance_before: '"other"' });
    await add('of a third', { account: 'third', created_at: 2 });
    assert.deepEqual(await lastBalances(db), [
      { account: 'main', balance: '"after"' },
      { account: 'other', balance: '"other"' },
    ]);
    const { view, plans } = planned(db);
    await lastBalances(view);
    assert.doesNotMatch(plans.join('\n'), /CORRELATED/);
  });
});

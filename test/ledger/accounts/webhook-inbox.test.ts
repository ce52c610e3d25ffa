import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  addToInbox,
  dueInbox,
  type InboxEntry,
  nextInboxDueAt,
  pruneInbox,
  updateInbox,
} from '../../../src/ledger/accounts/webhook-inbox.ts';
import { anInboxEntry, findInboxEntry, memoryLedger, sqliteLedger } from '../../support/ledger.ts';
import { planned } from '../../support/planned.ts';

const entry = (fields: Partial<InboxEntry> = {}) => anInboxEntry({ received_at: 100, due_at: 100, ...fields });

describe('the inbox', () => {
  test('keeps a webhook once, whatever a second one with the same name contains', async () => {
    const db = await memoryLedger();
    assert.equal(await addToInbox(db, entry()), true);
    assert.equal(await addToInbox(db, entry({ body: '{"other":1}', received_at: 200 })), false);
    assert.deepEqual({ ...(await findInboxEntry(db, entry())) }, entry());
  });

  test('distinguishes the same event of another account or another scheme', async () => {
    const db = await memoryLedger();
    assert.equal(await addToInbox(db, entry()), true);
    assert.equal(await addToInbox(db, entry({ account: 'other' })), true);
    assert.equal(await addToInbox(db, entry({ scheme: 'callback' })), true);
    assert.equal((await dueInbox(db, 'main', 1_000, 10)).length, 2);
  });

  test('returns the unhandled webhooks that are due, the oldest first, and the time of the next', async () => {
    const db = await memoryLedger();
    await addToInbox(db, entry({ message_id: 'late', due_at: 300 }));
    await addToInbox(db, entry({ message_id: 'second', due_at: 200 }));
    await addToInbox(db, entry({ message_id: 'first', due_at: 100 }));
    await addToInbox(db, entry({ message_id: 'done', due_at: null, handled_at: 1, outcome: 'foreign' }));
    const due = await dueInbox(db, 'main', 200, 10);
    assert.deepEqual(
      due.map(({ message_id }) => message_id),
      ['first', 'second'],
    );
    assert.equal(await nextInboxDueAt(db, 'main'), 100);
    assert.equal(await nextInboxDueAt(db, 'nobody'), null);
  });

  test('handles a webhook once', async () => {
    const db = await memoryLedger();
    await addToInbox(db, entry());
    const handled = entry({ body: null, due_at: null, handled_at: 150, outcome: 'settled', batch_id: 'b', row_no: 7 });
    assert.equal(await updateInbox(db, handled), true);
    assert.equal(await updateInbox(db, { ...handled, outcome: 'foreign' }), false);
    assert.deepEqual({ ...(await findInboxEntry(db, entry())) }, handled);
    assert.equal(await addToInbox(db, entry()), false);
  });

  test('deletes the earliest handled webhooks of a stretch of time, at most so many', async () => {
    const db = await memoryLedger();
    for (const [message_id, handled_at] of [
      ['earlier', 9],
      ['third', 30],
      ['first', 10],
      ['second', 20],
      ['later', 40],
      ['unhandled', null],
    ] as const)
      await addToInbox(db, entry({ message_id, due_at: handled_at === null ? 1 : null, handled_at }));
    assert.deepEqual((await pruneInbox(db, { from: 10, before: 40 }, 2)).toSorted(), [10, 20]);
    assert.deepEqual(await pruneInbox(db, { from: 20, before: 40 }, 2), [30]);
    assert.deepEqual(await pruneInbox(db, { from: 30, before: 40 }, 2), []);
    const left = await db.query<{ message_id: string }>('SELECT message_id FROM inbox ORDER BY message_id');
    assert.deepEqual(
      left.map(({ message_id }) => message_id),
      ['earlier', 'later', 'unhandled'],
    );
  });

  test('reads only the webhooks that it deletes', async () => {
    const { view, plans } = planned(await sqliteLedger());
    await pruneInbox(view, { from: 0, before: 40 }, 2);
    assert.match(plans.join('\n'), /SEARCH inbox USING INDEX inbox_handled \(handled_at>\? AND handled_at<\?\)/);
    assert.doesNotMatch(plans.join('\n'), /SCAN inbox|TEMP B-TREE/);
  });
});

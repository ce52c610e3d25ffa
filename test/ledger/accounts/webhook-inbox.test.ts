import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  addToInbox,
  dueInbox,
  type InboxEntry,
  nextInboxDueAt,
  updateInbox,
} from '../../../src/ledger/accounts/webhook-inbox.ts';
import { anInboxEntry, findInboxEntry, memoryLedger } from '../../support/ledger.ts';

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
});

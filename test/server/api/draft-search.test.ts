import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertDraftRows } from '../../../src/ledger/drafts/draft-rows.ts';
import { insertDraft } from '../../../src/ledger/drafts/drafts.ts';
import { aDraft } from '../../support/drafts.ts';
import { draftsApi } from './drafts-fixture.ts';

test('a text is looked for in a part of a large file at once, and other work has its turn between them', async (t) => {
  const { db, session, send } = await draftsApi(t);
  const rows = Array.from({ length: 45_000 }, (_, index) => index + 1);
  const draft = aDraft({ draft_id: 'large', account: 'sandbox', row_count: rows.length });
  await insertDraft(db, draft);
  await db.transact((tx) =>
    insertDraftRows(
      tx,
      rows.map((row_no) => ({
        ...{ draft_id: 'large', row_no, line: row_no + 1, state: 'ready' },
        cells: row_no % 15_000 === 0 ? 'Ann' : 'Bob',
      })),
    ),
  );
  const turns = t.mock.method(session.clock, 'turn').mock;
  const place = { after: 20_000, skip: 1, limit: 1 };
  const { body } = await send('POST', '/api/v1/drafts/large/rows/search', { body: { text: 'ann', ...place } });
  assert.deepEqual([body.rows.map(({ row }: { row: number }) => row), body.total], [[45_000], 3]);
  assert.equal(turns.callCount(), 3);
});

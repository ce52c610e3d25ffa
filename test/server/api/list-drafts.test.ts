import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertDraft } from '../../../src/ledger/drafts/drafts.ts';
import { aDraft } from '../../support/drafts.ts';
import { api } from './api-fixture.ts';

test('a team’s drafts are listed page by page, whatever others have, and by status', async (t) => {
  const { db, send, makeKey } = await api(t);
  const clerk = await makeKey('clerk', ['prepare'], { accounts: ['default'] });
  const drafts = Array.from({ length: 70 }, (_, index) =>
    aDraft({
      draft_id: `D-${index}`,
      account: index % 10 === 0 ? 'default' : 'other',
      status: index === 0 ? 'open' : 'submitted',
      created_at: index,
    }),
  );
  await db.transact(async (tx) => {
    for (const draft of drafts) await insertDraft(tx, draft);
  });
  const list = async (query: string) => {
    const { body } = await send('GET', `/api/v1/drafts?${query}`, { key: clerk });
    return [body.drafts.map((one: { draft_id: string }) => one.draft_id), body.next];
  };
  assert.deepEqual(await list(''), [['D-60', 'D-50', 'D-40', 'D-30', 'D-20', 'D-10', 'D-0'], null]);
  assert.deepEqual(await list('limit=2'), [['D-60', 'D-50'], '1970-01-01T00:00:00.050Z']);
  assert.deepEqual(await list('limit=2&after=1970-01-01T00:00:00.050Z'), [
    ['D-40', 'D-30'],
    '1970-01-01T00:00:00.030Z',
  ]);
  assert.deepEqual(await list('status=open'), [['D-0'], null]);
});

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
  assert.deepEqual(await list('limit=2'), [['D-60', 'D-50'], '50 D-50']);
  assert.deepEqual(await list('limit=2&after=50%20D-50'), [['D-40', 'D-30'], '30 D-30']);
  assert.deepEqual(await list('status=open'), [['D-0'], null]);
});

test('no draft is missing between two pages, whatever else was made in the same millisecond or meanwhile', async (t) => {
  const { db, send } = await api(t);
  const made = ['D-a', 'D-b', 'D-c', 'D-d', 'D-e'].map((draft_id) => aDraft({ draft_id, created_at: 7_000 }));
  const insert = (draft: (typeof made)[number]) => db.transact((tx) => insertDraft(tx, draft));
  for (const draft of made) await insert(draft);
  const seen: string[] = [];
  let pages = 0;
  for (let after: string | null = '9999 D'; after !== null; ) {
    const { body } = await send('GET', `/api/v1/drafts?limit=2&after=${encodeURIComponent(after)}`);
    seen.push(...body.drafts.map((one: { draft_id: string }) => one.draft_id));
    await insert(aDraft({ draft_id: `D-later-${++pages}`, created_at: 8_000 }));
    after = body.next;
  }
  const ofTheTest = seen.filter((id) => id !== 'D-other');
  assert.deepEqual(ofTheTest, ['D-e', 'D-d', 'D-c', 'D-b', 'D-a']);
  for (const place of ['', '7000', 'x D-a', '7000 D-a%00', '1e3 D-a'])
    assert.equal((await send('GET', `/api/v1/drafts?after=${place}`)).status, 400, place);
});

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { insertOpenItem, insertReconciliation } from '../../../src/ledger/reporting/reconciliations.ts';
import { api } from './api-fixture.ts';

const line = (topup_id: string) => ({
  ...{
    bucket: 'ledger_only',
    batch_id: 'B-default',
    row: 1,
    generation: 1,
    reference: 'payroll-20261125/0712405118',
    topup_id,
  },
  ...{ status_here: 'completed', status_there: null, amount_here: 'KES 10', amount_there: null, cost_here: null },
  ...{ cost_there: null, created_at: null, next: 'Ask the service.' },
});

/** Two reconciliations of the account `default` with the same open lines, and one of the account `other`. */
async function compared(t: TestContext) {
  const server = await api(t);
  for (const [id, account, count] of [
    ['R-1', 'default', 3],
    ['R-2', 'default', 1],
    ['R-other', 'other', 1],
  ] as const)
    await server.db.transact(async (tx) => {
      const times = { from_ms: 1, to_ms: 2, finished_at: 3 };
      const facts = { batch_id: null, counts: JSON.stringify({ ledger_only: count, matched: 7 }), wallets: 'null' };
      const charged = { charged_by_ledger: '{"KES":"10"}', charged_by_service: null };
      await insertReconciliation(tx, { reconciliation_id: id, account, ...times, ...facts, ...charged });
      for (let item_no = 1; item_no <= count; item_no++) {
        // The first is of an earlier version, which stored the sentence only.
        const reason = item_no === 1 ? {} : { next_reason: { code: 'NEXT_REFERENCE', values: {} } };
        const item = JSON.stringify({ ...line(`tp-${item_no}`), ...reason });
        await insertOpenItem(tx, { reconciliation_id: id, item_no, bucket: 'ledger_only', item });
      }
    });
  return server;
}

describe('the open lines of a reconciliation over HTTP', () => {
  test('are all listed, by pages', async (t) => {
    const { send } = await compared(t);
    const first = await send('GET', '/api/v1/reconciliations/R-1/items?limit=2');
    assert.deepEqual([first.status, first.body.items.length, first.body.next], [200, 2, 2]);
    assert.deepEqual(
      first.body.items.map(({ next_reason }: { next_reason: { code: string } | null }) => next_reason?.code),
      [undefined, 'NEXT_REFERENCE'],
    );
    const second = await send('GET', `/api/v1/reconciliations/R-1/items?limit=2&after=${first.body.next}`);
    assert.deepEqual([second.body.items[0].topup_id, second.body.next], ['tp-3', null]);
  });

  test('keep notes, also for the same line of a later reconciliation, and in the chain without numbers', async (t) => {
    const { send, clock } = await compared(t);
    const note = 'case 17 of the service, for 0712 405 118';
    const answer = await send('POST', '/api/v1/reconciliations/R-1/items/1/note', { body: { note } });
    const text = 'case 17 of the service, for [number]';
    const kept = { at: new Date(clock.now()).toISOString(), person: 'all', text };
    assert.deepEqual([answer.status, answer.body.notes], [200, [kept]]);
    await send('POST', '/api/v1/reconciliations/R-1/items/1/note', { body: { note: 'solved' }, once: 'once-2' });
    const { body } = await send('GET', '/api/v1/reconciliations/R-2/items');
    assert.deepEqual(
      body.items[0].notes.map(({ text }: { text: string }) => text),
      [text, 'solved'],
    );
    const other = await send('GET', '/api/v1/reconciliations/R-1/items?after=1');
    assert.deepEqual(other.body.items[0].notes, []);
    const { events, broken_at } = (await send('GET', '/api/v1/access-events')).body;
    const noted = events.filter(({ kind }: { kind: string }) => kind === 'reconciliation.note');
    assert.deepEqual([noted.length, broken_at], [2, null]);
    assert.equal(JSON.parse(noted[1].body).note, text);
  });

  test('show nobody a number in the reference of a payment', async (t) => {
    const { send } = await compared(t);
    const { body } = await send('GET', '/api/v1/reconciliations/R-1/items');
    assert.equal(body.items[0].reference, 'payroll-20261125/*******118');
  });

  test('are not there for another team, nor to note for whoever only audits', async (t) => {
    const { send, makeKey } = await compared(t);
    const team = await makeKey('team', ['operate'], { accounts: ['default'] });
    const path = '/api/v1/reconciliations/R-other/items';
    assert.equal((await send('GET', path, { key: team })).status, 400);
    assert.equal((await send('POST', `${path}/1/note`, { key: team, body: { note: 'x' } })).status, 400);
    const auditor = await makeKey('auditor', ['audit']);
    const mine = '/api/v1/reconciliations/R-1/items';
    assert.equal((await send('GET', mine, { key: auditor })).status, 200);
    const refused = await send('POST', `${mine}/1/note`, { key: auditor, body: { note: 'x' } });
    assert.deepEqual([refused.status, refused.body.code], [403, 'ROLE_MISSING']);
    assert.equal((await send('POST', `${mine}/9/note`, { body: { note: 'x' } })).status, 400);
  });
});

describe('the reconciliations of an account over HTTP', () => {
  test('are listed, the newest first, by pages, for whoever may see the account', async (t) => {
    const { send, makeKey } = await compared(t);
    const ids = async (query: string, key?: string) => {
      const { body } = await send('GET', `/api/v1/reconciliations${query}`, key === undefined ? {} : { key });
      return [...body.reconciliations.map((one: { reconciliation_id: string }) => one.reconciliation_id), body.next];
    };
    assert.equal((await send('GET', '/api/v1/reconciliations')).body.reconciliations.length, 3);
    assert.deepEqual(await ids(''), ['R-other', 'R-2', 'R-1', null]);
    assert.deepEqual(await ids('?limit=2'), ['R-other', 'R-2', 'R-2']);
    assert.deepEqual(await ids('?limit=2&before=R-2'), ['R-1', null]);
    assert.deepEqual(await ids('?account=default'), ['R-2', 'R-1', null]);
    const team = await makeKey('team', ['audit'], { accounts: ['default'] });
    assert.deepEqual(await ids('', team), ['R-2', 'R-1', null]);
    assert.equal((await send('GET', '/api/v1/reconciliations?before=R-other', { key: team })).status, 400);
  });

  test('are shown as they were, with what is open', async (t) => {
    const { send, makeKey } = await compared(t);
    const { body } = await send('GET', '/api/v1/reconciliations/R-1');
    const { counts, open, is_settled, charged_by_ledger, charged_by_service } = body.reconciliation;
    assert.deepEqual([counts.ledger_only, open, is_settled], [3, 3, false]);
    assert.deepEqual([charged_by_ledger, charged_by_service, body.reports], [{ KES: '10' }, null, null]);
    const team = await makeKey('team', ['audit'], { accounts: ['default'] });
    assert.equal((await send('GET', '/api/v1/reconciliations/R-other', { key: team })).status, 400);
  });

  test('have files, of which those with references are for nobody who only audits, and are noted', async (t) => {
    const { send, makeKey, session } = await compared(t);
    const dir = join(session.config.out, 'R-1');
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'reconciliation.csv'), '12\n');
    writeFileSync(join(dir, 'reconciliation.json'), '{"open":3}\n');
    const { reports } = (await send('GET', '/api/v1/reconciliations/R-1')).body;
    assert.deepEqual(reports.files, [
      { name: 'reconciliation.csv', bytes: 3 },
      { name: 'reconciliation.json', bytes: 11 },
    ]);
    const path = '/api/v1/reconciliations/R-1/files';
    const auditor = await makeKey('auditor', ['audit']);
    const refused = await send('GET', `${path}/reconciliation.csv`, { key: auditor });
    assert.deepEqual([refused.status, refused.body.code], [403, 'ROLE_MISSING']);
    const summary = await send('GET', '/api/v1/reconciliations/R-1/files/reconciliation.json', { key: auditor });
    assert.deepEqual([summary.status, summary.body], [200, { open: 3 }]);
    const seen = async () => (await send('GET', '/api/v1/access-events?numbers=true')).body.events;
    assert.deepEqual(await seen(), []);
    const file = await send('GET', `${path}/reconciliation.csv`);
    assert.match(String(file.headers['content-disposition']), /R-1-reconciliation\.csv/);
    const [event] = await seen();
    const { reconciliation_id, file: name } = JSON.parse(event.body);
    assert.deepEqual(
      [event.kind, event.actor, reconciliation_id, name],
      ['report.read', 'all', 'R-1', 'reconciliation.csv'],
    );
    for (const other of ['nothing.csv', '..%2F..%2Fledger.db'])
      assert.equal((await send('GET', `${path}/${other}`)).status, 400, other);
  });
});

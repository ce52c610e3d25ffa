import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { createApiKey } from '../../../src/operations/access/create-api-key.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import { moveRow, sampleBatch, sampleRow, ways } from '../../browser/samples.ts';
import { addBatch } from '../../support/ledger.ts';
import { draftsApi } from './drafts-fixture.ts';

const file = 'phone_number,network_id,amount,currency\n+254712345601,Safaricom,100,KES\n';

test('batches that were planned of a draft are listed once one of them is submitted', async (t) => {
  const { send, upload, makeKey } = await draftsApi(t);
  const auditor = await makeKey('auditor', ['audit']);
  const { id } = await upload(file);
  const plan = async () => (await send('POST', `/api/v1/drafts/${id}/plan`, { body: {} })).body.batch_id as string;
  const listed = async () => {
    const { body } = await send('GET', '/api/v1/batches', { key: auditor });
    return body.batches.map(({ batch_id }: { batch_id: string }) => batch_id);
  };
  const first = await plan();
  assert.deepEqual(await listed(), []);
  const cells = [{ row: 1, column: 2, value: '150' }];
  assert.equal((await send('POST', `/api/v1/drafts/${id}/change`, { body: { cells } })).status, 200);
  const { body: dropped } = await send('GET', `/api/v1/batches/${first}`, { key: auditor });
  assert.equal(dropped.status, 'cancelled');
  assert.deepEqual(await listed(), []);
  const second = await plan();
  const submitted = await send('POST', `/api/v1/drafts/${id}/submit`, { body: { batch_id: second } });
  assert.equal(submitted.status, 200, submitted.text);
  assert.deepEqual(await listed(), [second]);
});

test('a refused change of a draft leaves the plan of a colleague as it is', async (t) => {
  const { send, upload } = await draftsApi(t);
  const { id, body: draft } = await upload(file);
  const refused = async (what: string, body: object, code: string) => {
    const answer = await send('POST', `/api/v1/drafts/${id}/${what}`, { body });
    assert.equal(answer.body.code, code, answer.text);
  };
  const { body: planned } = await send('POST', `/api/v1/drafts/${id}/plan`, { body: {} });
  const cells = [{ row: 1, column: 2, value: '150', before: '120' }];
  await refused('change', { cells }, 'CHANGED_MEANWHILE');
  await refused('change', { version: draft.version - 1, rows: { rows: [1], in_file: false } }, 'CHANGED_MEANWHILE');
  await refused('change', { rows: { rows: [9], in_file: false } }, 'ROW_UNKNOWN');
  await refused('change', {}, 'USAGE');
  await refused('change', { fix: { code: 'COUNTRY_UNKNOWN', column: 0, fix: 'set_network' } }, 'USAGE');
  await refused('plan', { finish_by: '2001-01-01T00:00:00Z' }, 'USAGE');
  const { body: nothing } = await send('POST', `/api/v1/drafts/${id}/undo`, { body: {} });
  assert.equal(nothing.moved, null);
  const { body: batch } = await send('GET', `/api/v1/batches/${planned.batch_id}`);
  assert.equal(batch.status, 'validated');
  const submitted = await send('POST', `/api/v1/drafts/${id}/submit`, { body: { batch_id: planned.batch_id } });
  assert.equal(submitted.status, 200, submitted.text);
});

test('a problem of a draft names the lines of the file that was uploaded, whatever was left out', async (t) => {
  const { send, upload } = await draftsApi(t);
  const rows = [1, 2, 3, 3, 90_000].map(
    (last, at) => `+25471234560${at === 3 ? 3 : at + 1},Safaricom,${last > 9 ? last : 100},KES`,
  );
  const { id } = await upload(`phone_number,network_id,amount,currency\n\n${rows.join('\n')}\n`);
  const change = { rows: { rows: [1], in_file: false } };
  assert.equal((await send('POST', `/api/v1/drafts/${id}/change`, { body: change })).status, 200);
  const twice = async () => {
    await send('GET', `/api/v1/drafts/${id}`);
    const { body } = await send('GET', `/api/v1/drafts/${id}/rows`);
    const [row] = body.rows.filter(({ state }: { state: string }) => state === 'held');
    return [row.row, row.line, row.problems[0].values.other_line, row.problems[0].message.match(/\d+/g)];
  };
  const expected = [4, 6, '5', ['6', '5']];
  assert.deepEqual(await twice(), expected);
  const { body: plan, text } = await send('POST', `/api/v1/drafts/${id}/plan`, { body: {} });
  const [example] = plan.findings?.problems[0].examples ?? assert.fail(text);
  assert.deepEqual([example.line, example.values.other_line], [6, '5']);
  assert.deepEqual(await twice(), expected);
});

test('a plan marks the rows of its draft that earlier payments hold, until the draft is changed', async (t) => {
  const { db, session, send, upload } = await draftsApi(t);
  const paid = sampleRow('earlier', 3);
  await addBatch(
    db,
    systemClock,
    sampleBatch('earlier', { run_id: 'earlier', status: 'running', started_at: systemClock.now() }),
    [...[1, 2].map((rowNo) => sampleRow('earlier', rowNo)), paid],
  );
  await moveRow(session, 'earlier', 3, ways.complete(3));
  const line = (phone: string | null) => `${phone},${paid.network_id},${paid.amount},${paid.currency}`;
  const lines = [line('+254712345601'), line('+254712345602'), line(paid.phone_number), line('+254712345603')];
  const { id } = await upload(`phone_number,network_id,amount,currency\n${lines.join('\n')}\n`);
  const change = (body: object) => send('POST', `/api/v1/drafts/${id}/change`, { body });
  // The batch has one row less than the draft: its second row is the draft's third.
  assert.equal((await change({ rows: { rows: [2], in_file: false } })).status, 200);
  const shown = async () => {
    const { body: draft } = await send('GET', `/api/v1/drafts/${id}`);
    const { body } = await send('GET', `/api/v1/drafts/${id}/rows`);
    const rows = body.rows.map(({ state }: { state: string }) => state);
    const codes = draft.groups.map(({ code, rows: count }: { code: string; rows: number }) => [code, count]);
    return { rows, states: draft.states, ready: draft.totals.counts.valid, codes };
  };
  const before = await shown();
  assert.deepEqual(before.rows, ['ready', 'excluded', 'ready', 'ready']);
  const { body: planned, text } = await send('POST', `/api/v1/drafts/${id}/plan`, { body: {} });
  assert.deepEqual(planned.findings?.counts, { rows: 3, valid: 2, invalid: 0, held: 1, skipped: 0 }, text);
  const codes = [['SENT_LATELY', 1]];
  const rows = ['ready', 'excluded', 'held', 'ready'];
  assert.deepEqual(await shown(), { rows, states: { ready: 2, held: 1, excluded: 1 }, ready: 2, codes });
  assert.equal((await send('GET', `/api/v1/drafts/${id}/rows?state=held`)).body.rows[0].row, 3);
  assert.equal((await change({ rows: { rows: [2], in_file: true } })).status, 200);
  assert.deepEqual((await shown()).rows, ['ready', 'ready', 'ready', 'ready']);
});

test('a plan names an unusual amount by its row in the draft, and the draft the country of most numbers', async (t) => {
  const { send, upload } = await draftsApi(t);
  const lines = [1, 2, 3, 4, 5, 6].map((row) => `+25471234560${row},Safaricom,${row === 6 ? 90_000 : 100},KES`);
  const { id } = await upload(`phone_number,network_id,amount,currency\n${lines.join('\n')}\n`);
  // The file has one row less than the draft.
  await send('POST', `/api/v1/drafts/${id}/change`, { body: { rows: { rows: [2], in_file: false } } });
  const { body, text: answer } = await send('POST', `/api/v1/drafts/${id}/plan`, { body: {} });
  assert.deepEqual(
    body.plan?.unusual,
    [{ currency: 'KES', amount: '90000', usual: '100', rows: [6], lines: [7] }],
    answer,
  );
  // Nothing can be checked yet: the network is missing.
  const numbers = ['+256772123456', '+254712345601', '+254712345602', '0712345603'];
  const text = `phone_number,amount,currency\n${numbers.map((number) => `${number},100,KES`).join('\n')}\n`;
  const { body: made } = await upload(text, { name: 'december.csv' });
  const { body: draft } = await send('GET', `/api/v1/drafts/${made.draft_id}`);
  assert.deepEqual([draft.rejection?.reason.code, draft.country], ['COLUMN_MISSING', 'KE']);
});

test('a plan and its review show sums by network, and the wallets after them and after what else waits', async (t) => {
  const { db, send, upload, session } = await draftsApi(t, { policy: { approval: { needed: 'always' } } });
  const submitted = async (text: string) => {
    const { id } = await upload(text);
    const { body: plan, text: answer } = await send('POST', `/api/v1/drafts/${id}/plan`, { body: {} });
    const { status } = await send('POST', `/api/v1/drafts/${id}/submit`, { body: { batch_id: plan.batch_id } });
    assert.equal(status, 200, answer);
    return plan;
  };
  const header = 'phone_number,network_id,amount,currency';
  const waiting = await submitted(`${header}\n+254712345601,Safaricom,1000.5,KES\n`);
  assert.deepEqual(waiting.expected_cost, { cost: {}, unknown: ['KES'] });
  // The rate of the service shows in what it has charged.
  const earlier = sampleBatch('earlier', { run_id: 'earlier', status: 'running', started_at: systemClock.now() });
  await addBatch(db, systemClock, earlier, [sampleRow('earlier', 1)]);
  await moveRow(session, 'earlier', 1, ways.complete(1));
  const rows = ['+254712345602,Safaricom,100,KES', '+254712345603,Safaricom,250,KES', '+254733345604,Airtel,70,KES'];
  const plan = await submitted(`${header}\n${rows.join('\n')}\n`);
  const network = ({ name, country, rows, sums }: Record<string, unknown>) => [name, country, rows, sums];
  const networks = [
    ['Safaricom Kenya', 'KE', 2, { KES: '350' }],
    ['Airtel Kenya', 'KE', 1, { KES: '70' }],
  ];
  assert.deepEqual(plan.plan.networks.map(network), networks);
  const { cost, unknown } = plan.expected_cost;
  const [[currency, own]] = Object.entries<string>(cost) as [[string, string]];
  const wallet = plan.wallets.find((one: { currency: string }) => one.currency === currency);
  assert.deepEqual([unknown, wallet.cost, Number(own) > 0], [[], own, true]);
  const others = (Number(own) / 420) * 1000.5;
  assert.ok(Math.abs(Number(wallet.others) - others) < 0.01, `${wallet.others} for ${others}`);
  const left = Number(wallet.balance) - Number(own) - Number(wallet.others);
  assert.ok(Math.abs(Number(wallet.left) - left) < 0.001, `${wallet.left} for ${left}`);
  // Whoever makes a key counts as its holder.
  const door = { nameOf: (field: string) => field };
  const another = { ...session, person: 'grace' };
  const { secret: key } = await performIn(another, createApiKey, door, { name: 'approver', roles: ['approve'] });
  const { body: review, text } = await send('GET', `/api/v1/batches/${plan.batch_id}/review`, { key });
  assert.deepEqual([review.plan?.networks.map(network), review.wallets], [networks, plan.wallets], text);
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeManualClock, makeSandbox } from '../../src/sandbox/index.ts';
import { folderOf } from '../support/folder.ts';
import { startSandbox } from '../support/sandbox-process.ts';
import { openClient, order } from './client.ts';

const headers = { authorization: 'Bearer sandbox-key', 'content-type': 'application/json' };

test('answered requests are kept after a restart on the same data, with the idempotency cache', async (t) => {
  const folder = folderOf(t);
  const clock = makeManualClock();
  const options = { data: join(folder, 'sandbox.db'), clock, seed: 1 };
  const request = {
    method: 'POST',
    path: '/v2/topups',
    headers: { ...headers, 'idempotency-key': 'k' },
    body: JSON.stringify(order()),
  };
  const first = await makeSandbox(options);
  const answer = await first.handle(request);
  await first.close();
  const second = await makeSandbox(options);
  assert.equal((await second.handle(request)).body, answer.body);
  await clock.advance(5_000);
  const other = await second.handle({ ...request, headers: { ...request.headers, 'idempotency-key': 'k2' } });
  assert.notEqual(JSON.parse(other.body).data.id, JSON.parse(answer.body).data.id, 'the seed gives no id twice');
  assert.equal(second.charges().length, 2);
  await second.close();
});

test('only the owner may read the data', async (t) => {
  const folder = folderOf(t);
  const sandbox = await makeSandbox({ data: join(folder, 'sandbox.db'), seed: 1 });
  const names = readdirSync(folder);
  assert.ok(names.includes('sandbox.db'), names.join());
  for (const name of names) assert.equal(statSync(join(folder, name)).mode & 0o077, 0, name);
  await sandbox.close();
});

test('answered requests survive a kill -9 of the process', async (t) => {
  const folder = folderOf(t);
  const data = ['--data', join(folder, 'sandbox.db')];
  const first = await startSandbox(t, folder, data);
  const created = await fetch(`${first.url}/v2/topups`, {
    method: 'POST',
    headers,
    body: JSON.stringify(order({ reference: 'kept' })),
  });
  await first.stop();
  assert.equal(created.status, 201);
  const second = await startSandbox(t, folder, data);
  const charges = await second.liveCharges();
  assert.deepEqual([...charges], [['kept', 1]]);
});

test('the page shows wallets, top-ups and deliveries, escapes what it shows, and runs no script', async () => {
  await using client = await openClient();
  await client.v2('POST', '/v2/topups', { body: order({ reference: '<script>alert(1)</script>' }) });
  const response = await fetch(client.url);
  const page = await response.text();
  assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.ok(page.includes('&lt;script&gt;alert(1)'));
  assert.equal(page.includes('<script>'), false);
  for (const part of ['Wallets', 'Latest top-ups', 'Latest deliveries', 'wallet-kes'])
    assert.ok(page.includes(part), part);
});

test('the OpenAPI document that is committed is the one that is served', async () => {
  await using client = await openClient();
  const served = await (await fetch(`${client.url}/openapi.json`)).json();
  const committed = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8'));
  assert.deepEqual(committed, served);
  const paths = Object.keys((served as { paths: object }).paths);
  for (const path of [
    '/v2/topups',
    '/v2/topups/{id}',
    '/v2/balance/{wallet_id}',
    '/enterprise/webhooks',
    '/adp',
    '/adp/transactions',
  ])
    assert.ok(paths.includes(path), path);
});

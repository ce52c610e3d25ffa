import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { openPlacement, type Placement, placementSchema } from '../../src/fleet/placement.ts';
import { emptyPostgres } from '../support/postgres.ts';

async function open(t: TestContext, url: string, worker: string): Promise<Placement> {
  const placement = await openPlacement(url, worker, () => undefined);
  t.after(() => placement.close());
  return placement;
}

async function statement(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

const names = (claims: readonly { account: string }[]) => claims.map(({ account }) => account).toSorted();

test('each account is placed on one worker, however often it is proposed', async (t) => {
  const url = await emptyPostgres();
  const [one, other] = [await open(t, url, 'one'), await open(t, url, 'other')];
  await Promise.all([one.propose(['a', 'b', 'c']), other.propose(['a', 'b', 'c'])]);
  const first = await one.take(2);
  await other.propose(['a', 'b', 'c']);
  const rest = await other.take(10);
  assert.deepEqual(names([...first, ...rest]), ['a', 'b', 'c']);
  assert.equal(rest.length, 1);
  assert.deepEqual(await one.take(10), []);
  assert.deepEqual((await one.workers()).toSorted(), ['one', 'other']);
});

test('an account that is released goes to another worker, and the old claim renews nothing', async (t) => {
  const url = await emptyPostgres();
  const [one, other] = [await open(t, url, 'one'), await open(t, url, 'other')];
  await one.propose(['a', 'b']);
  const [a, b] = await one.take(2);
  assert.ok(a && b);
  await one.release(a);
  assert.deepEqual(names(await other.take(2)), [a.account]);
  assert.deepEqual([...(await one.renew([a, b]))], [b.id]);
});

test('an account that no worker knows is gone until it is proposed again', async (t) => {
  const placement = await open(t, await emptyPostgres(), 'one');
  await placement.propose(['a']);
  const [claim] = await placement.take(1);
  assert.ok(claim);
  await placement.refuse(claim);
  assert.deepEqual(await placement.take(1), []);
  await placement.propose(['a']);
  assert.deepEqual(names(await placement.take(1)), ['a']);
});

test('the accounts of a worker that is silent are placed anew', async (t) => {
  const url = await emptyPostgres();
  const [one, other] = [await open(t, url, 'one'), await open(t, url, 'other')];
  await one.propose(['a', 'b']);
  const [a, b] = await one.take(2);
  assert.ok(a && b);
  // As if its last sign of life were older than pg-boss allows.
  await statement(url, `UPDATE ${placementSchema}.job SET heartbeat_on = now() - interval '11 s' WHERE id = '${a.id}'`);
  let taken = await other.take(2);
  for (; taken.length === 0; taken = await other.take(2)) await sleep(100);
  assert.deepEqual(names(taken), [a.account]);
  assert.deepEqual([...(await one.renew([a, b]))], [b.id]);
});

test('a worker that meets lost tables fails, and the next connection makes them again', async (t) => {
  const url = await emptyPostgres();
  const one = await open(t, url, 'one');
  await one.propose(['a']);
  const [claim] = await one.take(1);
  assert.ok(claim);
  await statement(url, `DROP SCHEMA ${placementSchema} CASCADE`);
  await assert.rejects(one.take(1));
  await one.close();
  const again = await open(t, url, 'one');
  assert.deepEqual([...(await again.renew([claim]))], []);
  await again.propose(['a']);
  assert.deepEqual(names(await again.take(1)), ['a']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCutConnection } from '../support/cut-connection.ts';
import { makeFleet, until } from '../support/fleet.ts';
import { fromAddress } from '../support/own-address.ts';
import { emptyPostgres } from '../support/postgres.ts';

const accounts = ['a', 'b', 'c', 'd'];

test('workers share accounts, hand them over without a doubt, and take over those of a frozen and of a dead one', async (t) => {
  const creation = { limit: 3, windowMs: 1_000 };
  const fleet = await makeFleet(t, { accounts, creation, ledgerUrl: await emptyPostgres() });
  const first = await fleet.start();
  const isRunBy = async (...pids: (number | undefined)[]) => {
    const holders = await fleet.holders();
    const held = [...holders.values()].flat();
    return (
      held.length === accounts.length && pids.every((pid) => holders.has(pid ?? 0)) && holders.size === pids.length
    );
  };
  await until('the first has all accounts', () => isRunBy(first.child.pid));
  for (const account of accounts) await fleet.submit(account, 100);
  const second = await fleet.start();
  await until('two share', () => isRunBy(first.child.pid, second.child.pid));
  first.child.kill('SIGTERM');
  assert.equal((await first.ended).code, 0);
  await until('the second has all accounts', () => isRunBy(second.child.pid));
  const [doubts] = await fleet.db.query<{ count: number }>(
    "SELECT COUNT(*) AS count FROM events WHERE kind = 'row.doubt'",
  );
  assert.equal(doubts?.count, 0, 'no planned hand-over leaves a row in doubt');
  const third = await fleet.start();
  await until('the second and the third share', () => isRunBy(second.child.pid, third.child.pid));
  second.child.kill('SIGSTOP');
  await until('the third has all accounts', () => isRunBy(third.child.pid));
  second.child.kill('SIGCONT');
  third.child.kill('SIGKILL');
  await until('the second has all accounts again', () => isRunBy(second.child.pid));
  await until('all rows are paid', async () => (await fleet.counts()).get('completed') === 400);
  assert.deepEqual(await fleet.violations(), []);
});

const oneAddress = process.platform !== 'linux' && 'needs a second address of this machine';

test('a worker that no answer of the service reaches gives its account up, and another one sends', {
  skip: oneAddress,
}, async (t) => {
  const service = Promise.withResolvers<Awaited<ReturnType<typeof openCutConnection>>>();
  const fleet = await makeFleet(t, {
    accounts: ['a'],
    creation: { limit: 20, windowMs: 1_000 },
    ledgerUrl: await emptyPostgres(),
    async by(url) {
      service.resolve(await openCutConnection(url));
      return (await service.promise).url;
    },
  });
  const proxy = await service.promise;
  t.after(() => proxy.close());
  const first = await fleet.start(undefined, [], fromAddress('127.0.0.2'));
  const isRunBy = async (pid: number | undefined) => (await fleet.holders()).has(pid ?? 0);
  await until('the first has the account', () => isRunBy(first.child.pid));
  const second = await fleet.start();
  await fleet.submit('a', 60);
  const completed = async () => (await fleet.counts()).get('completed') ?? 0;
  await until('it sends', async () => (await completed()) > 5);
  // It accepts connections still.
  proxy.silence('127.0.0.2');
  await first.seen(/cannot reach a service/);
  await until('the second has the account', () => isRunBy(second.child.pid));
  await until('all rows are paid', async () => (await completed()) === 60);
  assert.deepEqual(await fleet.violations(), []);
});

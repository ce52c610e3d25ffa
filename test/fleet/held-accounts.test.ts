import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeHeldAccounts } from '../../src/fleet/held-accounts.ts';
import type { Claim } from '../../src/fleet/placement.ts';

const claimOf = (retryCount: number): Claim => ({ account: 'main', id: 'job', retryCount });

/** The accounts of a worker. `answer` ends the first release that is under way. */
function worker() {
  const released: number[] = [];
  const answers: (() => void)[] = [];
  const started: string[] = [];
  const held = makeHeldAccounts({
    start(account) {
      started.push(account);
      return { stop: async () => undefined, breakOff: () => undefined };
    },
    release(claim) {
      released.push(claim.retryCount);
      return new Promise((resolve) => answers.push(resolve));
    },
  });
  const answer = async () => {
    answers.shift()?.();
    await nextTurn();
  };
  return { held, released, started, answer };
}

test('an account that is placed here again while it is released is released again', async () => {
  const { held, released, started, answer } = worker();
  held.begin(claimOf(1));
  held.handOver(['main']);
  await nextTurn();
  assert.deepEqual(released, [1]);
  held.begin(claimOf(2));
  await answer();
  assert.deepEqual(released, [1, 2]);
  assert.equal(held.isEmpty(), false);
  await answer();
  assert.equal(held.isEmpty(), true);
  held.begin(claimOf(3));
  assert.deepEqual(started, ['main', 'main']);
});

test('an account whose release fails is given up', async () => {
  const work = { stop: async () => undefined, breakOff: () => undefined };
  const held = makeHeldAccounts({ start: () => work, release: () => Promise.reject(new Error('away')) });
  held.begin(claimOf(1));
  held.handOver(['main']);
  await nextTurn();
  assert.equal(held.isEmpty(), true);
});

test('requests of an account that is being handed over are broken off once its service cannot be reached', async () => {
  const ends = new Map<string, () => void>();
  const held = makeHeldAccounts({
    start(account) {
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(account, resolve);
      return { stop: () => promise, breakOff: () => ends.get(account)?.() };
    },
    release: async () => undefined,
  });
  held.begin(claimOf(1));
  held.begin({ ...claimOf(1), account: 'elsewhere' });
  held.handOver(['main', 'elsewhere']);
  await nextTurn();
  held.giveUp((account) => account === 'main');
  await nextTurn();
  assert.equal(held.isEmpty(), false, 'the other account still waits for its answers');
  ends.get('elsewhere')?.();
  await nextTurn();
  assert.equal(held.isEmpty(), true);
});

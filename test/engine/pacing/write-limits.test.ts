import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { writeLimits } from '../../../src/engine/pacing/write-limits.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { sqliteLedger } from '../../support/ledger.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

/** The jobs of accounts that write their intents on one ledger, each until the test ends it. */
async function line() {
  const { intents, noIntentWaits } = writeLimits(await sqliteLedger());
  const started: string[] = [];
  const running: ((error?: Error) => void)[] = [];
  const results: Promise<unknown>[] = [];
  const add = (account: string, jobs: number) => {
    for (let job = 0; job < jobs; job++) {
      const work = () =>
        new Promise<void>((resolve, reject) => {
          started.push(account);
          running.push((error) => (error ? reject(error) : resolve()));
        });
      results.push(intents(account, work).catch((error: Error) => error.message));
    }
  };
  /** Ends the job that has run for longest. */
  const end = async (error?: Error) => {
    running.shift()?.(error);
    await nextTurn();
  };
  await nextTurn();
  return { add, end, started, running, results, noIntentWaits };
}

test('accounts whose intents wait take turns, however many jobs each has', async () => {
  const { add, end, started, running } = await line();
  add('many', 200);
  await nextTurn();
  assert.equal(running.length, 64);
  add('few', 3);
  add('one', 1);
  for (let count = 0; count < 8; count++) await end();
  assert.deepEqual(started.slice(64), ['many', 'few', 'one', 'many', 'few', 'many', 'few', 'many']);
  assert.equal(running.length, 64);
});

test('a job that fails gives its place to the next', async () => {
  const { add, end, started, running, results } = await line();
  add('many', 65);
  await nextTurn();
  await end(new Error('the ledger is away'));
  assert.equal(await results[0], 'the ledger is away');
  assert.deepEqual([started.length, running.length], [65, 64]);
  while (running.length > 0) await end();
  await Promise.all(results);
  add('one', 1);
  await nextTurn();
  assert.equal(running.length, 1);
});

test('reads wait until no intent waits, or for as long as they may', async () => {
  const { add, end, noIntentWaits } = await line();
  const clock = makeVirtualClock();
  const begun = clock.now();
  const waited: number[] = [];
  const read = () => noIntentWaits(clock, 4_000).then(() => void waited.push(clock.now() - begun));
  await read();
  add('many', 66);
  await nextTurn();
  await clock.drive(read());
  const waits = [read(), read()];
  await end();
  assert.deepEqual(waited, [0, 4_000]);
  await end();
  await clock.drive(Promise.all(waits));
  assert.deepEqual(waited, [0, 4_000, 4_000, 4_000]);
});

test('rows that may all be sent at once wait before their intents are written, not after', async () => {
  const rows = 300;
  const rig = await makeRig({ jobsAtOnce: rows, settings: { jobsWaitingMax: rows } });
  const { create } = rig.service;
  const withIntent: number[] = [];
  rig.service.create = async (request) => {
    withIntent.push((await rig.states()).filter((state) => state === 'sending').length);
    return create(request);
  };
  await rig.add(someRows(rows));
  await rig.run();
  assert.equal(withIntent.length, rows);
  assert.ok(Math.max(...withIntent) <= 128, `${Math.max(...withIntent)} rows had their intents at the same time`);
  assert.ok((await rig.states()).every((state) => state === 'completed'));
});

test('the list is not read while rows of other accounts wait to be sent, but for four seconds at most', async () => {
  const rig = await makeRig({ settleMs: 300 });
  const { create, lists } = rig.service;
  const others = Promise.withResolvers<void>();
  const readsAfter: number[] = [];
  rig.service.create = async (request) => {
    const outcome = await create(request);
    for (let job = 0; job < 65; job++) void writeLimits(rig.db).intents('other', () => others.promise);
    const before = lists.length;
    for (const ms of [3_900, 4_500]) void rig.clock.sleep(ms).then(() => readsAfter.push(lists.length - before));
    return outcome;
  };
  await rig.add(someRows(1));
  await rig.run();
  await rig.clock.drive(rig.clock.sleep(1_000));
  others.resolve();
  assert.deepEqual(await rig.states(), ['completed']);
  assert.deepEqual(readsAfter, [0, 1]);
});

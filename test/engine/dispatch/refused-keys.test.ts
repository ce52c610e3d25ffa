import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { resumeBatch } from '../../../src/engine/batches/batch-commands.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { type Behaviour, v1Policy } from '../../support/fake-service.ts';

const hour = 3_600_000;

const stateOf = async (rig: Rig) => {
  const { status, generation } = await rig.row(1);
  return [status, generation];
};
const resume = (rig: Rig) =>
  resumeBatch({ db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const }, 'batch-1');
const sleep = (rig: Rig, ms: number) => rig.clock.drive(rig.clock.sleep(ms));

/** The service gives a request id of its own to every refusal. */
function numberRefusals(rig: Rig): void {
  const { create } = rig.service;
  rig.service.create = async (request) => {
    const outcome = await create(request);
    if (outcome.kind === 'accepted') return outcome;
    return { ...outcome, evidence: { ...outcome.evidence, requestId: `r-${rig.service.creates.length}` } };
  };
}

/** Version 1: also a refused request uses its reference up, for so long. */
function useUpReferences(rig: Rig, forMs: number): void {
  const { create } = rig.service;
  const usedAt = new Map<string, number>();
  rig.service.create = async (request) => {
    const used = usedAt.get(request.body);
    if (used !== undefined && rig.clock.now() - used < forMs)
      return { kind: 'exists', evidence: { httpStatus: 403, code: '90', message: 'used', requestId: null } };
    usedAt.set(request.body, rig.clock.now());
    return create(request);
  };
}

describe('a row whose requests were all refused without effect', () => {
  for (const [what, answer, hours] of [
    ['money', 'cannot_pay', 24],
    ['money', 'cannot_pay', 22],
    ['a service that can be reached', 'unreachable', 24],
  ] as const)
    test(`waits for ${what} as long as necessary, under one generation: six times ${hours} hours`, async () => {
      const rig = await makeRig({ settings: { unreachableWaitMsMax: hour } });
      numberRefusals(rig);
      await rig.add(someRows(1));
      for (let times = 0; times < 6; times++) {
        rig.service.script('run-1/ref-1', ...Array<Behaviour>(2_000).fill(answer));
        const runner = rig.runner();
        const running = runner.run(Number.POSITIVE_INFINITY);
        await sleep(rig, hours * hour);
        runner.stop();
        await rig.clock.drive(running);
        assert.deepEqual(await stateOf(rig), ['ready', 1], `${times}`);
        if (answer === 'cannot_pay') await resume(rig);
      }
      rig.service.script('run-1/ref-1');
      await rig.run();
      assert.deepEqual([await stateOf(rig), rig.service.charges.length], [['completed', 1], 1]);
    });

  test('is sent again after the service has certainly forgotten its key, and after a look-up, and not before', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'cannot_pay');
    await rig.add(someRows(1));
    await rig.run();
    await sleep(rig, 23 * hour);
    await resume(rig);
    await rig.run();
    const [first = 0, second = 0] = rig.service.creates.map(({ at }) => at);
    assert.ok(second - first >= 25 * hour, `${second - first} ms`);
    assert.ok(rig.service.lookUps.includes('run-1/ref-1'));
    assert.deepEqual([await stateOf(rig), rig.service.charges.length], [['completed', 1], 1]);
  });

  test('has a key of full age again: a later doubt is looked up, and sent again while the key is young', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'cannot_pay', 'lose_request');
    await rig.add(someRows(1));
    await rig.run();
    await sleep(rig, 48 * hour);
    await resume(rig);
    await rig.run();
    assert.deepEqual([await stateOf(rig), rig.service.creates.length], [['completed', 1], 3]);
  });

  test('is followed if a look-up finds its payment after all, however long it waited for money', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'lose_answer');
    const { create } = rig.service;
    rig.service.create = async (request) => {
      const outcome = await create(request);
      if (rig.service.creates.length > 1) return outcome;
      const evidence = { httpStatus: 402, code: 'INSUFFICIENT_BALANCE', message: 'not true', requestId: 'r-1' };
      return { kind: 'account_blocked', reason: 'insufficient_balance', evidence };
    };
    await rig.add(someRows(1));
    await rig.run();
    await sleep(rig, 48 * hour);
    await resume(rig);
    await rig.run();
    assert.deepEqual([await stateOf(rig), rig.service.charges.length], [['completed', 1], 1]);
  });

  test('waits if its last generation gets the same refusal again, until the service has forgotten its key', async () => {
    const rig = await makeRig();
    rig.service.purse.opening = 0;
    await rig.add(someRows(1));
    for (let times = 0; times < 6; times++) {
      await rig.run();
      assert.deepEqual([(await rig.row(1)).status, (await rig.batch()).status], ['ready', 'paused'], `${times}`);
      await sleep(rig, hour);
      await resume(rig);
    }
    assert.deepEqual(await stateOf(rig), ['ready', 3]);
    const asked = rig.service.creates.length;
    rig.service.purse.opening = 100;
    await rig.run();
    assert.deepEqual([await stateOf(rig), rig.service.creates.length], [['completed', 3], asked + 1]);
    const [last = 0, before = 0] = rig.service.creates.map(({ at }) => at).reverse();
    assert.ok(last - before > 20 * hour, `${last - before} ms`);
  });

  test('waits if its last reference is used up by a refusal for lack of money (Version 1, code 90), and is then paid', async () => {
    const rig = await makeRig({ policy: v1Policy });
    rig.service.purse.opening = 0;
    useUpReferences(rig, 25 * hour);
    await rig.add(someRows(1));
    for (let times = 0; times < 6; times++) {
      await rig.run(hour);
      assert.equal((await rig.row(1)).status, 'ready', `${times}`);
      if ((await rig.batch()).status === 'paused') await resume(rig);
    }
    assert.deepEqual(await stateOf(rig), ['ready', 3]);
    rig.service.purse.opening = 100;
    await sleep(rig, 26 * hour);
    await rig.run();
    assert.deepEqual([await stateOf(rig), rig.service.charges.length], [['completed', 3], 1]);
  });

  test('is left to a person if its last reference stays used up, though nobody has paid it', async () => {
    const rig = await makeRig({ policy: v1Policy });
    rig.service.purse.opening = 0;
    useUpReferences(rig, Number.POSITIVE_INFINITY);
    await rig.add(someRows(1));
    for (let times = 0; times < 4; times++) {
      await rig.run(hour);
      if ((await rig.batch()).status === 'paused') await resume(rig);
    }
    const { status, next_action_at, failure_reason } = await rig.row(1);
    assert.deepEqual([status, next_action_at, rig.service.charges.length], ['in_doubt', null, 0]);
    assert.match(failure_reason ?? '', /the maximum number of generations was refused/);
  });
});

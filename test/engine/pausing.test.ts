import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeRig, type Rig, someRows } from '../support/engine.ts';

const pauses = ({ warnings }: Rig) => warnings.filter((message) => message === 'the account is paused').length;

describe('an account that is paused', () => {
  test('says in its batch and in the chain what the service said, and tells of it once', async () => {
    const rig = await makeRig();
    rig.service.purse.opening = 0;
    await rig.add(someRows(5));
    await rig.run();
    const { pause_reason: reason, pause_detail: detail } = await rig.batch();
    assert.equal(reason, 'insufficient_balance');
    assert.match(detail ?? '', /INSUFFICIENT_BALANCE/);
    const [event, ...more] = await rig.db.query<{ body: string }>(`SELECT body FROM events WHERE kind = 'batch.pause'`);
    assert.deepEqual([JSON.parse(event?.body ?? ''), more], [{ from: 'running', to: 'paused', reason, detail }, []]);
    assert.ok(rig.service.creates.length > 1);
    assert.equal(pauses(rig), 1);
  });

  test('tells of each payment that is not what it should be', async () => {
    const rig = await makeRig();
    for (const row of [1, 2]) rig.service.script(`run-1/ref-${row}`, 'wrong_answer');
    await rig.add(someRows(2));
    await rig.run(60_000);
    assert.deepEqual([(await rig.batch()).pause_reason, pauses(rig)], ['service_mismatch', 2]);
  });

  test('is not paused by a program that has lost it to another', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'lose_answer');
    await rig.add(someRows(1));
    const { lookUp } = rig.service;
    rig.service.lookUp = async (reference) => {
      await rig.db.execute('UPDATE leases SET fence = fence + 1');
      rig.service.refuses.reads = true;
      return lookUp(reference);
    };
    await assert.rejects(rig.run(), { code: 'FENCED' });
    assert.equal((await rig.batch()).status, 'running');
  });
});

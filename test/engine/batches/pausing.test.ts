import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AirbatchError } from '../../../src/core/basics/errors.ts';
import { pauseBatch } from '../../../src/engine/batches/batch-commands.ts';
import { manualPause } from '../../../src/ledger/batches/pauses.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';

const pauses = ({ warnings }: Rig) => warnings.filter((message) => message === 'the account is paused').length;

describe('an account that is paused', () => {
  test('shows in its batch and in the chain what the service answered, and reports it once', async () => {
    const rig = await makeRig();
    rig.service.purse.opening = 0;
    await rig.add(someRows(5));
    await rig.run();
    const { pause_reason: reason, pause_detail: detail, pause_why: why } = await rig.batch();
    assert.equal(reason, 'insufficient_balance');
    assert.match(detail ?? '', /INSUFFICIENT_BALANCE/);
    assert.deepEqual([why?.code, why?.values.service_code], ['PAUSE_REFUSED', 'INSUFFICIENT_BALANCE']);
    const [event, ...more] = await rig.db.query<{ body: string }>(`SELECT body FROM events WHERE kind = 'batch.pause'`);
    const data = { from: 'running', to: 'paused', reason, detail, detail_reason: JSON.stringify(why) };
    assert.deepEqual([JSON.parse(event?.body ?? ''), more], [data, []]);
    assert.ok(rig.service.creates.length > 1);
    assert.equal(pauses(rig), 1);
  });

  test('reports each payment that differs from its row', async () => {
    const rig = await makeRig();
    for (const row of [1, 2]) rig.service.script(`run-1/ref-${row}`, 'wrong_answer');
    await rig.add(someRows(2));
    await rig.run(60_000);
    assert.deepEqual([(await rig.batch()).pause_reason, pauses(rig)], ['service_mismatch', 2]);
  });

  for (const [answer, reason] of [
    ['wrong_answer', 'service_mismatch'],
    ['cannot_pay', 'insufficient_balance'],
  ] as const)
    test(`is paused in the transaction that stores the answer, and sends nothing after a crash: ${answer}`, async () => {
      const rig = await makeRig({ jobsAtOnce: 1 });
      rig.service.script('run-1/ref-1', answer);
      await rig.add(someRows(3));
      const { transact } = rig.db;
      rig.db.transact = async (work) => {
        const result = await transact(work);
        if (rig.service.creates.length === 0 || (await rig.states())[0] === 'sending') return result;
        rig.db.transact = transact;
        throw new AirbatchError('LEDGER_IO', 'the program dies');
      };
      await assert.rejects(rig.run(), { code: 'LEDGER_IO' });
      const { status, pause_reason } = await rig.batch();
      assert.deepEqual([status, pause_reason], ['paused', reason]);
      await rig.run();
      assert.equal(rig.service.creates.length, 1);
    });

  test('also pauses a batch that was approved while the answer was on its way', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'wrong_answer');
    const { create } = rig.service;
    rig.service.create = async (request) => {
      rig.service.create = create;
      await rig.add(someRows(2), { batch_id: 'batch-2', run_id: 'run-2' });
      return create(request);
    };
    await rig.add(someRows(1));
    await rig.run(60_000);
    const { status, pause_reason } = await rig.batch('batch-2');
    assert.deepEqual([status, pause_reason, rig.service.creates.length], ['paused', 'service_mismatch', 1]);
  });

  test('shows a wrong payment before a person’s pause, and stays paused by that person', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'wrong_answer');
    const { create } = rig.service;
    rig.service.create = async (request) => {
      await pauseBatch(
        { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const },
        'batch-1',
        'the wrong month',
      );
      return create(request);
    };
    await rig.add(someRows(1));
    await rig.run(60_000);
    const batch = await rig.batch();
    assert.deepEqual([batch.pause_reason, await manualPause(rig.db, batch)], ['service_mismatch', 'the wrong month']);
  });

  test('is not paused by a program that has lost it to another', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'lose_answer');
    await rig.add(someRows(1));
    const { lookup } = rig.service;
    rig.service.lookup = async (reference) => {
      await rig.db.execute('UPDATE leases SET fence = fence + 1');
      rig.service.refuses.reads = true;
      return lookup(reference);
    };
    await assert.rejects(rig.run(), { code: 'FENCED' });
    assert.equal((await rig.batch()).status, 'running');
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { doubtReason } from '../../../src/core/state/doubt-texts.ts';
import { pauseBatch, resumeBatch } from '../../../src/engine/batches/batch-commands.ts';
import { moveService } from '../../../src/engine/batches/moved-service.ts';
import { releaseRows } from '../../../src/engine/decisions/release-or-skip.ts';
import { canProgress } from '../../../src/engine/forecast/can-progress.ts';
import { manualPause } from '../../../src/ledger/batches/pauses.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { aRow, setPause } from '../../support/ledger.ts';

const one = 'https://one.example (v2)';
const two = 'https://two.example (v2)';
const patienceMs = 36 * 3_600_000;

const mary = ({ db, clock }: Rig) => ({ db, clock, person: 'mary', through: 'cli' as const });
const runAt = (rig: Rig, service: string) => rig.clock.drive(rig.runner({ service }).run(patienceMs));
const kinds = async ({ db }: Rig, batchId = 'batch-1') =>
  (
    await db.query<{ kind: string }>(
      `SELECT kind FROM events WHERE batch_id = ? AND kind LIKE 'batch.%' ORDER BY seq`,
      [batchId],
    )
  ).map(({ kind }) => kind);

/**
 * A row that was charged at the first service and is in doubt, and one that was not sent; the account is at the second
 * one now.
 */
async function moved(): Promise<Rig> {
  const rig = await makeRig();
  rig.service.script('run-1/ref-1', 'lose_answer');
  await rig.add([aRow(1), aRow(2, { status: 'held' })], { service: one });
  await rig.clock.drive(rig.runner({ service: one }).run(1_000));
  await releaseRows(mary(rig), 'batch-1', [2]);
  assert.deepEqual([await rig.states(), rig.service.charges.length], [['in_doubt', 'ready'], 1]);
  assert.equal((await rig.row(1)).failure_reason, doubtReason);
  // Nothing is known there.
  rig.service.charges.length = 0;
  rig.service.payments.clear();
  rig.service.creates.length = 0;
  rig.service.lookUps.length = 0;
  return rig;
}

describe('a batch of another service than its account', () => {
  test('is paused, and nothing of it is sent or asked there, while other batches continue', async () => {
    const rig = await moved();
    await rig.add([aRow(9)], { batch_id: 'batch-2', run_id: 'run-2', service: two });
    await runAt(rig, two);
    const { status, pause_reason, pause_detail, pause_why } = await rig.batch();
    assert.deepEqual([status, pause_reason], ['paused', 'service_changed']);
    assert.equal(pause_detail, `the batch was made for ${one}, and account main is at ${two} now`);
    const values = { service: one, account: 'main', other_service: two };
    assert.deepEqual(pause_why, { code: 'PAUSE_MOVED', values });
    assert.deepEqual(await rig.states(), ['in_doubt', 'ready']);
    assert.deepEqual(
      [rig.service.creates.map(({ reference }) => reference), rig.service.lookUps],
      [['run-2/ref-9'], []],
    );
    assert.equal((await rig.batch('batch-2')).status, 'completed');
    assert.deepEqual(rig.warnings, ['airbatch sends nothing of a batch: its account now points to another service']);
    assert.equal(await canProgress(rig.db, await rig.batch(), rig.clock.now(), patienceMs), false);
  });

  test('stays paused however often it is resumed, and continues when the account points back', async () => {
    const rig = await moved();
    await runAt(rig, two);
    await resumeBatch(mary(rig), 'batch-1');
    await runAt(rig, two);
    assert.deepEqual([(await rig.batch()).pause_reason, rig.service.creates.length], ['service_changed', 0]);
    await resumeBatch(mary(rig), 'batch-1');
    await runAt(rig, one);
    assert.equal((await rig.batch()).status, 'completed');
  });

  test('stays paused by the person who paused it, whatever reason is shown first, until a person resumes it', async () => {
    const rig = await moved();
    const why = async () => manualPause(rig.db, await rig.batch());
    assert.equal(await why(), null);
    await pauseBatch(mary(rig), 'batch-1', 'the wrong month');
    await runAt(rig, two);
    assert.deepEqual([(await rig.batch()).pause_reason, await why()], ['service_changed', 'the wrong month']);
    await resumeBatch(mary(rig), 'batch-1');
    await runAt(rig, two);
    assert.deepEqual([(await rig.batch()).pause_reason, await why()], ['service_changed', null]);
  });

  test('continues if a person says that the service has moved, which the audit log keeps', async () => {
    const rig = await moved();
    await runAt(rig, two);
    await moveService(mary(rig), 'batch-1', two);
    await resumeBatch(mary(rig), 'batch-1');
    await runAt(rig, two);
    const { status, service } = await rig.batch();
    assert.deepEqual([status, service], ['completed', two]);
    assert.deepEqual(await kinds(rig), [
      ...['batch.validated', 'batch.approve', 'batch.start', 'batch.pause'],
      ...['batch.service_moved', 'batch.resume', 'batch.complete'],
    ]);
    await moveService(mary(rig), 'batch-1', 'https://TWO.example/ (v2)');
    assert.equal((await kinds(rig)).length, 7, 'the same place is no move');
  });

  test('does not move to another version, which does not know its payments, whatever a person says', async () => {
    const rig = await moved();
    for (const other of ['https://one.example (v1)', 'https://two.example (v1)'])
      await assert.rejects(moveService(mary(rig), 'batch-1', other), {
        code: 'SERVICE_CHANGED',
        hint: /Set the address of the account back/,
      });
    assert.equal((await rig.batch()).service, one);
  });

  test('is paused before it has begun, and says so if it was paused for another reason', async () => {
    const rig = await makeRig();
    await rig.add(someRows(1), { service: one });
    await rig.add([aRow(2)], { batch_id: 'batch-2', run_id: 'run-2', service: one });
    await setPause(rig.db, 'insufficient_balance', { batchId: 'batch-2' });
    await runAt(rig, two);
    for (const id of ['batch-1', 'batch-2'])
      assert.deepEqual(
        [(await rig.batch(id)).status, (await rig.batch(id)).pause_reason],
        ['paused', 'service_changed'],
      );
    assert.equal((await kinds(rig, 'batch-2')).at(-1), 'batch.pause');
    await runAt(rig, two);
    assert.equal((await kinds(rig, 'batch-2')).filter((kind) => kind === 'batch.pause').length, 1, 'once');
    await resumeBatch(mary(rig), 'batch-1');
    await runAt(rig, one);
    const { status, started_at } = await rig.batch();
    assert.deepEqual([status, started_at !== null], ['completed', true]);
  });

  test('is not sent if a person says that its service has moved while its balance is read before it begins', async () => {
    const rig = await makeRig();
    const { balance } = rig.service;
    rig.service.balance = async () => {
      await moveService(mary(rig), 'batch-1', two);
      return balance();
    };
    await rig.add(someRows(1), { service: one, policy: JSON.stringify({ shortBalance: 'pause' }) });
    await runAt(rig, one);
    const { status, pause_reason, service } = await rig.batch();
    assert.deepEqual([status, pause_reason, service], ['paused', 'service_changed', two]);
    assert.equal(rig.service.creates.length, 0);
  });

  test('has the rows that a killed program was sending in doubt, so that nothing is forgotten when it continues', async () => {
    const rig = await moved();
    await rig.db.execute(`UPDATE rows SET status = 'sending' WHERE row_no = 1`);
    await rig.db.execute(`UPDATE batch_counts SET count = 1 - count WHERE status IN ('sending', 'in_doubt')`);
    const runner = rig.runner({ service: two });
    const running = runner.run(Number.POSITIVE_INFINITY);
    await rig.clock.drive(rig.clock.sleep(60_000));
    const { status, failure_reason } = await rig.row(1);
    assert.equal(status, 'in_doubt');
    assert.equal(failure_reason, `The program ended while this was being sent. ${doubtReason}`);
    await moveService(mary(rig), 'batch-1', two);
    await resumeBatch(mary(rig), 'batch-1');
    runner.nudge();
    await rig.clock.drive(rig.clock.sleep(patienceMs));
    runner.stop();
    await rig.clock.drive(running);
    assert.equal((await rig.batch()).status, 'completed');
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { storedPolicy } from '../../../src/core/state/batch-policy.ts';
import { releaseRows } from '../../../src/engine/decisions/release-or-skip.ts';
import { retryFailed } from '../../../src/engine/decisions/retry-failed.ts';
import { writeIntents } from '../../../src/engine/dispatch/intents.ts';
import type { RunnerContext } from '../../../src/engine/runner/context.ts';
import type { OpenBatch } from '../../../src/engine/runner/open-batches.ts';
import type { BatchRecord } from '../../../src/ledger/batches/batches.ts';
import { makeFileRefs } from '../../../src/ledger/rows/file-refs.ts';
import type { NewRow } from '../../../src/ledger/rows/rows.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { makeRig, type Rig } from '../../support/engine.ts';
import { aRow } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';

const dayMs = 24 * 3_600_000;
const mary = ({ db, clock }: Rig) => ({ db, clock, person: 'mary', through: 'cli' as const });
const policy = JSON.stringify({ recipientMaximum: { days: 30, sums: { KES: '500' } } });
const number = '+254712000001';
/** Of two jobs that run at once, either may write its intent first. */
const inOrder = { jobsAtOnce: 1 };

function toOne(rowNo: number, amount: string, fields: Partial<NewRow> = {}): NewRow {
  return aRow(rowNo, { phone_number: number, amount, ...fields });
}

/** Pays these amounts to one number in a batch and a run of their own. */
async function pay(rig: Rig, name: string, amounts: readonly string[]): Promise<string[]> {
  const rows = amounts.map((amount, index) => toOne(index + 1, amount));
  await rig.add(rows, { batch_id: name, run_id: name, policy, created_at: rig.clock.now() });
  await rig.run();
  return rig.states(name);
}

const charged = ({ service }: Rig) => service.charges.map(({ reference }) => reference);

describe('the maximum of a recipient', () => {
  test('counts payments of all batches of the account within its days', async () => {
    const rig = await makeRig(inOrder);
    assert.deepEqual(await pay(rig, 'one', ['300']), ['completed']);
    assert.deepEqual(await pay(rig, 'two', ['200']), ['completed']);
    assert.deepEqual(await pay(rig, 'three', ['1']), ['held']);
    assert.match(
      (await rig.row(1, 'three')).problems ?? '',
      /RECIPIENT_MAXIMUM.*gets KES 501\.00 within 30 days, and KES 500\.00 are allowed\. It was sent KES 500\.00 before, last on /,
    );
    await rig.clock.drive(rig.clock.sleep(30 * dayMs));
    assert.deepEqual(await pay(rig, 'four', ['500']), ['completed']);
    assert.deepEqual(charged(rig), ['one/ref-1', 'two/ref-1', 'four/ref-1']);
  });

  test('counts a payment of a row that may have been paid twice as two', async () => {
    const rig = await makeRig(inOrder);
    assert.deepEqual(await pay(rig, 'one', ['200']), ['completed']);
    await rig.db.execute(`UPDATE rows SET second_topup_id = 'second'`);
    assert.deepEqual(await pay(rig, 'two', ['101', '100']), ['held', 'completed']);
    assert.match((await rig.row(1, 'two')).problems ?? '', /gets KES 501\.00.*It was sent KES 400\.00 before/);
  });

  test('counts its days from the time of sending, however long the batch has waited', async () => {
    const rig = await makeRig(inOrder);
    assert.deepEqual(await pay(rig, 'one', ['300']), ['completed']);
    await rig.clock.drive(rig.clock.sleep(30 * dayMs));
    const created_at = rig.clock.now() - 10 * dayMs;
    await rig.add([toOne(1, '500')], { batch_id: 'two', run_id: 'two', policy, created_at });
    await rig.run();
    assert.deepEqual(await rig.states('two'), ['completed']);
  });

  for (const rowsPerAdmission of [1, 16]) {
    test(`counts the rows of one file, ${rowsPerAdmission} at a time, and holds those that exceed it`, async () => {
      const rig = await makeRig({ ...inOrder, settings: { rowsPerAdmission } });
      assert.deepEqual(await pay(rig, 'one', ['300', '250', '200', '600']), ['completed', 'held', 'completed', 'held']);
      assert.deepEqual(charged(rig), ['one/ref-1', 'one/ref-3']);
    });
  }

  test('does not count another number, another currency, a product, or what certainly failed', async () => {
    const rig = await makeRig(inOrder);
    rig.service.ends('one/ref-1', 'failed');
    assert.deepEqual(await pay(rig, 'one', ['500']), ['failed']);
    const rows = [
      toOne(1, '500'),
      toOne(2, '900', { currency: 'UGX' }),
      toOne(3, '', { amount: null, currency: null, product_id: '9' }),
      aRow(4, { amount: '500' }),
    ];
    await rig.add(rows, { batch_id: 'two', run_id: 'two', policy, created_at: rig.clock.now() });
    await rig.run();
    assert.deepEqual(await rig.states('two'), ['completed', 'completed', 'completed', 'completed']);
  });

  test('counts a payment whose result is unknown', async () => {
    const rig = await makeRig(inOrder);
    rig.service.ends('one/ref-1', 'failed');
    assert.deepEqual(await pay(rig, 'one', ['500']), ['failed']);
    await rig.db.execute(`UPDATE rows SET service_status = 'TIMEOUT' WHERE batch_id = 'one'`);
    assert.deepEqual(await pay(rig, 'two', ['1']), ['held']);
  });

  test('lets a released row pass, and holds it again if another batch has sent since', async () => {
    const rig = await makeRig(inOrder);
    assert.deepEqual(await pay(rig, 'one', ['450', '60', '70', '80']), ['completed', 'held', 'held', 'held']);
    await releaseRows(mary(rig), 'one', [2, 3]);
    await rig.run();
    assert.deepEqual(await rig.states('one'), ['completed', 'completed', 'completed', 'held']);
    await rig.clock.drive(rig.clock.sleep(dayMs));
    const other = JSON.stringify({ recipientMaximum: null });
    await rig.add([toOne(1, '5')], { batch_id: 'two', run_id: 'two', policy: other, created_at: rig.clock.now() });
    await rig.run();
    await releaseRows(mary(rig), 'one', [4]);
    await rig.run();
    assert.deepEqual([await rig.states('two'), (await rig.row(4, 'one')).status], [['completed'], 'held']);
    await releaseRows(mary(rig), 'one', [4]);
    await rig.run();
    assert.equal((await rig.row(4, 'one')).status, 'completed');
  });

  test('holds a row that was released only for another reason, and that now exceeds the maximum', async () => {
    const rig = await makeRig(inOrder);
    assert.deepEqual(await pay(rig, 'one', ['200']), ['completed']);
    await rig.clock.drive(rig.clock.sleep(dayMs));
    assert.deepEqual(await pay(rig, 'two', ['200', '200']), ['held', 'held']);
    const codes = async (rowNo: number) =>
      (JSON.parse((await rig.row(rowNo, 'two')).problems ?? '[]') as { code: string }[]).map(({ code }) => code);
    assert.deepEqual(await codes(2), ['SENT_LATELY']);
    await releaseRows(mary(rig), 'two', []);
    await rig.run();
    assert.deepEqual(await rig.states('two'), ['completed', 'held']);
    assert.deepEqual(await codes(2), ['RECIPIENT_MAXIMUM']);
    await releaseRows(mary(rig), 'two', [2]);
    await rig.run();
    assert.deepEqual(await rig.states('two'), ['completed', 'completed']);
  });

  test('holds a released row again if a row of its batch that nobody released was sent since', async () => {
    const rig = await makeRig(inOrder);
    assert.deepEqual(await pay(rig, 'one', ['200']), ['completed']);
    await rig.clock.drive(rig.clock.sleep(dayMs));
    assert.deepEqual(await pay(rig, 'two', ['400', '250']), ['held', 'completed']);
    await releaseRows(mary(rig), 'two', [1]);
    await rig.run();
    assert.match((await rig.row(1, 'two')).problems ?? '', /gets KES 850\.00/);
    await releaseRows(mary(rig), 'two', [1]);
    await rig.run();
    assert.deepEqual(await rig.states('two'), ['completed', 'completed']);
  });

  test('is shown together with recent payments of another batch, so that a person who releases the row sees both', async () => {
    const rig = await makeRig(inOrder);
    await pay(rig, 'one', ['300']);
    assert.deepEqual(await pay(rig, 'two', ['300']), ['held']);
    const { problems } = await rig.row(1, 'two');
    assert.deepEqual(
      (JSON.parse(problems ?? '[]') as { code: string }[]).map(({ code }) => code),
      ['SENT_LATELY', 'RECIPIENT_MAXIMUM'],
    );
    await releaseRows(mary(rig), 'two', []);
    await rig.run();
    assert.deepEqual(await rig.states('two'), ['completed']);
  });

  test('is shown once together with payments of another batch, also if its own batch has sent something since', async () => {
    const rig = await makeRig(inOrder);
    assert.deepEqual(await pay(rig, 'one', ['200']), ['completed']);
    await rig.clock.drive(rig.clock.sleep(dayMs));
    assert.deepEqual(await pay(rig, 'two', ['300', '200']), ['completed', 'held']);
    await releaseRows(mary(rig), 'two', [2]);
    await rig.run();
    assert.deepEqual(await rig.states('two'), ['completed', 'completed']);
  });

  test('is shown once if another batch has sent before its days, so that a person who releases the row sees both', async () => {
    const rig = await makeRig(inOrder);
    await rig.add([toOne(1, '600')], { batch_id: 'one', run_id: 'one' });
    await rig.run();
    await rig.clock.drive(rig.clock.sleep(2 * dayMs));
    const ofOneDay = JSON.stringify({ recipientMaximum: { days: 1, sums: { KES: '500' } } });
    await rig.add([toOne(1, '600')], { batch_id: 'two', run_id: 'two', policy: ofOneDay, created_at: rig.clock.now() });
    await rig.run();
    assert.deepEqual(await rig.states('two'), ['held']);
    await releaseRows(mary(rig), 'two', []);
    await rig.run();
    assert.deepEqual(await rig.states('two'), ['completed']);
  });

  /** The rows of batch "one" that go where these come to their turn together. */
  async function goTogether(rig: Rig, rowNos: readonly number[]): Promise<number[]> {
    const rows = await Promise.all(rowNos.map((rowNo) => rig.row(rowNo, 'one')));
    const batch: BatchRecord = await rig.batch('one');
    const open = { batch, policy: storedPolicy(batch.policy), file: makeFileRefs('one') } as OpenBatch;
    const known: Partial<RunnerContext> = {
      gateway: rig.service,
      callbackUrl: null,
      restoredAt: null,
      keys: { provedFrom: () => 0, scopeFrom: 0 },
    };
    const options = { clock: rig.clock, actor: 'engine' };
    const { intents } = await inUnit(rig.db, options, (unit) =>
      writeIntents(unit, known as RunnerContext, open, rows, new Set()),
    );
    return intents.map(({ row }) => row.row_no);
  }

  test('counts a doubt once if it is sent again together with another row', async () => {
    const rig = await makeRig(inOrder);
    rig.service.script('one/ref-1', 'lose_request');
    await rig.add([toOne(1, '300'), toOne(2, '200', { status: 'held' })], { batch_id: 'one', run_id: 'one', policy });
    await rig.run(0);
    await releaseRows(mary(rig), 'one', [2]);
    assert.deepEqual(await rig.states('one'), ['in_doubt', 'ready']);
    assert.deepEqual(await goTogether(rig, [1, 2]), [1, 2]);
  });

  test('keeps showing a payment that a person saw at the release, though it no longer counts', async () => {
    const rig = await makeRig(inOrder);
    await rig.add([toOne(1, '450'), toOne(2, '100', { status: 'held' })], { batch_id: 'one', run_id: 'one', policy });
    await rig.run();
    const told = rig.clock.now() + dayMs;
    await rig.db.execute('UPDATE rows SET known_until = ? WHERE row_no = 2', [told]);
    await releaseRows(mary(rig), 'one', [2]);
    assert.deepEqual(await goTogether(rig, [2]), []);
    const { status, known_until } = await rig.row(2, 'one');
    assert.deepEqual([status, known_until], ['held', told]);
  });

  test('does not count a repeated doubt as a new payment since the release of another row', async () => {
    const rig = await makeRig(inOrder);
    rig.service.script('one/ref-1', 'lose_request');
    await rig.add([toOne(1, '300'), toOne(2, '250')], { batch_id: 'one', run_id: 'one', policy });
    await rig.run(0);
    assert.deepEqual(await rig.states('one'), ['in_doubt', 'held']);
    await releaseRows(mary(rig), 'one', [2]);
    assert.deepEqual(await goTogether(rig, [1, 2]), [1, 2]);
  });

  test('counts a row once whose earlier payment has not arrived, and that is sent together with another row', async () => {
    const rig = await makeRig(inOrder);
    const held = [toOne(1, '300', { status: 'held' }), toOne(2, '200', { status: 'held' })];
    await rig.add(held, { batch_id: 'one', run_id: 'one', policy });
    await rig.run(0);
    await rig.db.execute(
      `UPDATE rows SET generation = 2, service_status = 'processing', first_sent_at = ? WHERE row_no = 1`,
      [rig.clock.now()],
    );
    await releaseRows(mary(rig), 'one', [1, 2]);
    assert.deepEqual(await goTogether(rig, [1, 2]), [1, 2]);
  });

  test('does not count a row whose next generation a person starts', async () => {
    const rig = await makeRig(inOrder);
    rig.service.ends('one/ref-1', 'failed');
    assert.deepEqual(await pay(rig, 'one', ['500']), ['failed']);
    const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
    await rig.clock.drive(retryFailed(mary(rig), service, 'one', { codes: [] }));
    await rig.run();
    assert.deepEqual(await rig.states('one'), ['completed']);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { idempotencyKey } from '../../../src/core/identity/ids.ts';
import { pauseBatch, resumeBatch } from '../../../src/engine/batches/batch-commands.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { aRow } from '../../support/ledger.ts';

/** What the lost part of the ledger has paid of row 1 of run-1. */
async function payLost({ clock, service }: Rig, reference: string, idempotencyKey = 'lost'): Promise<void> {
  const { phone_number: phoneNumber, amount: value, currency } = aRow(1);
  const order = { phoneNumber, amount: { value, currency }, productId: null, reference };
  await clock.drive(service.create({ body: JSON.stringify(order), idempotencyKey }));
}

const runRestored = (rig: Rig) => rig.clock.drive(rig.runner({ restored: true }).run(36 * 3_600_000));

describe('a row of a restored ledger', () => {
  test('is not sent if a later generation was paid after the first was refused, which left nothing to find', async () => {
    const rig = await makeRig();
    await payLost(rig, 'run-1/ref-1~2');
    await rig.add(someRows(2));
    await runRestored(rig);
    assert.deepEqual(await rig.states(), ['completed', 'completed']);
    assert.equal((await rig.row(1)).generation, 2);
    assert.deepEqual(
      rig.service.charges.map(({ reference }) => reference),
      ['run-1/ref-1~2', 'run-1/ref-2'],
    );
  });

  test('continues with the later of two payments of the lost part, and the other one halts the account', async () => {
    const rig = await makeRig();
    await payLost(rig, 'run-1/ref-1', 'lost 1');
    await payLost(rig, 'run-1/ref-1~2', 'lost 2');
    await rig.add(someRows(2));
    await runRestored(rig);
    assert.deepEqual(await rig.states(), ['completed', 'ready']);
    assert.equal((await rig.batch()).pause_reason, 'service_mismatch');
    const [first] = [...rig.service.payments.values()];
    const noted = await rig.db.query<{ row_no: number; body: string }>(
      `SELECT row_no, body FROM events WHERE kind = 'row.contradicted'`,
    );
    assert.deepEqual(
      noted.map(({ row_no, body }) => [row_no, (JSON.parse(body) as { topup_id: string }).topup_id]),
      [[1, first?.topupId]],
    );
    assert.equal((await rig.row(1)).second_topup_id, first?.topupId);
    assert.ok(rig.warnings.includes('the service contradicts the ledger'));
  });

  test('is held if none of its look-ups is answered for a day, and is not sent', async () => {
    const rig = await makeRig();
    await rig.add(someRows(2));
    const { lookup } = rig.service;
    let asked = 0;
    rig.service.lookup = async (reference) => {
      if (reference !== 'run-1/ref-1') return lookup(reference);
      asked += 1;
      const evidence = { httpStatus: 502, code: 'http_502', message: '', requestId: null };
      return { kind: 'unavailable', evidence };
    };
    await runRestored(rig);
    assert.deepEqual(await rig.states(), ['held', 'completed']);
    assert.match((await rig.row(1)).problems ?? '', /NOT_LOOKED_UP.*run-1\/ref-1: http_502/);
    assert.ok(asked < 400, `${asked} times`);
    assert.equal(rig.service.creates.length, 1);
  });

  test('is not held if its look-ups are throttled for more than a day: that is an answer, and it is sent after a real one', async () => {
    const rig = await makeRig();
    await rig.add(someRows(1));
    const { lookup } = rig.service;
    const until = rig.clock.now() + 30 * 3_600_000;
    rig.service.lookup = async (reference) => {
      if (rig.clock.now() >= until) return lookup(reference);
      const evidence = { httpStatus: 429, code: 'RATE_LIMITED', message: '', requestId: null };
      return { kind: 'throttled', retryAfterMs: 600_000, evidence };
    };
    await runRestored(rig);
    assert.deepEqual(await rig.states(), ['completed']);
  });

  test('is looked up for another day if nobody asked while its batch was paused', async () => {
    const rig = await makeRig();
    await rig.add(someRows(1));
    const { lookup } = rig.service;
    let failures = 2;
    rig.service.lookup = async (reference) => {
      if (failures === 0) return lookup(reference);
      failures -= 1;
      if (failures === 1)
        await pauseBatch(
          { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const },
          'batch-1',
          'a holiday',
        );
      return { kind: 'unavailable', evidence: { httpStatus: 502, code: 'http_502', message: '', requestId: null } };
    };
    await runRestored(rig);
    assert.deepEqual([await rig.states(), failures], [['ready'], 1]);
    await rig.clock.drive(rig.clock.sleep(3 * 24 * 3_600_000));
    await resumeBatch({ db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const }, 'batch-1');
    await rig.run();
    assert.deepEqual([await rig.states(), failures], [['completed'], 0]);
  });

  test('is skipped if a row of another file of the run has the found payment', async () => {
    for (const reference of ['run-1/ref-1', 'run-1/ref-1~2']) {
      const rig = await makeRig();
      await payLost(rig, reference);
      await rig.add(someRows(1));
      await rig.add(someRows(1), { batch_id: 'batch-2' });
      await runRestored(rig);
      assert.deepEqual([await rig.states(), await rig.states('batch-2')], [['completed'], ['skipped']]);
      assert.equal(rig.service.charges.length, 1);
    }
  });

  for (const [days, isSent, isAhead] of [
    [3, false, false],
    // The service still knows the key, under which the lost part has paid it.
    [0, true, false],
    // Of what the service dates in the future nobody knows how old it is.
    [3, false, true],
  ] as const)
    test(`is ${isSent ? '' : 'not '}sent if the found payment, ${days} days old${isAhead ? ' or, it says, of tomorrow' : ''}, is no longer found: its key is as old`, async () => {
      const rig = await makeRig();
      const key = idempotencyKey({ account: 'main', runId: 'run-1', rowRef: 'ref-1', generation: 1 });
      await payLost(rig, 'run-1/ref-1', key);
      await rig.clock.drive(rig.clock.sleep(days * 24 * 3_600_000));
      await rig.add(someRows(1));
      const { lookup } = rig.service;
      rig.service.lookup = async (reference) => {
        const found = await lookup(reference);
        rig.service.hidden.add(reference);
        if (!isAhead || found.kind !== 'found') return found;
        const createdAt = rig.clock.now() + 24 * 3_600_000;
        return { ...found, payments: found.payments.map((payment) => ({ ...payment, createdAt })) };
      };
      await runRestored(rig);
      assert.ok(((await rig.row(1)).first_sent_at ?? 0) <= rig.clock.now());
      assert.deepEqual(await rig.states(), [isSent ? 'completed' : 'in_doubt']);
      assert.equal(rig.service.creates.length, isSent ? 2 : 1);
      assert.equal(rig.service.charges.length, 1);
    });

  test('needs a person if it was in doubt, and a later generation of it was paid', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'lose_request');
    await rig.add(someRows(1));
    const before = rig.runner();
    const running = before.run(36 * 3_600_000);
    await rig.clock.drive(rig.clock.sleep(10_000));
    before.stop();
    await rig.clock.drive(running);
    assert.deepEqual(await rig.states(), ['in_doubt']);
    await payLost(rig, 'run-1/ref-1~2');
    await runRestored(rig);
    const { status, next_action_at, failure_reason } = await rig.row(1);
    assert.deepEqual([status, next_action_at], ['in_doubt', null]);
    assert.match(
      failure_reason ?? '',
      /A person must decide: the service has its payment \S+, and the restored ledger does not/,
    );
    assert.ok(rig.warnings.includes('a person must find out whether a row was paid: the service cannot say'));
    assert.equal(rig.service.charges.length, 1);
  });

  test('waits together with its admission if the look-up of one of them is throttled', async () => {
    const rig = await makeRig({ settings: { rowsPerAdmission: 2 } });
    const { lookup, create } = rig.service;
    const evidence = { httpStatus: 429, code: 'RATE_LIMITED', message: '', requestId: null };
    let heldUntil = 0;
    rig.service.lookup = async (reference) => {
      const outcome = await lookup(reference);
      if (reference !== 'run-1/ref-1~3' || heldUntil > 0) return outcome;
      heldUntil = rig.clock.now() + 30_000;
      return { kind: 'throttled', retryAfterMs: 30_000, evidence };
    };
    const sentAt: number[] = [];
    rig.service.create = (request) => {
      sentAt.push(rig.clock.now());
      return create(request);
    };
    await rig.add(someRows(2));
    await runRestored(rig);
    assert.deepEqual(await rig.states(), ['completed', 'completed']);
    assert.ok(heldUntil > 0 && sentAt.length === 2 && sentAt.every((at) => at >= heldUntil), `${sentAt} ${heldUntil}`);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { idempotencyKey } from '../../../src/core/identity/ids.ts';
import { forgetBatch, forgetEnded } from '../../../src/engine/batches/forget.ts';
import { retryFailed } from '../../../src/engine/decisions/retry-failed.ts';
import type { LookupOutcome } from '../../../src/gateway/contract/gateway.ts';
import { addToInbox } from '../../../src/ledger/accounts/webhook-inbox.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { findPayment, insertPayments } from '../../../src/ledger/rows/payments.ts';
import { batchSummary } from '../../../src/reports/summary/summary.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { v1Policy } from '../../support/fake-service.ts';
import { anInboxEntry, aPayment, beforeTransaction } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';
import { callbackBody } from '../../support/webhooks.ts';

const minuteMs = 60_000;
const throttled = { httpStatus: 429, code: 'RATE_LIMITED', message: 'slow down', requestId: null };

const retryIn = (rig: Rig) => (codes: string[]) => {
  const actor = { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const };
  const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
  return rig.clock.drive(retryFailed(actor, service, 'batch-1', { codes }));
};

/** What look-ups find under these references is said to have ended with these words. */
function say({ service }: Rig, words: ReadonlyMap<string, string>): void {
  const { lookup } = service;
  service.lookup = async (reference) => {
    const outcome = await lookup(reference);
    const serviceStatus = words.get(reference);
    if (!serviceStatus || outcome.kind !== 'found') return outcome;
    return { ...outcome, payments: outcome.payments.map((one) => ({ ...one, serviceStatus })) };
  };
}

/** Three rows that the service does not know (so that no look-up blocks them), ended as given. */
async function endedAs(words: readonly string[]) {
  const rig = await makeRig();
  await rig.add(someRows(words.length));
  for (const [index, word] of words.entries()) {
    await rig.db.execute(
      `UPDATE rows SET status = 'failed', service_status = ?, failure_code = '5', first_sent_at = 1 WHERE row_no = ?`,
      [word, index + 1],
    );
  }
  await rig.db.execute(`UPDATE batches SET status = 'running'`);
  return { rig, retry: retryIn(rig) };
}

describe('a retry', () => {
  for (const word of ['TIMEOUT', 'UNDERLIVERED', 'CANCELED']) {
    test(`leaves a row alone that the service reports as ${word}, unless that code is named`, async () => {
      const { rig, retry } = await endedAs(['FAILED', word]);
      const all = await retry([]);
      assert.equal(all.retried, 1);
      assert.deepEqual(await rig.states(), ['ready', 'failed']);
      assert.match(all.kept[0]?.why ?? '', new RegExp(`says ${word}.*--code ${word}`));
      assert.equal((await retry(['5'])).retried, 0);
      assert.equal((await retry([word])).retried, 1);
      assert.deepEqual(await rig.states(), ['ready', 'ready']);
      assert.equal((await rig.row(2)).generation, 2);
    });
  }

  test('leaves a row alone that the service reports as possibly arrived, though it ended otherwise, until a person names that code too', async () => {
    const rig = await makeRig({ policy: v1Policy, list: false });
    rig.service.ends('run-1/ref-1', 'failed');
    await rig.add(someRows(1));
    await rig.run();
    say(rig, new Map([['run-1/ref-1', 'UNDERLIVERED']]));
    const retry = retryIn(rig);
    const left = await retry([]);
    assert.equal(left.retried, 0);
    assert.match(left.kept[0]?.why ?? '', /says UNDERLIVERED of run-1\/ref-1.*--code DECLINED --code UNDERLIVERED/);
    assert.equal((await retry(['DECLINED', 'UNDERLIVERED'])).retried, 1);
    await rig.run();
    // It is looked up once more when its turn comes: what was named is remembered.
    assert.deepEqual(await rig.states(), ['completed']);
    assert.deepEqual(
      rig.service.charges.map(({ reference }) => reference),
      ['run-1/ref-1', 'run-1/ref-1~2'],
    );
  });

  test('passes the codes that people named for this row, now or before, and no others', async () => {
    const rig = await makeRig();
    const retry = retryIn(rig);
    const words = new Map([['run-1/ref-1', 'UNDERLIVERED']]);
    say(rig, words);
    for (const reference of ['run-1/ref-1', 'run-1/ref-1~2', 'run-1/ref-2']) rig.service.ends(reference, 'failed');
    await rig.add(someRows(2));
    await rig.run();
    await rig.db.execute(`UPDATE rows SET service_status = 'UNDERLIVERED' WHERE row_no = 1`);
    assert.equal((await retry(['UNDERLIVERED'])).retried, 1);
    assert.equal((await retry(['DECLINED'])).retried, 1);
    words.set('run-1/ref-2', 'UNDERLIVERED');
    await rig.run();
    assert.deepEqual(await rig.states(), ['failed', 'held']);
    words.set('run-1/ref-1~2', 'TIMEOUT');
    assert.match((await retry([])).kept[0]?.why ?? '', /says TIMEOUT of run-1\/ref-1~2/);
    assert.equal((await retry(['DECLINED', 'TIMEOUT'])).retried, 1);
    await rig.run();
    assert.deepEqual(await rig.states(), ['completed', 'held']);
  });

  test('leaves a row alone whose payment is in progress at the service, until the service reports that as failed too', async () => {
    const { rig, retry } = await endedAs(['FAILED']);
    const reference = 'run-1/ref-1';
    const body = JSON.stringify({ ...(await rig.row(1)), reference });
    await rig.clock.drive(rig.service.create({ body, idempotencyKey: 'a key' }));
    rig.service.ends(reference, 'open');
    const { retried, kept } = await retry([]);
    assert.equal(retried, 0);
    assert.match(kept[0]?.why ?? '', /run-1\/ref-1.*pending/);
    assert.deepEqual(await rig.states(), ['failed']);
    rig.service.ends(reference, 'failed');
    await rig.clock.drive(rig.clock.sleep(2_000));
    assert.equal((await retry([])).retried, 1);
  });

  test('leaves a row alone whose recipient is forgotten', async () => {
    const { rig, retry } = await endedAs(['FAILED', 'FAILED']);
    await rig.db.execute('UPDATE rows SET phone_number = NULL WHERE row_no = 1');
    const { retried, kept } = await retry([]);
    assert.deepEqual([retried, kept.map(({ row }) => row)], [1, [1]]);
    assert.deepEqual(await rig.states(), ['failed', 'ready']);
  });

  for (const status of ['validated', 'awaiting_approval', 'approved', 'cancelled'])
    test(`of a batch that is ${status} is refused: it would send what nobody approved`, async () => {
      const { rig, retry } = await endedAs(['FAILED']);
      await rig.db.execute('UPDATE batches SET status = ?', [status]);
      await assert.rejects(retry([]), { code: 'BATCH_STATE', message: /nothing of it was sent/ });
      assert.deepEqual(await rig.states(), ['failed']);
    });

  test('leaves rows alone that failed with other codes than the named ones', async () => {
    const { rig, retry } = await endedAs(['FAILED', 'FAILED']);
    await rig.db.execute("UPDATE rows SET failure_code = '7' WHERE row_no = 2");
    assert.deepEqual(await retry(['7']), { retried: 1, unanswered: 0, kept: [] });
    assert.deepEqual(await rig.states(), ['failed', 'ready']);
  });

  test('leaves a row alone that was tried as often as allowed', async () => {
    const { rig, retry } = await endedAs(['FAILED', 'FAILED']);
    await rig.db.execute('UPDATE rows SET generation = row_no + 1');
    const { retried, kept } = await retry([]);
    assert.deepEqual([retried, kept.map(({ row }) => row)], [1, [2]]);
    assert.match(kept[0]?.why ?? '', /tried 3 times/);
    assert.deepEqual(await rig.states(), ['ready', 'failed']);
  });

  for (const [whose, owner, state] of [
    ['the same row of another batch', { batch_id: 'batch-2', row_no: 1 }, 'failed'],
    ['another row of the batch', { batch_id: 'batch-1', row_no: 2 }, 'failed'],
    ['itself', { batch_id: 'batch-1', row_no: 1 }, 'ready'],
  ] as const)
    test(`leaves a row ${state} whose next generation was bound by ${whose}`, async () => {
      const { rig, retry } = await endedAs(['FAILED']);
      const next = { account: 'main', runId: 'run-1', rowRef: 'ref-1', generation: 2 };
      await insertPayments(rig.db, [aPayment(next, owner)]);
      const { kept } = await retry([]);
      if (state === 'failed') assert.match(kept[0]?.why ?? '', /has tried it again since/);
      assert.deepEqual(await rig.states(), [state]);
    });

  test('leaves a row alone whose earlier payment cannot be looked up', async () => {
    const { rig, retry } = await endedAs(['FAILED']);
    const evidence = { httpStatus: 503, code: 'http_503', message: 'x', requestId: null };
    rig.service.lookup = async () => ({ kind: 'unavailable', evidence });
    const { retried, kept } = await retry([]);
    assert.equal(retried, 0);
    assert.match(kept[0]?.why ?? '', /run-1\/ref-1 could not be looked up \(http_503\)/);
    assert.deepEqual(await rig.states(), ['failed']);
  });

  test('keeps nothing of the failed payment on the row, nor of its refund', async () => {
    const { rig, retry } = await endedAs(['FAILED']);
    await rig.db.execute(
      `UPDATE rows SET attempts = 1, next_action_at = 1, topup_id = 't', provider_reference = 'p', cost = '0', cost_currency = 'USD',
         failure_reason = 'x', accepted_at = 1, completed_at = 1, refunded_at = 1, refund_amount = '101', refund_currency = 'KES'`,
    );
    assert.equal((await retry([])).retried, 1);
    const unsent = await makeRig();
    await unsent.add(someRows(1));
    assert.deepEqual(await rig.row(1), { ...(await unsent.row(1)), generation: 2 });
  });

  for (const [now, back] of [
    ['0', { USD: '1' }],
    ['0.4', { USD: '0.6' }],
    ['1', {}],
  ] as const)
    test(`records the present cost of its earlier payment, ${now} of 1, since the refund is known nowhere else then`, async () => {
      const rig = await makeRig({ policy: v1Policy, list: false });
      const retry = retryIn(rig);
      let cost = '1';
      const { read, lookup } = rig.service;
      const told = (outcome: LookupOutcome): LookupOutcome =>
        outcome.kind === 'found'
          ? {
              ...outcome,
              payments: outcome.payments.map((one) =>
                one.state === 'failed'
                  ? {
                      ...one,
                      serviceStatus: 'UNDERLIVERED',
                      failureCode: 'UNDERLIVERED',
                      cost: { value: cost, currency: 'USD' },
                    }
                  : one,
              ),
            }
          : outcome;
      Object.assign(rig.service, {
        read: async (one: Parameters<typeof read>[0]) => told(await read(one)),
        lookup: async (reference: string) => told(await lookup(reference)),
      });
      rig.service.ends('run-1/ref-1', 'failed');
      await rig.add(someRows(1));
      const { balance } = { balance: null, ...(await rig.clock.drive(rig.service.balance())) };
      await rig.db.execute('UPDATE batches SET balance_before = ?', [JSON.stringify(balance)]);
      await rig.run();
      assert.deepEqual([(await rig.row(1)).status, (await rig.row(1)).cost], ['failed', '1']);
      cost = now;
      rig.service.purse.opening += 1 - Number(now);
      assert.equal((await retry(['UNDERLIVERED'])).retried, 1);
      await rig.run();
      const { charged, balance: proof } = await batchSummary(rig.db, 'batch-1');
      assert.deepEqual([charged.total, charged.earlier], [{ USD: '2' }, { USD: '1' }]);
      assert.deepEqual(charged.earlier_came_back, back);
      assert.deepEqual([proof.explanation[0]?.came_back, proof.explained], [Object.values(back)[0] ?? '0', true]);
    });

  for (const [what, change, state] of [
    ['was retried', "UPDATE rows SET status = 'ready', generation = 2", 'ready'],
    ['was forgotten with its batch', 'UPDATE batches SET forgotten_at = 1', 'failed'],
    ['the service reported as paid', "UPDATE rows SET contradicted = 'completed', contradicted_at = 1", 'failed'],
  ] as const)
    test(`leaves a row alone that ${what} at this moment, and says so`, async () => {
      const { rig } = await endedAs(['FAILED']);
      const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
      const db = beforeTransaction(rig.db, () => rig.db.execute(change));
      const options = { codes: [] };
      const retrying = retryFailed(
        { db, clock: rig.clock, person: 'mary', through: 'cli' as const },
        service,
        'batch-1',
        options,
      );
      assert.deepEqual(await rig.clock.drive(retrying), {
        retried: 0,
        unanswered: 0,
        kept: [{ row: 1, why: 'it changed meanwhile' }],
      });
      assert.deepEqual(await rig.states(), [state]);
    });

  test('does not pay a row whose payment a webhook reports as completed while the retry asks a list that lags', async () => {
    const rig = await makeRig();
    rig.service.ends('run-1/ref-1', 'failed');
    await rig.add(someRows(1));
    await rig.run();
    const [payment] = [...rig.service.payments.values()];
    const staying = rig.runner();
    const { lookup } = rig.service;
    rig.service.lookup = async (reference) => {
      const outcome = await lookup(reference);
      const phone_number = (await rig.row(1)).phone_number ?? '';
      const body = callbackBody({ id: payment?.topupId ?? '', status: 'completed', reference, phone_number });
      await addToInbox(rig.db, anInboxEntry({ scheme: 'callback', body, received_at: rig.clock.now() }));
      staying.hint();
      await rig.clock.sleep(5_000);
      return outcome;
    };
    const running = staying.run(Number.POSITIVE_INFINITY);
    const retrying = async () => {
      const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
      const actor = { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const };
      await retryFailed(actor, service, 'batch-1', { codes: [] });
      staying.nudge();
      await rig.clock.sleep(60_000);
      staying.stop();
    };
    await rig.clock.drive(Promise.all([running, retrying()]));
    assert.deepEqual([(await rig.row(1)).status, (await rig.row(1)).contradicted], ['failed', 'completed']);
    assert.equal(rig.service.charges.length, 1);
  });

  for (const [saidMs, asked, retried] of [
    [minuteMs, 3, 2],
    [60 * minuteMs, 1, 0],
  ] as const)
    test(`told to wait for ${saidMs / minuteMs} min by a look-up, makes the account wait, and asks ${retried > 0 ? 'again then' : 'no more'}`, async () => {
      const { rig } = await endedAs(['FAILED', 'FAILED']);
      const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
      const { lookup } = rig.service;
      const askedAt: number[] = [];
      rig.service.lookup = async (reference) => {
        askedAt.push(rig.clock.now());
        return askedAt.length > 1
          ? lookup(reference)
          : { kind: 'throttled', retryAfterMs: saidMs, evidence: throttled };
      };
      const begunAt = rig.clock.now();
      const actor = { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const };
      const retrying = retryFailed(actor, service, 'batch-1', { codes: [] });
      await rig.clock.drive(rig.clock.sleep(1_000));
      assert.ok(service.limiter.isHeld('creation'), 'nothing of the account is sent meanwhile');
      const result = await rig.clock.drive(retrying);
      assert.deepEqual([askedAt.length, result.retried], [asked, retried]);
      for (const at of askedAt.slice(1)) assert.ok(at >= begunAt + saidMs);
      for (const { why } of result.kept) assert.match(why, /could not be looked up \((RATE_LIMITED|throttled)\)/);
    });

  test('keeps a batch open that was about to end', async () => {
    const rig = await makeRig();
    rig.service.ends('run-1/ref-1', 'failed');
    const { balance } = rig.service;
    let retried = 0;
    // The last thing before a batch ends is a look at the balance: a person is quicker.
    rig.service.balance = async () => {
      if (retried === 0 && (await rig.row(1)).status === 'failed') {
        const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
        const options = { codes: [] };
        retried = (
          await retryFailed(
            { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const },
            service,
            'batch-1',
            options,
          )
        ).retried;
      }
      return balance();
    };
    await rig.add(someRows(1));
    await rig.run();
    assert.equal(retried, 1);
    assert.deepEqual(
      rig.service.creates.map(({ reference }) => reference),
      ['run-1/ref-1', 'run-1/ref-1~2'],
    );
    assert.deepEqual([await rig.states(), (await rig.batch()).status], [['completed'], 'completed']);
  });
});

describe('a batch whose people are being forgotten when the program is killed', () => {
  const rows = 1_001;
  for (const units of [0, 1, 2, 3, 4]) {
    test(`after ${units} of its transactions: it is not retried, and the rest is forgotten the next time`, async () => {
      const { rig, retry } = await endedAs(Array(rows).fill('FAILED'));
      const body = '{"phone_number":"+254712000001"}';
      const identity = { account: 'main', runId: 'run-1', rowRef: 'ref-1', generation: 1 };
      const others = { ...identity, rowRef: 'ref-2' };
      await insertPayments(rig.db, [
        aPayment(identity, { body }),
        aPayment({ ...identity, generation: 2 }, { body, generation: 2 }),
        // The row's key is bound by another file, whose people are not forgotten.
        aPayment(others, { body, batch_id: 'batch-0', row_no: 2 }),
      ]);
      await rig.db.execute(`UPDATE rows SET generation = 2 WHERE row_no = 1`);
      await rig.db.execute(`UPDATE batches SET status = 'completed', started_at = 1, completed_at = 1`);
      const actor = { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const };
      const left = async () => {
        const [one] = await rig.db.query<{ count: number }>(
          `SELECT (SELECT COUNT(*) FROM rows WHERE phone_number IS NOT NULL)
             + (SELECT COUNT(*) FROM payments WHERE (body <> '' OR body_digest <> '') AND batch_id = 'batch-1') AS count`,
        );
        return one?.count;
      };
      const dying = forgetBatch({ ...actor, db: killedAfter(rig.db, units) }, 'batch-1', 'asked to');
      if (units < 4) await assert.rejects(dying, /killed/);
      else assert.deepEqual(await dying, { rows, traceable: 0 });
      assert.equal(await left(), [rows + 2, rows + 2, rows - 500 + 2, 1 + 2, 0][units]);
      // Nothing is forgotten of a batch that could still be paid.
      if (units === 0) assert.equal((await rig.batch()).forgotten_at, null);
      else await assert.rejects(retry([]), { code: 'BATCH_STATE', message: /were forgotten/ });

      const next = await forgetEnded(actor, rig.clock.now(), 'retention');
      assert.deepEqual(next.batches, units < 4 ? ['batch-1'] : []);
      assert.equal(await left(), 0);
      assert.deepEqual(await forgetEnded(actor, rig.clock.now(), 'retention'), { batches: [], rows: 0, traceable: 0 });
      assert.deepEqual(await forgetBatch(actor, 'batch-1', 'asked to'), { rows: 0, traceable: 0 });
      assert.equal((await findPayment(rig.db, idempotencyKey(others)))?.body, body);
      const told = await rig.db.query<{ body: string }>(`SELECT body FROM events WHERE kind = 'batch.forget'`);
      assert.deepEqual(
        told.map(({ body }) => JSON.parse(body).rows),
        [rows],
      );
    });
  }
});

/** The ledger of a program that is killed when it has made so many transactions. */
function killedAfter(db: Database, units: number): Database {
  let made = 0;
  return {
    ...db,
    async transact(work) {
      if (made++ === units) throw new Error('killed');
      return db.transact(work);
    },
  };
}

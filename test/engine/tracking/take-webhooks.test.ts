import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { idempotencyKey } from '../../../src/core/identity/ids.ts';
import { resumeBatch } from '../../../src/engine/batches/batch-commands.ts';
import { releaseRows } from '../../../src/engine/decisions/release-or-skip.ts';
import { resolveDoubt } from '../../../src/engine/decisions/resolve.ts';
import { retryFailed } from '../../../src/engine/decisions/retry-failed.ts';
import { addToInbox, type InboxOutcome, type WebhookScheme } from '../../../src/ledger/accounts/webhook-inbox.ts';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import { forgetRows } from '../../../src/ledger/batches/forget-rows.ts';
import { openPausesOfAccount } from '../../../src/ledger/batches/pauses.ts';
import { insertPayments } from '../../../src/ledger/rows/payments.ts';
import type { NewRow } from '../../../src/ledger/rows/rows.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { batchSummary } from '../../../src/reports/summary/summary.ts';
import { failOncePausing, makeRig, type Rig, someRows } from '../../support/engine.ts';
import { anInboxEntry, aPayment, aRow, findInboxEntry } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';
import { type CallbackTopup, callbackBody, registeredBody } from '../../support/webhooks.ts';

const minute = 60_000;
const noAnswer = { httpStatus: 502, code: 'http_502', message: '', requestId: null };
const reference = 'run-1/ref-1';
const keyOf = (generation: number) => idempotencyKey({ account: 'main', runId: 'run-1', rowRef: 'ref-1', generation });

/** Puts a webhook into the inbox, as the receiver does after it has verified it. */
async function receive(rig: Rig, scheme: WebhookScheme, messageId: string, body: string): Promise<void> {
  const received_at = rig.clock.now();
  await addToInbox(rig.db, anInboxEntry({ scheme, message_id: messageId, body, received_at }));
}

const entryOf = (rig: Rig, scheme: WebhookScheme, message_id: string) =>
  findInboxEntry(rig.db, { account: 'main', scheme, message_id });

async function outcomeOf(rig: Rig, scheme: WebhookScheme, messageId: string): Promise<InboxOutcome | null | undefined> {
  return (await entryOf(rig, scheme, messageId))?.outcome;
}

const eventsOf = async (rig: Rig, kind: string) =>
  (await pageEvents(rig.db, 'batch-1', 0, 10_000)).filter((event) => event.kind === kind);

/** Runs one runner for as long as `story` lasts. */
async function whileRunning(rig: Rig, story: (hint: () => void) => Promise<void>): Promise<void> {
  const runner = rig.runner();
  const told = async () => {
    try {
      await story(() => runner.hint());
    } finally {
      runner.stop();
    }
  };
  await rig.clock.drive(Promise.all([runner.run(Number.POSITIVE_INFINITY), told()]));
}

/** The top-up of the first row as the service has it. */
function firstTopup(rig: Rig, fields: Partial<CallbackTopup> = {}): CallbackTopup {
  // Requests that are under way together arrive in any order.
  const payment = [...rig.service.payments.values()].find((one) => one.reference === reference);
  return { id: payment?.topupId ?? '', status: 'completed', reference, phone_number: '+254712000001', ...fields };
}

/** A row whose first payment failed, and which a person has retried; nothing was sent since. */
async function retriedOnce(rows = [aRow(1, { phone_number: '+254712000001' })]) {
  const rig = await makeRig();
  rig.service.ends(reference, 'failed');
  await rig.add(rows);
  await rig.run();
  const first = firstTopup(rig);
  const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
  const actor = { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const };
  await rig.clock.drive(retryFailed(actor, service, 'batch-1', { codes: [] }));
  return { rig, first, actor };
}

/** The same, and its second payment has arrived. */
async function paidAfterRetry() {
  const retried = await retriedOnce(someRows(1));
  await retried.rig.run();
  return retried;
}

/** One accepted row whose payment ends at the service 10 minutes after it was created; then `said` is received. */
async function afterTenMinutes(
  webhook: (rig: Rig) => [WebhookScheme, string, string] | null,
  { withReads = true, fields = {} }: { withReads?: boolean; fields?: Partial<NewRow> } = {},
): Promise<{ rig: Rig; settledAfterMs: number; reads: number }> {
  const rig = await makeRig({ settleMs: 10 * minute });
  await rig.add([aRow(1, { phone_number: '+254712000001', ...fields })]);
  const { read } = rig.service;
  let reads = 0;
  let receivedAt = Number.NaN;
  rig.service.read = (payment) => {
    if (!Number.isNaN(receivedAt)) reads += 1;
    return withReads || Number.isNaN(receivedAt) ? read(payment) : Promise.reject(new Error('no read is needed'));
  };
  await whileRunning(rig, async (hint) => {
    const [created] = await untilCharged(rig);
    await rig.clock.sleep((created?.at ?? 0) + 10 * minute + 1 - rig.clock.now());
    receivedAt = rig.clock.now();
    const received = webhook(rig);
    if (received) {
      await receive(rig, ...received);
      hint();
    }
    for (let waited = 0; waited < 200 && (await rig.row(1)).status === 'accepted'; waited++)
      await rig.clock.sleep(1_000);
    await rig.clock.sleep(5_000);
  });
  const [ended] = [...(await eventsOf(rig, 'row.complete')), ...(await eventsOf(rig, 'row.fail'))];
  return { rig, settledAfterMs: (ended?.at ?? Number.POSITIVE_INFINITY) - receivedAt, reads };
}

async function untilCharged(rig: Rig) {
  while (rig.service.charges.length === 0) await rig.clock.sleep(10);
  await rig.clock.sleep(1_000);
  return rig.service.charges;
}

describe('a webhook', () => {
  test('ends a row at once if its signature covers the whole payment and all of it agrees', async () => {
    const { rig, settledAfterMs, reads } = await afterTenMinutes(
      (rig) => ['callback', 'd-1', callbackBody(firstTopup(rig))],
      { withReads: false },
    );
    const row = await rig.row(1);
    assert.deepEqual([row.status, row.cost, row.provider_reference], ['completed', '1', 'p-1']);
    assert.ok(settledAfterMs < 100, `${settledAfterMs}`);
    assert.equal(reads, 0);
    assert.equal(await outcomeOf(rig, 'callback', 'd-1'), 'settled');
    assert.match((await eventsOf(rig, 'row.complete'))[0]?.body ?? '', /"by":"webhook"/);
  });

  test('brings the look-up forward if its signature does not cover the payment', async () => {
    const body = registeredBody('evt-1', 'transaction.completed', { idempotencyKey: keyOf(1) });
    const hinted = await afterTenMinutes(() => ['registered', 'evt-1', body]);
    const polled = await afterTenMinutes(() => null);
    assert.equal((await hinted.rig.row(1)).status, 'completed');
    assert.equal((await polled.rig.row(1)).status, 'completed');
    assert.ok(hinted.settledAfterMs < 1_500, `${hinted.settledAfterMs}`);
    assert.ok(hinted.settledAfterMs * 3 < polled.settledAfterMs, `${hinted.settledAfterMs} ${polled.settledAfterMs}`);
    assert.equal(await outcomeOf(hinted.rig, 'registered', 'evt-1'), 'looked_up');
  });

  test('finds its row by the service’s id alone', async () => {
    const { rig, settledAfterMs } = await afterTenMinutes((rig) => [
      'registered',
      'evt-1',
      registeredBody('evt-1', 'transaction.completed', { transactionId: firstTopup(rig).id }),
    ]);
    assert.ok(settledAfterMs < 1_500, `${settledAfterMs}`);
    assert.deepEqual(
      [(await rig.row(1)).status, (await entryOf(rig, 'registered', 'evt-1'))?.row_no],
      ['completed', 1],
    );
  });

  test('is confirmed by a read if it leaves anything out, and the read counts', async () => {
    const { rig, reads } = await afterTenMinutes((rig) => [
      'callback',
      'd-1',
      // It says failed, and names no cost: the service has it completed.
      callbackBody(firstTopup(rig, { status: 'failed', cost: null })),
    ]);
    assert.equal((await rig.row(1)).status, 'completed');
    assert.ok(reads > 0);
  });

  test('with a failure ends no row by itself, however complete it is: a read confirms it, and the read counts', async () => {
    const failed = (rig: Rig): [WebhookScheme, string, string] => [
      'callback',
      'd-1',
      callbackBody(
        firstTopup(rig, { status: 'failed', cost: { value: 0, currency: 'USD' }, failure_reason: 'declined' }),
      ),
    ];
    const { rig, reads } = await afterTenMinutes(failed);
    assert.deepEqual([(await rig.row(1)).status, reads > 0], ['completed', true]);
    const agreed = await afterTenMinutes((it) => {
      it.service.ends('run-1/ref-1', 'failed');
      return failed(it);
    });
    assert.deepEqual([(await agreed.rig.row(1)).status, agreed.reads > 0], ['failed', true]);
    assert.ok(agreed.settledAfterMs < 1_500, `${agreed.settledAfterMs}`);
    const [event] = await eventsOf(agreed.rig, 'row.fail');
    assert.doesNotMatch(event?.body ?? '', /"by":"webhook"/);
  });

  for (const productId of ['9', null])
    test(`that ${productId === null ? 'does not name' : 'names'} the product is ${productId === null ? '' : 'not '}confirmed by a read`, async () => {
      const { rig, reads } = await afterTenMinutes(
        (it) => ['callback', 'd-1', callbackBody(firstTopup(it, { product_id: productId }))],
        { fields: { amount: null, currency: null, product_id: '9' } },
      );
      assert.equal((await rig.row(1)).status, 'completed');
      assert.equal(reads > 0, productId === null);
    });

  test('is checked again if the service still shows the old state, and polling takes over in the end', async () => {
    const rig = await makeRig({ settleMs: 10 * minute });
    await rig.add(someRows(1));
    await whileRunning(rig, async (hint) => {
      await untilCharged(rig);
      await receive(
        rig,
        'registered',
        'early',
        registeredBody('early', 'transaction.completed', { idempotencyKey: keyOf(1) }),
      );
      hint();
      await rig.clock.sleep(2 * minute);
      assert.deepEqual(
        [(await rig.row(1)).status, await outcomeOf(rig, 'registered', 'early')],
        ['accepted', 'still_open'],
      );
      assert.equal((await entryOf(rig, 'registered', 'early'))?.looks, 3);
      await rig.clock.sleep(12 * minute);
    });
    assert.equal((await rig.row(1)).status, 'completed');
  });

  test('about an open payment costs no read', async () => {
    const { rig, reads } = await afterTenMinutes((rig) => [
      'callback',
      'd-1',
      callbackBody(firstTopup(rig, { status: 'processing' })),
    ]);
    assert.equal(await outcomeOf(rig, 'callback', 'd-1'), 'nothing_new');
    assert.ok(reads <= 1, `${reads}`);
  });

  /**
   * A payment that was charged, of which each answer was lost and no look-up finds anything; then the webhook comes.
   */
  async function neverFound(scheme: WebhookScheme, body: (rig: Rig) => string): Promise<Rig> {
    const rig = await makeRig();
    const { create } = rig.service;
    rig.service.create = async (request) => {
      await create(request);
      return { kind: 'in_doubt', evidence: { httpStatus: 500, code: 'http_500', message: '', requestId: null } };
    };
    rig.service.hidden.add(reference);
    await rig.add([aRow(1, { phone_number: '+254712000001' })]);
    await whileRunning(rig, async (hint) => {
      await untilCharged(rig);
      await rig.clock.sleep(5_000);
      await receive(rig, scheme, 'd-1', body(rig));
      hint();
      await rig.clock.sleep(24 * 60 * minute);
    });
    return rig;
  }

  test('with the whole payment ends a doubt for which no look-up finds anything', async () => {
    const rig = await neverFound('callback', (it) => callbackBody(firstTopup(it)));
    const { status, topup_id } = await rig.row(1);
    assert.deepEqual([status, topup_id], ['completed', firstTopup(rig).id]);
    const [adopted] = await eventsOf(rig, 'row.adopt');
    assert.match(adopted?.body ?? '', /"by":"webhook"/);
    assert.equal(await outcomeOf(rig, 'callback', 'd-1'), 'settled');
  });

  for (const status of ['processing', 'completed'] as const)
    test(`with a payment that is ${status} and names no cost makes a doubt followed by its id to its end`, async () => {
      const rig = await neverFound('callback', (it) => callbackBody(firstTopup(it, { status, cost: null })));
      assert.deepEqual([(await rig.row(1)).status, (await rig.row(1)).cost], ['completed', '1']);
    });

  test('with a failed payment, or with only an id, ends no doubt that look-ups do not, and is recorded', async () => {
    const failed = (it: Rig) => callbackBody(firstTopup(it, { status: 'failed' }));
    const named = () => registeredBody('d-1', 'transaction.completed', { idempotencyKey: keyOf(1) });
    for (const [scheme, body] of [
      ['callback', failed],
      ['registered', named],
    ] as const) {
      const rig = await neverFound(scheme, body);
      assert.deepEqual([(await rig.row(1)).status, (await rig.row(1)).next_action_at], ['in_doubt', null]);
      const [contradicted] = await eventsOf(rig, 'row.contradicted');
      assert.match(contradicted?.body ?? '', /reports a payment that no lookup finds/);
    }
  });

  test('that shows an earlier payment as completed holds the row before its next one is sent', async () => {
    const { rig, first } = await retriedOnce();
    await receive(rig, 'callback', 'd-1', callbackBody(first));
    const { lookup } = rig.service;
    // A look-up is slow enough for the webhook to be handled first, and still shows the old state.
    rig.service.lookup = async (asked) => {
      await rig.clock.sleep(1_000);
      return lookup(asked);
    };
    await rig.run();
    assert.deepEqual(await rig.states(), ['held']);
    assert.match((await rig.row(1)).problems ?? '', /MAY_BE_PAID.*says completed of that payment \(run-1\/ref-1\)/);
    assert.equal(rig.service.creates.length, 1);
  });

  for (const seen of ['before', 'after'] as const)
    test(`that shows an earlier payment of a held row as completed ${seen} a person looks at the held rows adds that reason`, async () => {
      const { rig, actor } = await retriedOnce();
      await rig.db.execute("UPDATE rows SET status = 'held', problems = ?", [
        '[{"code":"NOT_LOOKED_UP","message":"x"}]',
      ]);
      const before = (await rig.batch()).audit_seq;
      await receive(rig, 'callback', 'd-1', callbackBody(firstTopup(rig)));
      await whileRunning(rig, () => rig.clock.sleep(5_000));
      assert.match((await rig.row(1)).problems ?? '', /^\[{"code":"MAY_BE_PAID".*NOT_LOOKED_UP/);
      const seenSeq = seen === 'before' ? (await rig.batch()).audit_seq : before;
      const { released, kept } = await releaseRows(actor, 'batch-1', [], seenSeq);
      assert.deepEqual([released, kept.map(({ code }) => code)], seen === 'before' ? [1, []] : [0, ['MAY_BE_PAID']]);
    });

  test('that shows a second earlier payment as completed, of a row that was held for the first, halts the account', async () => {
    const { rig, first, actor } = await retriedOnce();
    rig.service.ends(`${reference}~2`, 'failed');
    await rig.run();
    const second = [...rig.service.payments.values()].at(-1)?.topupId ?? '';
    const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
    await rig.clock.drive(retryFailed(actor, service, 'batch-1', { codes: [] }));
    const { lookup } = rig.service;
    rig.service.lookup = async (asked) => {
      await rig.clock.sleep(3_000);
      return lookup(asked);
    };
    await receive(rig, 'callback', 'd-1', callbackBody(first));
    await whileRunning(rig, () => rig.clock.sleep(5_000));
    assert.deepEqual([await rig.states(), await openPausesOfAccount(rig.db, 'main')], [['held'], []]);
    await receive(rig, 'callback', 'd-2', callbackBody({ ...first, id: second, reference: `${reference}~2` }));
    await whileRunning(rig, () => rig.clock.sleep(5_000));
    const { second_topup_id, status } = await rig.row(1);
    assert.deepEqual([status, second_topup_id], ['held', second]);
    const halts = (await openPausesOfAccount(rig.db, 'main')).map(({ reason }) => reason);
    assert.ok(halts.includes('service_mismatch'));
  });

  const moments = [
    'while the next one is in doubt',
    'while that is looked up',
    'while a look-up of that gets no answer',
    'while that is about to be sent again',
    'before its answer',
  ];
  for (const when of moments) {
    test(`that shows an earlier payment as completed ${when} leaves the row to a person, and nothing is sent again`, async () => {
      const rig = await makeRig();
      rig.service.ends(reference, 'failed');
      rig.service.script(`${reference}~2`, 'lose_request');
      await rig.add([aRow(1, { phone_number: '+254712000001' })]);
      await rig.run();
      const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
      const actor = { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const };
      const first = callbackBody(firstTopup(rig));
      await rig.clock.drive(retryFailed(actor, service, 'batch-1', { codes: [] }));
      const { lookup, create } = rig.service;
      await whileRunning(rig, async (hint) => {
        const tell = async () => {
          if ((await entryOf(rig, 'callback', 'd-1')) === null) await receive(rig, 'callback', 'd-1', first);
          hint();
          await rig.clock.sleep(5_000);
        };
        rig.service.create = async (request) => {
          if (when === 'before its answer') await tell();
          return create(request);
        };
        // Reads still show the old state.
        rig.service.lookup = async (asked) => {
          const entry = await entryOf(rig, 'callback', 'd-1');
          const isAgain = asked === reference && (await rig.row(1)).status === 'in_doubt';
          if (isAgain && when === 'while that is about to be sent again') await tell();
          if (asked === `${reference}~2` && when.includes('look') && entry === null) {
            await tell();
            if (when.includes('no answer')) return { kind: 'unavailable', evidence: noAnswer };
          }
          return lookup(asked);
        };
        while ((await rig.row(1)).status !== 'in_doubt') await rig.clock.sleep(1_000);
        if (when === 'while the next one is in doubt') await tell();
        await rig.clock.sleep(36 * 3_600_000);
      });
      const { status, next_action_at, failure_reason } = await rig.row(1);
      assert.deepEqual([status, next_action_at], ['in_doubt', null]);
      assert.match(
        failure_reason ?? '',
        /person must decide: the service says completed of its payment of generation 1/,
      );
      assert.equal(await outcomeOf(rig, 'callback', 'd-1'), 'contradiction');
      assert.equal(rig.service.creates.length, 2);
      assert.deepEqual(await rig.db.query('SELECT row_no, cost FROM late_charges'), [{ row_no: 1, cost: '1' }]);
    });
  }

  for (const [end, as] of [
    ['its webhook says so', null],
    ['a person says so', 'paid'],
    ['a person says that it is not', 'not-paid'],
  ] as const)
    test(`that shows an earlier payment as completed while the next one is in doubt counts once that is paid, too, or is not: ${end}`, async () => {
      const rig = await makeRig();
      rig.service.ends(reference, 'failed');
      rig.service.script(`${reference}~2`, 'lose_answer');
      await rig.add([aRow(1, { phone_number: '+254712000001' })]);
      await rig.run();
      const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
      const actor = { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const };
      const first = firstTopup(rig);
      await rig.clock.drive(retryFailed(actor, service, 'batch-1', { codes: [] }));
      await whileRunning(rig, async (hint) => {
        while ((await rig.row(1)).status !== 'in_doubt') await rig.clock.sleep(1_000);
        await receive(rig, 'callback', 'first', callbackBody(first));
        hint();
        await rig.clock.sleep(1_000);
        if (as !== null)
          return void (await resolveDoubt(actor, 'batch-1', 1, { as, evidence: 'the recipient said so' }));
        const second = [...rig.service.payments.values()].at(-1)?.topupId ?? '';
        await receive(rig, 'callback', 'second', callbackBody({ ...first, id: second, reference: `${reference}~2` }));
        hint();
        await rig.clock.sleep(1_000);
      });
      const { status, second_topup_id, contradicted, contradicted_by } = await rig.row(1);
      const { paid_twice, contradicted: arrived } = await batchSummary(rig.db, 'batch-1');
      const [halt] = await openPausesOfAccount(rig.db, 'main');
      if (as === 'not-paid') {
        assert.deepEqual([status, contradicted, contradicted_by], ['failed', 'completed', first.id]);
        assert.deepEqual([arrived.rows, paid_twice.rows, halt], [1, 0, undefined]);
      } else {
        assert.deepEqual([status, second_topup_id, paid_twice.rows], ['completed', first.id, 1]);
        assert.match(halt?.detail ?? '', /row 1 of batch batch-1 may have been paid twice/);
      }
    });

  describe('about a payment that the service seemed not to have', () => {
    /** A row that was refused for want of money, so that it is ready again; then this is received. */
    async function afterRefusal(status: string, isWhole = true) {
      const rig = await makeRig();
      rig.service.script(reference, 'cannot_pay');
      await rig.add([aRow(1, { phone_number: '+254712000001' })]);
      await rig.run();
      assert.deepEqual(await rig.states(), ['ready']);
      const said = { id: 'top-1', status, reference, phone_number: '+254712000001' };
      if (isWhole) await receive(rig, 'callback', 'd-1', callbackBody(said));
      else {
        const named = registeredBody('evt-1', `transaction.${status}`, { idempotencyKey: keyOf(1) });
        await receive(rig, 'registered', 'evt-1', named);
      }
      await whileRunning(rig, () => rig.clock.sleep(5_000));
      return rig;
    }

    test('puts its row in doubt, and ends that if it has the whole payment: nothing is sent', async () => {
      const rig = await afterRefusal('completed');
      assert.deepEqual([await rig.states(), rig.service.creates.length], [['completed'], 1]);
      assert.equal(await outcomeOf(rig, 'callback', 'd-1'), 'settled');
      const [doubted] = await eventsOf(rig, 'row.doubt');
      assert.match(doubted?.body ?? '', /seemed not to have/);
    });

    test('makes it a doubt that no empty look-up ends: it is not sent under another key', async () => {
      const rig = await afterRefusal('completed', false);
      assert.deepEqual(await rig.states(), ['in_doubt']);
      await rig.run();
      const keys = new Set(rig.service.creates.map(({ key }) => key));
      assert.deepEqual([await rig.states(), [...keys]], [['in_doubt'], [keyOf(1)]]);
    });

    test('changes nothing if that has failed', async () => {
      const rig = await afterRefusal('failed');
      assert.deepEqual([await rig.states(), await outcomeOf(rig, 'callback', 'd-1')], [['ready'], 'nothing_new']);
    });
  });

  test('ends a doubt sooner: the service has the payment that seemed lost', async () => {
    const rig = await makeRig();
    rig.service.script(reference, 'lose_answer');
    await rig.add(someRows(1));
    const started = rig.clock.now();
    await whileRunning(rig, async (hint) => {
      await untilCharged(rig);
      await receive(rig, 'callback', 'd-1', callbackBody(firstTopup(rig)));
      hint();
      await rig.clock.sleep(10_000);
    });
    const row = await rig.row(1);
    assert.equal(row.status, 'completed');
    assert.equal(rig.service.creates.length, 1);
    // Without it, the first look-up comes after a minute and a half.
    const [adopted] = await eventsOf(rig, 'row.adopt');
    assert.ok((adopted?.at ?? Number.POSITIVE_INFINITY) - started < 5_000);
  });

  test('that arrives before the answer to the request waits for it', async () => {
    const rig = await makeRig({ settleMs: 0 });
    await rig.add(someRows(1));
    const { create } = rig.service;
    rig.service.create = async (request) => {
      const outcome = await create(request);
      await rig.clock.sleep(3_000);
      return outcome;
    };
    await whileRunning(rig, async (hint) => {
      await untilCharged(rig);
      assert.equal((await rig.row(1)).status, 'sending');
      await receive(rig, 'callback', 'd-1', callbackBody(firstTopup(rig)));
      hint();
      await rig.clock.sleep(500);
      assert.deepEqual([(await rig.row(1)).status, await outcomeOf(rig, 'callback', 'd-1')], ['sending', null]);
      await rig.clock.sleep(4_000);
    });
    assert.equal((await rig.row(1)).status, 'completed');
    assert.match((await outcomeOf(rig, 'callback', 'd-1')) ?? '', /^(settled|nothing_new)$/);
  });

  test('is handled when the program starts, if it arrived while no program was running', async () => {
    const rig = await makeRig({ settleMs: 10 * minute });
    await rig.add(someRows(1));
    await whileRunning(rig, async () => void (await untilCharged(rig)));
    await receive(rig, 'callback', 'd-1', callbackBody(firstTopup(rig)));
    const before = rig.clock.now();
    await rig.run();
    assert.equal((await rig.row(1)).status, 'completed');
    assert.ok(((await eventsOf(rig, 'row.complete'))[0]?.at ?? 0) - before < 2_000);
  });

  test('of another program changes nothing', async () => {
    const rig = await makeRig();
    await rig.add(someRows(1));
    await rig.run();
    const before = [await rig.row(1), await rig.batch()];
    await receive(rig, 'callback', 'd-1', callbackBody({ id: 'x', status: 'failed', reference: 'their order 12' }));
    await receive(
      rig,
      'registered',
      'evt-1',
      registeredBody('evt-1', 'transaction.refunded', { idempotencyKey: 'k', transactionId: 'x' }),
    );
    await rig.run();
    assert.deepEqual([await rig.row(1), await rig.batch()], before);
    assert.equal(await outcomeOf(rig, 'callback', 'd-1'), 'foreign');
    const entry = await entryOf(rig, 'registered', 'evt-1');
    assert.deepEqual([entry?.outcome, entry?.body, entry?.row_no], ['foreign', null, null]);
    assert.deepEqual(rig.warnings, []);
  });

  test('never touches another account’s row, whatever key or id it names', async () => {
    const rig = await makeRig();
    await rig.add([aRow(1)], { account: 'other' });
    const identity = { account: 'other', runId: 'run-1', rowRef: 'ref-1', generation: 1 };
    const key = idempotencyKey(identity);
    const ready = await rig.row(1);
    await inUnit(rig.db, { clock: rig.clock, actor: 'tester' }, async (unit) => {
      await insertPayments(unit.tx, [aPayment(identity)]);
      const sent = await unit.changeRow(ready, 'send', { attempts: 1 }, {});
      assert.ok(sent);
      await unit.changeRow(sent, 'complete', { topup_id: 'theirs' }, {});
    });
    const before = await rig.row(1);
    await receive(
      rig,
      'registered',
      'by-key',
      registeredBody('by-key', 'transaction.refunded', { idempotencyKey: key }),
    );
    await receive(
      rig,
      'registered',
      'by-id',
      registeredBody('by-id', 'transaction.refunded', { transactionId: 'theirs' }),
    );
    await whileRunning(rig, () => rig.clock.sleep(5_000));
    assert.deepEqual(await rig.row(1), before);
    for (const id of ['by-key', 'by-id']) assert.equal(await outcomeOf(rig, 'registered', id), 'foreign');
  });

  test('of our run for a payment that this ledger never sent raises an alert', async () => {
    const rig = await makeRig();
    await rig.add(someRows(1));
    await rig.run();
    await receive(rig, 'callback', 'd-1', callbackBody({ id: 'x', status: 'completed', reference: 'run-1/ref-77' }));
    await rig.run();
    assert.equal(await outcomeOf(rig, 'callback', 'd-1'), 'foreign');
    assert.match(rig.warnings.join(), /not in this ledger/);
  });

  test('about the account, or an unreadable one, raises an alert and ends nothing', async () => {
    const rig = await makeRig();
    await rig.add(someRows(1));
    await receive(rig, 'registered', 'evt-1', registeredBody('evt-1', 'wallet.low_balance'));
    await receive(rig, 'callback', 'd-1', '{"success":true}');
    await whileRunning(rig, () => rig.clock.sleep(10_000));
    assert.equal(await outcomeOf(rig, 'registered', 'evt-1'), 'low_balance');
    const unreadable = await entryOf(rig, 'callback', 'd-1');
    assert.deepEqual([unreadable?.outcome, unreadable?.body], ['unreadable', '{"success":true}']);
    assert.equal(rig.warnings.length, 2);
    assert.equal((await rig.row(1)).status, 'completed');
  });
});

describe('a webhook that contradicts the ledger', () => {
  const contradictions: [string, Partial<CallbackTopup>][] = [
    ['another number', { phone_number: '+254799999999' }],
    ['another amount', { amount: { value: 102, currency: 'KES' } }],
    ['another currency', { amount: { value: 101, currency: 'UGX' } }],
    ['another product', { product_id: 'bundle' }],
    ['another top-up under the same reference', { id: 'somebody-elses' }],
  ];
  for (const [name, fields] of contradictions) {
    test(`with ${name} halts the account and ends nothing`, async () => {
      const rig = await makeRig({ settleMs: 10 * minute });
      await rig.add(someRows(1));
      await whileRunning(rig, async (hint) => {
        await untilCharged(rig);
        await receive(rig, 'callback', 'd-1', callbackBody(firstTopup(rig, fields)));
        hint();
        await rig.clock.sleep(1_000);
      });
      assert.equal((await rig.row(1)).status, 'accepted');
      assert.equal((await rig.batch()).pause_reason, 'service_mismatch');
      assert.equal(await outcomeOf(rig, 'callback', 'd-1'), 'contradiction');
      assert.equal((await eventsOf(rig, 'row.contradicted')).length, 1);
    });
  }

  test('halts the account also if its row has ended: wrong payments may continue', async () => {
    const rig = await makeRig();
    rig.service.ends('run-1/ref-2', 'open');
    await rig.add(someRows(2));
    await whileRunning(rig, async (hint) => {
      while ((await rig.row(1)).status !== 'completed') await rig.clock.sleep(1_000);
      await receive(
        rig,
        'callback',
        'd-1',
        callbackBody(firstTopup(rig, { amount: { value: 9_999, currency: 'KES' } })),
      );
      hint();
      await rig.clock.sleep(1_000);
    });
    assert.deepEqual(await rig.states(), ['completed', 'accepted']);
    assert.equal((await rig.batch()).pause_reason, 'service_mismatch');
    assert.equal((await eventsOf(rig, 'row.contradicted')).length, 1);
  });

  test('about a payment whose recipient was forgotten since is compared without the number', async () => {
    const rig = await makeRig();
    await rig.add(someRows(1));
    await rig.run();
    await forgetRows(rig.db, 'batch-1', 1, 1);
    await receive(rig, 'callback', 'late', callbackBody(firstTopup(rig)));
    await receive(rig, 'callback', 'wrong', callbackBody(firstTopup(rig, { amount: { value: 9, currency: 'KES' } })));
    await whileRunning(rig, () => rig.clock.sleep(5_000));
    assert.equal(await outcomeOf(rig, 'callback', 'late'), 'nothing_new');
    assert.equal(await outcomeOf(rig, 'callback', 'wrong'), 'contradiction');
    const [halt] = await openPausesOfAccount(rig.db, 'main');
    assert.match(halt?.detail ?? '', /names another amount$/);
  });

  test('halts the account in the transaction that marks it as handled: both or neither', async () => {
    const rig = await makeRig({ settleMs: 10 * minute });
    await rig.add(someRows(1));
    await whileRunning(rig, async () => void (await untilCharged(rig)));
    await receive(rig, 'callback', 'd-1', callbackBody(firstTopup(rig, { id: 'somebody-elses' })));
    failOncePausing(rig);
    await assert.rejects(rig.run(), { code: 'LEDGER_BUSY' });
    assert.equal(await outcomeOf(rig, 'callback', 'd-1'), null);
    await whileRunning(rig, () => rig.clock.sleep(1_000));
    assert.equal((await rig.batch()).pause_reason, 'service_mismatch');
    assert.equal(await outcomeOf(rig, 'callback', 'd-1'), 'contradiction');
  });

  test('never rewrites a row that ended', async () => {
    const rig = await makeRig();
    rig.service.ends('run-1/ref-2', 'failed');
    await rig.add(someRows(2));
    await rig.run();
    const before = [await rig.row(1), await rig.row(2)];
    assert.deepEqual(
      before.map(({ status }) => status),
      ['completed', 'failed'],
    );
    await receive(rig, 'callback', 'late', callbackBody(firstTopup(rig, { status: 'processing' })));
    await receive(rig, 'callback', 'same', callbackBody(firstTopup(rig)));
    await receive(rig, 'callback', 'flip', callbackBody(firstTopup(rig, { status: 'failed' })));
    await receive(
      rig,
      'registered',
      'back',
      registeredBody('back', 'transaction.completed', { transactionId: before[1]?.topup_id ?? '' }),
    );
    await whileRunning(rig, () => rig.clock.sleep(5_000));
    const [first, second] = [await rig.row(1), await rig.row(2)];
    assert.deepEqual([first, { ...second, contradicted: null, contradicted_at: null, contradicted_by: null }], before);
    assert.deepEqual([first.contradicted, second.contradicted], [null, 'completed']);
    const outcomes = [];
    for (const id of ['late', 'same', 'flip']) outcomes.push(await outcomeOf(rig, 'callback', id));
    assert.deepEqual(outcomes, ['nothing_new', 'nothing_new', 'contradiction']);
    assert.equal(await outcomeOf(rig, 'registered', 'back'), 'contradiction');
    assert.equal((await eventsOf(rig, 'row.contradicted')).length, 2);
    assert.equal(rig.warnings.length, 2);
  });

  test('reports that an earlier payment of a row was completed after all: an alert, since a later one was made', async () => {
    const { rig, first } = await paidAfterRetry();
    const before = await rig.row(1);
    assert.deepEqual([before.status, before.generation], ['completed', 2]);
    await receive(rig, 'callback', 'again', callbackBody({ ...first, status: 'failed' }));
    await receive(rig, 'callback', 'after-all', callbackBody(first));
    await whileRunning(rig, () => rig.clock.sleep(5_000));
    const { second_topup_id, ...after } = await rig.row(1);
    assert.deepEqual({ ...after, second_topup_id: null }, before);
    assert.notEqual(second_topup_id, null);
    assert.equal(await outcomeOf(rig, 'callback', 'again'), 'nothing_new');
    assert.equal(await outcomeOf(rig, 'callback', 'after-all'), 'contradiction');
    assert.match(rig.warnings.join(), /contradicts the ledger/);
  });

  test('that shows an earlier payment of a paid row as completed halts the account once: the row may be paid twice', async () => {
    const { rig, first, actor } = await paidAfterRetry();
    const { status, topup_id } = await rig.row(1);
    assert.equal(status, 'completed');
    const others = someRows(2).map((row) => ({ ...row, phone_number: `+25479900000${row.row_no}` }));
    await rig.add(others, { batch_id: 'batch-2', run_id: 'run-2', created_at: 2 });
    const later = rig.clock.now() + minute;
    await rig.db.execute(`UPDATE rows SET next_action_at = ${later} WHERE batch_id = 'batch-2'`);
    await receive(rig, 'callback', 'after-all', callbackBody(first));
    await rig.run();
    assert.equal((await rig.row(1)).second_topup_id, first.id);
    const { pause_reason, pause_detail } = await rig.batch('batch-2');
    assert.equal(pause_reason, 'service_mismatch');
    const named = `row 1 of batch batch-1 may have been paid twice, by ${topup_id} and ${first.id}`;
    assert.equal(pause_detail, named);
    assert.deepEqual(await rig.states('batch-2'), ['ready', 'ready']);

    await resumeBatch(actor, 'batch-2');
    const again = registeredBody('again', 'transaction.completed', {
      transactionId: first.id,
      idempotencyKey: keyOf(1),
    });
    await receive(rig, 'registered', 'again', again);
    await rig.run();
    assert.equal(await outcomeOf(rig, 'registered', 'again'), 'contradiction');
    assert.deepEqual(await rig.states('batch-2'), ['completed', 'completed']);
  });

  test('reports a payment for a row that was held or skipped after a rejected request: an alert, and a record', async () => {
    for (const status of ['held', 'skipped']) {
      const rig = await makeRig();
      rig.service.script(reference, 'cannot_pay');
      await rig.add(someRows(1));
      await rig.run();
      await rig.db.execute('UPDATE rows SET status = ?', [status]);
      await receive(rig, 'callback', 'd-1', callbackBody({ id: 'x', status: 'completed', reference }));
      await whileRunning(rig, () => rig.clock.sleep(5_000));
      assert.equal(await outcomeOf(rig, 'callback', 'd-1'), 'contradiction');
      assert.equal((await eventsOf(rig, 'row.contradicted')).length, 1, status);
      assert.equal(rig.warnings.filter((text) => text.includes('the service')).length, 1, `${rig.warnings}`);
      // The person who releases it must know of the payment.
      assert.equal(/MAY_BE_PAID.*says completed/.test((await rig.row(1)).problems ?? ''), status === 'held');
    }
  });

  test('reports a payment for a refused row: an alert, before a retry pays it again', async () => {
    const rig = await makeRig();
    rig.service.script(reference, 'refuse');
    await rig.add(someRows(1));
    await rig.run();
    await receive(rig, 'callback', 'd-1', callbackBody({ id: 'x', status: 'processing', reference }));
    await whileRunning(rig, () => rig.clock.sleep(5_000));
    assert.equal((await rig.row(1)).status, 'failed');
    assert.equal(await outcomeOf(rig, 'callback', 'd-1'), 'contradiction');
  });
});

describe('a refund', () => {
  const refund = (id: string) =>
    registeredBody(id, 'transaction.refunded', { idempotencyKey: keyOf(1), sourceAmount: 1, sourceCurrency: 'USD' });

  test('after completion is recorded at the row and raises an alert; the state stays', async () => {
    const rig = await makeRig();
    await rig.add(someRows(1));
    await rig.run();
    const before = await rig.row(1);
    await receive(rig, 'registered', 'evt-1', refund('evt-1'));
    await whileRunning(rig, () => rig.clock.sleep(5_000));
    const at = Date.UTC(2026, 10, 20, 9, 10);
    assert.deepEqual(
      { ...(await rig.row(1)) },
      { ...before, refunded_at: at, refund_amount: '1', refund_currency: 'USD' },
    );
    assert.equal((await eventsOf(rig, 'row.refund')).length, 1);
    assert.match(rig.warnings.join(), /gave the money of a payment back/);
    assert.equal(await outcomeOf(rig, 'registered', 'evt-1'), 'refund_noted');
    assert.equal((await rig.batch()).status, 'completed');
  });

  test('that arrives before the end is kept, and the row still ends as the service says', async () => {
    const { rig } = await afterTenMinutes(() => ['registered', 'evt-1', refund('evt-1')]);
    const row = await rig.row(1);
    assert.deepEqual([row.status, row.refund_amount], ['completed', '1']);
    assert.equal((await eventsOf(rig, 'row.refund')).length, 1);
    assert.equal(await outcomeOf(rig, 'registered', 'evt-1'), 'refund_noted');
  });

  test('is recorded once, however often the row is looked up because of it', async () => {
    const rig = await makeRig({ settleMs: 10 * minute });
    await rig.add(someRows(1));
    await whileRunning(rig, async (hint) => {
      await untilCharged(rig);
      await receive(rig, 'registered', 'evt-1', refund('evt-1'));
      hint();
      await rig.clock.sleep(2 * minute);
    });
    assert.deepEqual([(await rig.row(1)).status, (await rig.row(1)).refund_amount], ['accepted', '1']);
    assert.equal((await entryOf(rig, 'registered', 'evt-1'))?.looks, 3);
    assert.equal((await eventsOf(rig, 'row.refund')).length, 1);
  });

  test('of a failed payment is recorded without an alert: it had cost nothing', async () => {
    const rig = await makeRig();
    rig.service.ends(reference, 'failed');
    await rig.add(someRows(1));
    await rig.run();
    await receive(rig, 'registered', 'evt-1', refund('evt-1'));
    await whileRunning(rig, () => rig.clock.sleep(1_000));
    assert.deepEqual([(await rig.row(1)).status, (await rig.row(1)).refund_amount], ['failed', '1']);
    assert.deepEqual(rig.warnings, []);
  });

  test('of a payment before the last one is in the audit log, and not at the row', async () => {
    const rig = await makeRig();
    rig.service.ends(reference, 'failed');
    await rig.add(someRows(1));
    await rig.run();
    const topupId = (await rig.row(1)).topup_id ?? '';
    const actor = { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const };
    const limiter = makeOpenLimiter(rig.clock);
    await rig.clock.drive(retryFailed(actor, { gateway: rig.service, limiter }, 'batch-1', { codes: [] }));
    await rig.run();
    const paid = await rig.row(1);
    const more = { idempotencyKey: keyOf(1), sourceAmount: 1, sourceCurrency: 'USD' };
    await receive(
      rig,
      'registered',
      'evt-1',
      registeredBody('evt-1', 'transaction.refunded', { ...more, transactionId: topupId }),
    );
    await receive(rig, 'registered', 'evt-2', registeredBody('evt-2', 'transaction.refunded', more));
    await whileRunning(rig, () => rig.clock.sleep(5_000));
    assert.deepEqual(await rig.row(1), paid);
    const [event, ...others] = await eventsOf(rig, 'row.refund');
    const { topup_id, amount } = JSON.parse(event?.body ?? '{}');
    assert.deepEqual([topup_id, amount, others], [topupId, '1', []]);
    assert.equal(await outcomeOf(rig, 'registered', 'evt-1'), 'refund_noted');
    assert.equal(await outcomeOf(rig, 'registered', 'evt-2'), 'nothing_new');
  });

  test('of a second payment under the same key is in the audit log, and not at the row', async () => {
    for (const settleMs of [2_000, 10 * minute]) {
      const rig = await makeRig({ settleMs });
      await rig.add(someRows(1));
      await whileRunning(rig, () => rig.clock.sleep(5_000));
      const paid = await rig.row(1);
      assert.equal(paid.status, settleMs === 2_000 ? 'completed' : 'accepted');
      await rig.db.execute(`UPDATE rows SET second_topup_id = 'second'`);
      const said = { idempotencyKey: keyOf(1), transactionId: 'second', sourceAmount: 1, sourceCurrency: 'USD' };
      await receive(rig, 'registered', 'evt-1', registeredBody('evt-1', 'transaction.refunded', said));
      await whileRunning(rig, () => rig.clock.sleep(5_000));
      assert.equal((await rig.row(1)).refunded_at, null);
      const [event] = await eventsOf(rig, 'row.refund');
      assert.equal(JSON.parse(event?.body ?? '{}').topup_id, 'second');
    }
  });

  test('that is reported again under another event leaves the first at the row and both in the audit log', async () => {
    const rig = await makeRig();
    await rig.add(someRows(1));
    await rig.run();
    await receive(rig, 'registered', 'evt-1', refund('evt-1'));
    await whileRunning(rig, () => rig.clock.sleep(1_000));
    const first = await rig.row(1);
    const again = registeredBody('evt-2', 'transaction.refunded', { idempotencyKey: keyOf(1), sourceAmount: 9 });
    await receive(rig, 'registered', 'evt-2', again);
    await whileRunning(rig, () => rig.clock.sleep(1_000));
    assert.deepEqual(await rig.row(1), first);
    assert.equal((await eventsOf(rig, 'row.refund')).length, 2);
  });
});

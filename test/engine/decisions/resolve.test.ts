import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Resolution, resolveOverdue } from '../../../src/engine/decisions/resolve.ts';
import { retryFailed } from '../../../src/engine/decisions/retry-failed.ts';
import type { Evidence, ListQuery, LookupOutcome, ServicePayment } from '../../../src/gateway/contract/gateway.ts';
import { addToInbox } from '../../../src/ledger/accounts/webhook-inbox.ts';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import { batchSummary } from '../../../src/reports/summary/summary.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { anInboxEntry, aRow, testService } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';
import { callbackBody, registeredBody } from '../../support/webhooks.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const reference = 'run-1/ref-1';
const contradiction = 'the service contradicts the ledger';

/** What ended is read once more, a day later. */
async function readOnceMore(rig: Rig): Promise<void> {
  const runner = rig.runner({ rereads: true });
  const running = runner.run(Number.POSITIVE_INFINITY);
  await rig.clock.drive(rig.clock.sleep(day + 60 * minute));
  runner.stop();
  await rig.clock.drive(running);
}

/** Two rows, the first of which never ends, followed for an hour: twice as long as the service promises at most. */
async function stuck(options: { list?: boolean } = {}): Promise<Rig> {
  const rig = await makeRig(options);
  rig.service.ends(reference, 'open');
  await rig.add(someRows(2));
  await stay(rig, 60 * minute);
  assert.deepEqual(await rig.states(), ['accepted', 'completed']);
  return rig;
}

/** A program that stays for `ms`, while something happens. */
async function stay(rig: Rig, ms: number, happens: () => Promise<unknown> = async () => undefined): Promise<void> {
  const runner = rig.runner();
  const running = runner.run(Number.POSITIVE_INFINITY);
  await rig.clock.drive(Promise.all([rig.clock.sleep(ms), happens()]));
  runner.stop();
  await rig.clock.drive(running);
}

function serviceOf(rig: Rig) {
  const limiter = makeOpenLimiter(rig.clock, { paceMs: 0 });
  return { service: testService, gateway: rig.service, limiter };
}

function resolveRow(rig: Rig, as: Resolution['as'], more: { service?: string } = {}) {
  const mary = { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const };
  return resolveOverdue(mary, { ...serviceOf(rig), ...more }, 'batch-1', 1, { as, evidence: 'case 0712 405 118' });
}

const resolve = (rig: Rig, ...args: [Resolution['as'], { service?: string }?]) =>
  rig.clock.drive(resolveRow(rig, ...args));

function retry(rig: Rig) {
  const mary = { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const };
  return rig.clock.drive(retryFailed(mary, serviceOf(rig), 'batch-1', { codes: [] }));
}

function paymentOf({ service }: Rig) {
  const payment = [...service.payments.values()].find((one) => one.reference === reference);
  assert.ok(payment);
  return payment;
}

/** The service has nothing under the row's reference any more; nor, as `isGone` says, under the id. */
function lose(rig: Rig, isGone: boolean): void {
  rig.service.hidden.add(reference);
  if (isGone) rig.service.payments.delete(paymentOf(rig).topupId);
}

function silence({ service }: Rig): void {
  const evidence: Evidence = { httpStatus: 503, code: 'http_503', message: 'down', requestId: null };
  const silent = async (): Promise<LookupOutcome> => ({ kind: 'unavailable', evidence });
  Object.assign(service, { read: silent, lookup: silent });
}

async function eventsOf(rig: Rig, kind: string) {
  const events = (await pageEvents(rig.db, 'batch-1', 0, 1_000)).filter((event) => event.kind === kind);
  return events.map(({ actor, body }): Record<string, unknown> => ({ actor, ...JSON.parse(body) }));
}

describe('an overdue row', () => {
  for (const [as, status, kind, code] of [
    ['paid', 'completed', 'row.complete', 'RESOLVED_PAID'],
    ['not-paid', 'failed', 'row.fail', 'RESOLVED_NOT_PAID'],
  ] as const)
    test(`ends as ${status} if a person resolves it as ${as}, and its batch with it`, async () => {
      const rig = await stuck();
      await resolve(rig, as);
      const row = await rig.row(1);
      assert.deepEqual(
        [row.status, row.failure_code, row.failure_reason, row.service_status, row.completed_at, row.next_action_at],
        [status, code, 'mary: case 0712 405 118', 'pending', rig.clock.now(), null],
      );
      const [event] = (await eventsOf(rig, kind)).slice(-1);
      assert.deepEqual(
        [event?.actor, event?.as, event?.evidence, event?.look_up, event?.cost],
        ['mary', as, 'case [number]', 'open', '1'],
      );
      await rig.run();
      assert.equal((await rig.batch()).status, 'completed');
      const summary = await batchSummary(rig.db, 'batch-1');
      assert.deepEqual([summary.charged.total, summary.overdue.rows], [{ USD: '2' }, 0]);
      assert.equal(rig.service.charges.length, 2);
    });

  test('is listed in the summary, with the time it was sent', async () => {
    const rig = await stuck();
    const { overdue } = await batchSummary(rig.db, 'batch-1');
    const sentAt = new Date((await rig.row(1)).first_sent_at ?? 0).toISOString();
    assert.deepEqual(overdue, { rows: 1, requested: { KES: '101' }, oldest_sent_at: sentAt });
  });

  test('is asked for once by a command that does not wait for it', async () => {
    const rig = await stuck();
    await rig.clock.drive(rig.clock.sleep(60 * minute));
    const { lookUps } = rig.service;
    const before = (await rig.row(1)).next_action_at ?? 0;
    await rig.run();
    assert.deepEqual(await rig.states(), ['accepted', 'completed']);
    assert.ok(((await rig.row(1)).next_action_at ?? 0) > before, `${lookUps.length} look-ups`);
    rig.service.ends(reference, 'completed');
    await rig.clock.drive(rig.clock.sleep(60 * minute));
    await rig.run();
    assert.deepEqual([(await rig.batch()).status, ...(await rig.states())], ['completed', 'completed', 'completed']);
    assert.equal((await rig.row(1)).failure_code, null);
  });

  test('is left to a person even if nothing is answered about it for a day', async () => {
    const rig = await makeRig({ settings: { readRetryMs: 10 * minute } });
    rig.service.ends(reference, 'open');
    await rig.add(someRows(1));
    await stay(rig, minute);
    silence(rig);
    Object.assign(rig.service, { list: null });
    await stay(rig, 12 * 60 * minute);
    assert.equal((await rig.row(1)).failure_code, null);
    await assert.rejects(resolve(rig, 'paid'), { code: 'SERVICE_UNREACHABLE', message: /row 1 of batch batch-1.*503/ });
    await stay(rig, 13 * 60 * minute);
    assert.equal((await rig.row(1)).failure_code, 'overdue');
    await resolve(rig, 'not-paid');
    assert.equal((await eventsOf(rig, 'row.fail'))[0]?.look_up, 'unanswered');
  });
});

test('a person cannot resolve an accepted row if the look-up by its reference has no answer', async () => {
  const rig = await stuck();
  const { read } = rig.service;
  silence(rig);
  Object.assign(rig.service, { read });
  await assert.rejects(resolve(rig, 'not-paid'), { code: 'SERVICE_UNREACHABLE' });
  assert.deepEqual(await rig.states(), ['accepted', 'completed']);
});

describe('a person can resolve an accepted row', () => {
  test('even if its reference shows a payment, if its id shows nothing', async () => {
    const rig = await stuck();
    const evidence: Evidence = { httpStatus: 404, code: 'NOT_FOUND', message: 'none', requestId: null };
    rig.service.read = async () => ({ kind: 'not_found', evidence });
    paymentOf(rig).serviceStatus = 'delivering';
    await resolve(rig, 'paid');
    assert.equal((await rig.row(1)).service_status, 'delivering');
    assert.equal((await eventsOf(rig, 'row.complete')).at(-1)?.look_up, 'open');
  });

  test('if the service shows another payment as well, as Version 1 does under one reference', async () => {
    const rig = await stuck();
    const { read } = rig.service;
    const failed = { ...paymentOf(rig), topupId: 'first', state: 'failed', serviceStatus: 'FAILED' } as const;
    rig.service.read = async (payment) => {
      const found = await read(payment);
      return found.kind === 'found' ? { ...found, payments: [failed, ...found.payments] } : found;
    };
    await resolve(rig, 'paid');
    assert.equal((await rig.row(1)).status, 'completed');
  });
});

describe('a person cannot resolve an accepted row', () => {
  async function refused(rig: Rig, as: Resolution['as'], error: object, more?: { service?: string }): Promise<void> {
    await assert.rejects(resolve(rig, as, more), error);
    assert.equal((await rig.row(1)).status, 'accepted');
  }

  test('before it is overdue, and the message says from when on', async () => {
    const rig = await makeRig();
    rig.service.ends(reference, 'open');
    // Within a second, of which people are told the next one.
    await rig.clock.drive(rig.clock.sleep(400));
    await rig.add(someRows(1));
    await stay(rig, 14 * minute);
    const sentAt = (await rig.row(1)).first_sent_at ?? 0;
    const [since, from] = [sentAt, sentAt + 15 * minute].map((at) =>
      new Date(Math.ceil(at / 1_000) * 1_000).toISOString().replace('T', ' ').replace('.000Z', ' UTC'),
    );
    const message = `row 1 of batch batch-1 was accepted at ${since}: you can resolve it from ${from} on`;
    await refused(rig, 'paid', { code: 'BATCH_STATE', message });
    await rig.clock.drive(rig.clock.sleep(sentAt + 15 * minute - rig.clock.now()));
    await resolve(rig, 'paid');
  });

  test('because of a clock that was set back: an overdue row stays overdue', async () => {
    const rig = await stuck();
    const mary = {
      db: rig.db,
      clock: { ...rig.clock, now: () => rig.clock.now() - 55 * minute },
      person: 'mary',
      through: 'cli' as const,
    };
    const resolution = { as: 'paid', evidence: 'case 7' } as const;
    await rig.clock.drive(resolveOverdue(mary, serviceOf(rig), 'batch-1', 1, resolution));
    assert.equal((await rig.row(1)).status, 'completed');
  });

  test('if it was sent again since', async () => {
    const rig = await makeRig();
    rig.service.script(reference, 'lose_request', 'lose_request', 'lose_request');
    rig.service.ends(reference, 'open');
    await rig.add(someRows(1));
    await stay(rig, 24 * minute);
    const { first_sent_at, failure_code } = await rig.row(1);
    assert.ok(rig.clock.now() - (first_sent_at ?? 0) > 15 * minute);
    assert.equal(failure_code, null, 'nor is it called overdue');
    await refused(rig, 'not-paid', { code: 'BATCH_STATE', message: /can resolve it from/ });
  });

  for (const ends of ['completed', 'failed'] as const)
    test(`if the service now reports ${ends}, which a running program then writes soon`, async () => {
      const rig = await stuck();
      rig.service.ends(reference, ends);
      await refused(rig, 'not-paid', {
        code: 'BATCH_STATE',
        message: `the service now says ${ends} of row 1 of batch batch-1`,
      });
      await rig.run();
      assert.deepEqual(await rig.states(), [ends, 'completed']);
      assert.notEqual((await rig.row(1)).failure_code, 'RESOLVED_NOT_PAID');
    });

  for (const [ends, as, other, status] of [
    ['completed', 'not-paid', 'paid', 'completed'],
    ['failed', 'paid', 'not-paid', 'failed'],
  ] as const)
    test(`as ${as} if only the reference shows that it has ${ends}, by which it may never end`, async () => {
      const rig = await stuck();
      const evidence: Evidence = { httpStatus: 404, code: 'x', message: '', requestId: null };
      rig.service.read = async () => ({ kind: 'not_found', evidence });
      rig.service.ends(reference, ends);
      await refused(rig, as, { code: 'BATCH_STATE', message: new RegExp(`says ${ends} of row 1`) });
      await resolve(rig, other);
      assert.equal((await rig.row(1)).status, status);
    });

  for (const [state, serviceStatus] of [
    ['completed', 'completed'],
    ['failed', 'TIMEOUT'],
  ] as const)
    test(`as not paid if the service has another payment of the row as ${serviceStatus}; as paid, that is recorded`, async () => {
      const rig = await stuck();
      rig.service.payments.set('second', { ...paymentOf(rig), key: '2', topupId: 'second', state, serviceStatus });
      const message = new RegExp(`says ${serviceStatus} of another payment of row 1 of batch batch-1 \\(second\\)`);
      await refused(rig, 'not-paid', { code: 'BATCH_STATE', message });
      await resolve(rig, 'paid');
      assert.equal((await eventsOf(rig, 'row.contradicted'))[0]?.topup_id, 'second');
    });

  test('if the account is now at another service', async () => {
    const rig = await stuck();
    await refused(rig, 'paid', { code: 'SERVICE_CHANGED' }, { service: 'https://elsewhere.test (V2)' });
  });

  for (const [what, change] of [
    ['a webhook has come', (now: number) => `next_action_at = ${now}`],
    ['the list said otherwise', () => "service_status = 'failed'"],
    ['it failed and was paid again', () => "generation = 2, topup_id = 'second'"],
  ] as const)
    test(`if ${what} while the service was asked`, async () => {
      const rig = await stuck();
      const { read } = rig.service;
      rig.service.read = async (payment) => {
        await rig.db.execute(`UPDATE rows SET ${change(rig.clock.now())} WHERE row_no = 1`);
        return read(payment);
      };
      await refused(rig, 'paid', { code: 'BATCH_STATE', message: /changed meanwhile/ });
    });
});

describe('after a person has resolved an accepted row', () => {
  test('a read in flight does not overwrite the decision, and is reported', async () => {
    const rig = await stuck();
    const { read } = rig.service;
    let isHeld = false;
    let resolved: Promise<unknown> = Promise.resolve();
    await stay(rig, 10 * minute, async () => {
      rig.service.read = async (payment) => {
        // The first is the runner's: it is answered long after the person has decided.
        if (isHeld) return read(payment);
        isHeld = true;
        resolved = resolveRow(rig, 'paid');
        await resolved;
        rig.service.ends(reference, 'failed');
        return read(payment);
      };
      await rig.clock.sleep(5 * minute);
      await resolved;
    });
    const { status, failure_code } = await rig.row(1);
    assert.deepEqual([isHeld, status, failure_code], [true, 'completed', 'RESOLVED_PAID']);
    assert.equal(rig.warnings.filter((text) => text === contradiction).length, 1);
    const [event] = await eventsOf(rig, 'row.contradicted');
    assert.match(String(event?.why), /a person has said that the row is completed, and the service now says failed/);
  });

  test('a contradiction by the list is reported once, however often it is listed', async () => {
    const rig = await makeRig();
    for (const ref of ['ref-1', 'ref-2']) rig.service.ends(`run-1/${ref}`, 'open');
    await rig.add(someRows(2));
    await stay(rig, 60 * minute);
    await resolve(rig, 'not-paid');
    rig.service.ends(reference, 'completed');
    // The other row is looked for by the list, which is read from before it on.
    let listed = 0;
    const { list } = rig.service;
    Object.assign(rig.service, {
      list: async (query: ListQuery) => {
        const outcome = await list?.(query);
        const isOf = (one: ServicePayment) => one.reference === reference && one.state === 'completed';
        if (outcome?.kind === 'page' && outcome.payments.some(isOf)) listed += 1;
        return outcome;
      },
    });
    await stay(rig, 60 * minute);
    assert.ok(listed > 1, `listed ${listed} times`);
    assert.equal((await eventsOf(rig, 'row.contradicted')).length, 1);
    assert.equal(rig.warnings.filter((text) => text === contradiction).length, 1);
    assert.equal((await rig.row(1)).status, 'failed');
  });

  test('a contradiction by a webhook is reported and kept', async () => {
    const rig = await stuck();
    const { topupId } = paymentOf(rig);
    await resolve(rig, 'not-paid');
    const body = registeredBody('evt-1', 'transaction.completed', { transactionId: topupId });
    const entry = { scheme: 'registered', message_id: 'evt-1', body, received_at: rig.clock.now() } as const;
    await addToInbox(rig.db, anInboxEntry(entry));
    await rig.run();
    assert.equal((await eventsOf(rig, 'row.contradicted')).length, 1);
    assert.ok(rig.warnings.includes(contradiction));
    assert.equal((await rig.row(1)).status, 'failed');
  });

  test('as not paid, a webhook that shows no charge after all is reported and kept', async () => {
    const rig = await stuck();
    const { topupId: id } = paymentOf(rig);
    await resolve(rig, 'not-paid');
    const body = callbackBody({ id, status: 'failed', reference, cost: { value: 0, currency: 'USD' } });
    const entry = { scheme: 'callback', message_id: 'd-1', body, received_at: rig.clock.now() } as const;
    await addToInbox(rig.db, anInboxEntry(entry));
    await rig.run();
    const [event] = await eventsOf(rig, 'row.changed_late');
    assert.equal(event?.why, 'the row cost 1 USD, and the service now says 0 USD');
    assert.ok(rig.warnings.includes(contradiction));
  });

  test('it is not paid again while the service still has the payment', async () => {
    const rig = await stuck();
    await resolve(rig, 'not-paid');
    await rig.run();
    const { retried, kept } = await retry(rig);
    assert.equal(retried, 0);
    assert.match(kept[0]?.why ?? '', /says that run-1\/ref-1 is pending: it may be paid/);
    lose(rig, false);
    assert.match((await retry(rig)).kept[0]?.why ?? '', /is pending: it may be paid/, 'found by its id alone');
    // The same row in another file of the run goes on under its next generation, and is looked up first.
    await rig.add([aRow(1)], { batch_id: 'batch-2' });
    await rig.db.execute(`UPDATE rows SET generation = 2 WHERE batch_id = 'batch-2'`);
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held']);
    assert.match((await rig.row(1, 'batch-2')).problems ?? '', /MAY_BE_PAID/);
    assert.equal(rig.service.charges.length, 2);
  });

  test('the same payment of another run is held for a person, since the first may still arrive', async () => {
    const rig = await stuck();
    await resolve(rig, 'not-paid');
    await rig.add([aRow(1)], { batch_id: 'batch-2', run_id: 'run-2' });
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held']);
    assert.match(
      (await rig.row(1, 'batch-2')).problems ?? '',
      /SENT_LATELY.*batch batch-1, row 1 \(run run-1, pending\)/,
    );
  });

  test('it is paid again once the service no longer has it', async () => {
    const rig = await stuck();
    lose(rig, true);
    await resolve(rig, 'not-paid');
    assert.equal((await eventsOf(rig, 'row.fail'))[0]?.look_up, 'not_found');
    await rig.run();
    assert.equal((await retry(rig)).retried, 1);
    await rig.run();
    assert.deepEqual(await rig.states(), ['completed', 'completed']);
    assert.equal((await rig.row(1)).generation, 2);
    assert.deepEqual((await batchSummary(rig.db, 'batch-1')).charged.earlier, { USD: '1' });
  });

  for (const list of [true, false])
    test(`as not paid, a missing charge at the service is recorded ${list ? 'by the list' : 'where there is no list'}`, async () => {
      const rig = await stuck({ list });
      await resolve(rig, 'not-paid');
      await rig.run();
      rig.service.ends(reference, 'failed');
      Object.assign(paymentOf(rig), { cost: { value: '0', currency: 'USD' } });
      await readOnceMore(rig);
      const [event] = await eventsOf(rig, 'row.changed_late');
      assert.equal(event?.why, 'the row cost 1 USD, and the service now says 0 USD');
    });

  for (const list of [true, false])
    test(`it is read once more a day later, ${list ? 'by the list' : 'where there is no list'}`, async () => {
      const rig = await stuck({ list });
      await resolve(rig, 'paid');
      await rig.run();
      rig.service.ends(reference, 'failed');
      await readOnceMore(rig);
      const [event] = await eventsOf(rig, 'row.changed_late');
      assert.match(String(event?.why), /the row ended completed, and the service now says failed/);
    });
});

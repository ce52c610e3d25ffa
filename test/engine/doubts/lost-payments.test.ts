import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contentRowRef } from '../../../src/core/identity/ids.ts';
import { pauseBatch, resumeBatch } from '../../../src/engine/batches/batch-commands.ts';
import { forgetBatch, forgetEnded } from '../../../src/engine/batches/forget.ts';
import { releaseRows } from '../../../src/engine/decisions/release-or-skip.ts';
import { retryFailed } from '../../../src/engine/decisions/retry-failed.ts';
import { continueUnlisted } from '../../../src/engine/doubts/lost-payments.ts';
import type { ListQuery, ServicePayment, UnreadableEntry } from '../../../src/gateway/contract/gateway.ts';
import type { ListPage } from '../../../src/gateway/contract/list-pages.ts';
import { findDuplicateJudge, type JudgedRow } from '../../../src/intake/history/duplicates.ts';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import type { NewRow } from '../../../src/ledger/rows/rows.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { aBatch, addBatch, aRow } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';

const dayMs = 24 * 3_600_000;
const patienceMs = 36 * 3_600_000;
const mary = ({ db, clock }: Rig) => ({ db, clock, person: 'mary', through: 'cli' as const });

/** What the lost part of the ledger has paid for this row. Returns the service's id of it. */
async function payLost({ clock, service }: Rig, reference: string, row: NewRow = aRow(1)): Promise<string> {
  const { phone_number: phoneNumber, amount: value, currency } = row;
  const order = { phoneNumber, amount: { value, currency }, productId: null, reference };
  const body = JSON.stringify(order);
  const outcome = await clock.drive(service.create({ body, idempotencyKey: reference }));
  return outcome.kind === 'accepted' ? outcome.payment.topupId : '';
}

const runRestored = (rig: Rig) => rig.clock.drive(rig.runner({ restored: true }).run(patienceMs));
const sleep = ({ clock }: Rig, ms: number) => clock.drive(clock.sleep(ms));
const otherRun = ({ clock }: Rig) => ({ batch_id: 'batch-2', run_id: 'run-2', created_at: clock.now() });
const lostIn = async ({ db }: Rig) =>
  (await db.query<{ topup_id: string }>('SELECT topup_id FROM lost_payments')).map(({ topup_id }) => topup_id);

/** What reading a file of two rows makes of them, and why. */
async function judged(rig: Rig, policy = '{}') {
  const batch = { ...aBatch({ ...otherRun(rig), policy }), audit_seq: 0, audit_head: '' };
  const rows = someRows(2).map(({ batch_id: _, ...row }): JudgedRow => {
    return { ...row, status: 'ready', problems: [], has_reference: true, before: null };
  });
  const found = (await (await findDuplicateJudge(rig.db, batch))?.(rig.db, rows)) ?? [];
  return found.map(({ status, problems: [problem] }) => [status, problem?.code]);
}

/** The lost part has paid row 1 of run-1 some days ago; the same stands in a file of run-2. */
async function lostAndAsked(days: number, rows: readonly NewRow[] = someRows(2)) {
  const rig = await makeRig();
  const paidAt = rig.clock.now() + 20;
  const topupId = await payLost(rig, 'run-1/ref-1');
  await sleep(rig, days * dayMs);
  await rig.add(rows, otherRun(rig));
  await runRestored(rig);
  return { rig, topupId, paidAt };
}

describe('a payment of the lost part of a ledger, whose own row has not come again,', () => {
  test('holds the same payment under another run id, and is named by the service’s id and its time', async () => {
    const { rig, topupId, paidAt } = await lostAndAsked(3);
    assert.deepEqual(await rig.states('batch-2'), ['held', 'completed']);
    const { problems, known_until } = await rig.row(1, 'batch-2');
    const [{ code, message }] = JSON.parse(problems ?? '');
    assert.equal(code, 'SENT_LATELY');
    const when = '2026-11-20 at 09:00 UTC';
    const whom = `a payment that only the service knows since the ledger was restored (${topupId}, run run-1)`;
    assert.equal(message, `The same number was sent KES 101.00 on ${when}, by ${whom}.`);
    assert.equal(known_until, paidAt);
    const held = (await pageEvents(rig.db, 'batch-2', 0, 1_000)).find(({ kind }) => kind === 'row.hold');
    assert.deepEqual(JSON.parse(held?.body ?? '').other_payment, topupId);
    assert.equal(rig.service.charges.length, 2);
  });

  test('lets the row pass once a person has released it, also after its own row has come again and was found', async () => {
    const { rig } = await lostAndAsked(1);
    await rig.add(someRows(1));
    await rig.run();
    assert.deepEqual([await rig.states(), await lostIn(rig)], [['completed'], []]);
    await releaseRows(mary(rig), 'batch-2', [1]);
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['completed', 'completed']);
    await rig.add(someRows(1), { ...otherRun(rig), batch_id: 'batch-3', run_id: 'run-3' });
    await rig.run();
    assert.match((await rig.row(1, 'batch-3')).problems ?? '', /batch-2, row 1/);
    assert.equal(rig.service.charges.length, 3);
  });

  test('counts on the day on which it was paid', async () => {
    const { rig } = await lostAndAsked(8);
    assert.deepEqual(await rig.states('batch-2'), ['completed', 'completed']);
  });

  test('holds a row with a product, since the list does not show whether it was one', async () => {
    const product = { amount: null, currency: null, product_id: '7' };
    const { rig } = await lostAndAsked(1, [aRow(1, product), aRow(2, { amount: '1' })]);
    assert.deepEqual(await rig.states('batch-2'), ['held', 'completed']);
  });

  test('holds a row that may correct it, if neither has a reference, but not a separate row of the file', async () => {
    const named = (row: NewRow) => {
      const { phone_number, amount, currency, product_id } = row;
      return { ...row, row_ref: contentRowRef([phone_number, amount, currency, product_id], 1) };
    };
    const [paid, corrected] = [named(aRow(1)), named(aRow(1, { amount: '150' }))];
    for (const [rows, states] of [
      [[corrected], ['held']],
      [
        [corrected, { ...paid, row_no: 2 }],
        ['completed', 'completed'],
      ],
    ] as const) {
      const rig = await makeRig();
      const topupId = await payLost(rig, `run-1/${paid.row_ref}`);
      await rig.add(rows);
      await runRestored(rig);
      assert.deepEqual(await rig.states(), states);
      const { problems } = await rig.row(1);
      if (states[0] === 'held')
        assert.match(
          problems ?? '',
          new RegExp(`PAID_OTHERWISE.*sent the number KES 101.00 on .*\\(${topupId}, run run-1\\)`),
        );
    }
  });

  test('holds a row that may correct it within its run however long ago it was, as if nothing were lost', async () => {
    const named = (row: NewRow) => ({ ...row, row_ref: contentRowRef([row.phone_number, row.amount], 1) });
    const rig = await makeRig();
    await payLost(rig, `run-1/${named(aRow(1)).row_ref}`);
    await sleep(rig, 9 * dayMs);
    await rig.add([named(aRow(1, { amount: '150' }))], { created_at: rig.clock.now() });
    await runRestored(rig);
    assert.deepEqual(await rig.states(), ['held']);
    assert.match((await rig.row(1)).problems ?? '', /PAID_OTHERWISE/);
    assert.equal(rig.service.charges.length, 1);
  });

  test('is known when a file is read, from the first run on', async () => {
    const rig = await makeRig();
    await payLost(rig, 'run-1/ref-1');
    await rig.add([aRow(9)]);
    await runRestored(rig);
    assert.deepEqual(await judged(rig), [
      ['held', 'SENT_LATELY'],
      ['ready', undefined],
    ]);
    // Who compares no runs is asked only about what nobody could read.
    const policy = '{"repeatWithinDays":0}';
    assert.deepEqual(new Set((await judged(rig, policy))?.map(([status]) => status)), new Set(['ready']));
    await rig.db.execute('UPDATE lost_payments SET amount = NULL');
    assert.deepEqual(await judged(rig, policy), await judged(rig));
  });

  test('is compared if its own row was in the backup, tried and not sent', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'cannot_pay');
    await rig.add(someRows(1));
    await rig.run();
    assert.deepEqual(await rig.states(), ['ready']);
    const topupId = await payLost(rig, 'run-1/ref-1');
    await rig.add(someRows(1), otherRun(rig));
    await runRestored(rig);
    assert.deepEqual(await lostIn(rig), [topupId]);
    assert.deepEqual(await rig.states('batch-2'), ['held']);
  });

  test('is compared if a corrected file bound its reference to another amount, without notice', async () => {
    const rig = await makeRig();
    const topupId = await payLost(rig, 'run-1/ref-1');
    await rig.add([aRow(1, { amount: '77' })]);
    await runRestored(rig);
    assert.deepEqual([await rig.states(), (await rig.batch()).pause_reason], [['in_doubt'], 'service_mismatch']);
    assert.deepEqual(await lostIn(rig), [topupId]);
    await rig.add(someRows(2), otherRun(rig));
    await rig.run();
    assert.equal((await rig.batch('batch-2')).pause_reason, 'service_mismatch', 'the account is halted');
    await resumeBatch({ ...rig, person: 'mary', through: 'cli' }, 'batch-2');
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held', 'completed']);
  });

  test('is not requested if the service has no list: Version 1', async () => {
    const rig = await makeRig({ list: false });
    await payLost(rig, 'run-1/ref-1');
    await rig.add(someRows(1), otherRun(rig));
    await runRestored(rig);
    assert.deepEqual(await rig.states('batch-2'), ['completed']);
  });

  for (const place of ['waits behind', 'is paused', 'waits for approval', 'was read after the restore'] as const)
    test(`is looked up under the row of a batch that ${place}, where the service has no list: Version 1`, async () => {
      const rig = await makeRig({ list: false });
      await payLost(rig, 'run-1/ref-1~2');
      const isAfter = place === 'was read after the restore';
      if (isAfter) {
        await runRestored(rig);
        await sleep(rig, 600_000);
      }
      const { clock } = rig;
      if (place === 'waits for approval') await addBatch(rig.db, rig.clock, aBatch(), someRows(2));
      else await rig.add(someRows(2), { priority: 'bulk', created_at: clock.now() });
      if (place === 'is paused') await pauseBatch(mary(rig), 'batch-1', 'a question');
      await rig.add(someRows(3), otherRun(rig));
      await (isAfter ? rig.run() : runRestored(rig));
      assert.deepEqual((await rig.states('batch-2'))[0], 'held');
      if (place === 'is paused') {
        await resumeBatch(mary(rig), 'batch-1');
        await rig.run();
      }
      const isOpen = place !== 'waits for approval';
      assert.deepEqual(await rig.states(), isOpen ? ['completed', 'held'] : ['ready', 'ready']);
      const paid = rig.service.charges.map(({ reference }) => reference).sort();
      assert.deepEqual(paid, ['run-1/ref-1~2', 'run-2/ref-2', 'run-2/ref-3']);
      assert.equal((await lostIn(rig)).length, isOpen ? 0 : 1);
    });

  test('is looked up until the service answers, before a row to its number is sent', async () => {
    const rig = await makeRig({ list: false });
    await payLost(rig, 'run-1/ref-1');
    await addBatch(rig.db, rig.clock, aBatch(), someRows(1));
    await rig.add([aRow(1), aRow(2, { phone_number: aRow(1).phone_number })], otherRun(rig));
    const { lookup } = rig.service;
    const asked: string[] = [];
    rig.service.lookup = async (reference) => {
      if (!reference.startsWith('run-1/')) return lookup(reference);
      asked.push(reference);
      if (asked.length > 2) return lookup(reference);
      return { kind: 'unavailable', evidence: { httpStatus: 502, code: 'http_502', message: '', requestId: null } };
    };
    await runRestored(rig);
    assert.deepEqual(await rig.states('batch-2'), ['held', 'completed']);
    assert.equal(rig.service.charges.length, 2);
    assert.deepEqual(asked.slice(0, 3), ['run-1/ref-1', 'run-1/ref-1', 'run-1/ref-1']);
  });

  test('is looked up under a row that was held or had failed, and may have been released or retried since', async () => {
    const rig = await makeRig({ list: false });
    await payLost(rig, 'run-1/ref-1');
    await payLost(rig, 'run-1/ref-2~2', aRow(2));
    await addBatch(rig.db, rig.clock, aBatch(), [
      aRow(1, { status: 'held' }),
      aRow(2, { status: 'failed' }),
      aRow(3, { status: 'skipped' }),
    ]);
    await rig.add(someRows(3), otherRun(rig));
    await runRestored(rig);
    assert.deepEqual(await rig.states('batch-2'), ['held', 'held', 'completed']);
  });

  test('is searched among all that is younger than the ledger, except failed, known or foreign payments', async () => {
    const rig = await makeRig();
    await payLost(rig, 'run-0/older', aRow(8));
    await sleep(rig, 2 * 3_600_000);
    await rig.add(someRows(2));
    await rig.run();
    rig.service.ends('run-0/failed', 'failed');
    await payLost(rig, 'run-0/failed', aRow(5));
    await payLost(rig, 'an order of the shop', aRow(6));
    const lost = await payLost(rig, 'run-0/lost~3', aRow(7));
    await rig.add([aRow(9)], otherRun(rig));
    await runRestored(rig);
    const kept = await rig.db.query('SELECT * FROM lost_payments');
    const { phone_number, amount, currency } = aRow(7);
    const [{ first_sent_at, ...known }] = kept as [Record<string, unknown>];
    assert.equal(kept.length, 1);
    assert.ok(Number(first_sent_at) > rig.clock.now() - dayMs);
    const name = { account: 'main', run_id: 'run-0', row_ref: 'lost', generation: 3 };
    assert.deepEqual(known, { ...name, topup_id: lost, phone_number, amount, currency });
  });

  test('is also searched if the service dated the last known payment in the far future', async () => {
    const rig = await makeRig();
    await rig.add([aRow(9)]);
    await rig.run();
    await rig.db.execute('UPDATE rows SET accepted_at = ?', [rig.clock.now() + 365 * dayMs]);
    await sleep(rig, dayMs);
    const lost = await payLost(rig, 'run-1/ref-1');
    await rig.add(someRows(2), otherRun(rig));
    await runRestored(rig);
    assert.deepEqual([await lostIn(rig), await rig.states('batch-2')], [[lost], ['held', 'completed']]);
  });

  test('counts as sent now if the service dates it in the future', async () => {
    const rig = await makeRig();
    const topupId = await payLost(rig, 'run-1/ref-1');
    const payment = rig.service.payments.get(topupId);
    assert.ok(payment);
    payment.createdAt = rig.clock.now() + 400 * dayMs;
    await rig.add(someRows(1), otherRun(rig));
    await runRestored(rig);
    const { status, known_until } = await rig.row(1, 'batch-2');
    assert.equal(status, 'held');
    assert.ok((known_until ?? Infinity) <= rig.clock.now());
  });

  test('is the last of its generations if all of them have failed', async () => {
    const rig = await makeRig();
    for (const reference of ['run-1/ref-1', 'run-1/ref-1~2']) {
      rig.service.ends(reference, 'failed');
      await payLost(rig, reference);
    }
    await sleep(rig, dayMs);
    await rig.add(someRows(1));
    await runRestored(rig);
    const { status, generation } = await rig.row(1);
    assert.deepEqual([status, generation], ['failed', 2]);
  });

  for (const generation of [1, 2, 3])
    test(`is found by its own row, though a look-up does not show it: the row is not sent (generation ${generation})`, async () => {
      const rig = await makeRig();
      const reference = generation === 1 ? 'run-1/ref-1' : `run-1/ref-1~${generation}`;
      // What another program may have named like this is no generation of ours, and hides none.
      for (const one of [reference, 'run-1/ref-1~4']) {
        await payLost(rig, one);
        rig.service.hidden.add(one);
      }
      await sleep(rig, 2 * dayMs);
      await rig.add(someRows(1));
      await runRestored(rig);
      const row = await rig.row(1);
      assert.deepEqual([row.status, row.generation, rig.service.charges.length], ['in_doubt', generation, 2]);
    });

  test('is not assigned to its row again if a person had that sent again', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'refuse');
    // The row asks for another amount: it tells other runs nothing of the lost payment.
    await rig.add([aRow(1, { amount: '150' })]);
    await rig.run();
    const topupId = await payLost(rig, 'run-1/ref-1');
    rig.service.ends('run-1/ref-1', 'open');
    Object.assign(rig.service.payments.get(topupId) ?? {}, { state: 'failed', serviceStatus: 'TIMEOUT' });
    const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
    const codes = ['INVALID_PHONE_NUMBER', 'TIMEOUT'];
    const { retried } = await rig.clock.drive(retryFailed(mary(rig), service, 'batch-1', { codes }));
    assert.equal(retried, 1);
    await runRestored(rig);
    assert.deepEqual([await rig.states(), await lostIn(rig)], [['completed'], [topupId]]);
    assert.deepEqual(
      rig.service.charges.map(({ reference }) => reference),
      ['run-1/ref-1', 'run-1/ref-1~2'],
    );
  });

  test('is forgotten with its row’s batch, with other old data, and by itself after 35 days', async () => {
    for (const [forget, left] of [
      [(rig: Rig) => forgetBatch(mary(rig), 'batch-1', 'x'), 0],
      [(rig: Rig) => forgetEnded(mary(rig), rig.clock.now(), 'x'), 0],
      [(rig: Rig) => forgetEnded(mary(rig), rig.clock.now() - 20 * dayMs, 'x'), 1],
      [(rig: Rig) => forgetEnded(mary(rig), rig.clock.now(), 'x', 'a job'), 1],
      [(rig: Rig) => rig.run(), 1],
      [(rig: Rig) => sleep(rig, 26 * dayMs).then(() => rig.run()), 0],
    ] as const) {
      const { rig } = await lostAndAsked(1);
      await sleep(rig, 10 * dayMs);
      await rig.add([aRow(1, { status: 'skipped' })]);
      const ended = `UPDATE batches SET status = 'completed', completed_at = ? WHERE batch_id = 'batch-1'`;
      await rig.db.execute(ended, [rig.clock.now() - 10 * dayMs]);
      await forget(rig);
      assert.equal((await lostIn(rig)).length, left, String(forget));
    }
  });
});

test('a list entry without a reference may be one of ours: a row that would repeat it is held after a restore', async () => {
  const rig = await makeRig({ jobsAtOnce: 500 });
  await payLost(rig, 'run-1/ref-1');
  const { list } = rig.service;
  Object.assign(rig.service, {
    list: async (query: ListQuery) => {
      const page = await list?.(query);
      if (page?.kind !== 'page') return page;
      return { ...page, payments: page.payments.map((payment) => ({ ...payment, reference: null })) };
    },
  });
  await sleep(rig, dayMs);
  await rig.add(someRows(3), otherRun(rig));
  await runRestored(rig);
  assert.deepEqual(await rig.states('batch-2'), ['held', 'completed', 'completed']);
});

describe('an unreadable entry of the list', () => {
  /**
   * The lost part has paid row 1 of run-1 yesterday, and its entry is as `unread` makes it; rows of run-2 are asked
   * for.
   */
  async function unreadAndAsked(
    unread: Partial<UnreadableEntry>,
    rows: readonly NewRow[] = someRows(3),
    isKnown = false,
  ) {
    // Each row that is about to be sent waits for its look-up.
    const rig = await makeRig({ jobsAtOnce: 500 });
    if (isKnown) {
      await rig.add(someRows(1));
      await rig.run();
    } else await payLost(rig, 'run-1/ref-1');
    await payLost(rig, 'run-1/ref-2', aRow(2));
    const { list } = rig.service;
    Object.assign(rig.service, {
      list: async (query: ListQuery) => {
        const page = await list?.(query);
        if (page?.kind !== 'page') return page;
        const [first, ...payments] = page.payments;
        return first?.reference === 'run-1/ref-1'
          ? { ...page, payments, unreadable: [{ ...first, hasFailed: false, ...unread }] }
          : page;
      },
    });
    await sleep(rig, dayMs);
    await rig.add(rows, otherRun(rig));
    await runRestored(rig);
    return rig;
  }

  test('holds every row to its number, since it may have been any amount', async () => {
    const rig = await unreadAndAsked({}, [aRow(1, { amount: '7' }), aRow(3)]);
    assert.deepEqual(await rig.states('batch-2'), ['held', 'completed']);
    assert.match(
      (await rig.row(1, 'batch-2')).problems ?? '',
      /SENT_LATELY.*was sent something on 2026-11-20 at 09:00/,
    );
    assert.ok(rig.warnings.some((message) => message.includes('cannot be read')));
  });

  test('holds every row if its number is unreadable, is named, and lets released rows pass', async () => {
    const unread = { topupId: 'entry-1', phoneNumber: null, reference: null };
    const rig = await unreadAndAsked(unread);
    assert.deepEqual(await rig.states('batch-2'), ['held', 'held', 'held']);
    const { problems } = await rig.row(3, 'batch-2');
    assert.match(problems ?? '', /may have been sent the same on 2026-11-20 at 09:00 UTC, by a payment .*\(entry-1\)/);
    assert.equal(rig.service.creates.length, 2);
    await releaseRows(mary(rig), 'batch-2', [1, 3]);
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['completed', 'held', 'completed']);
  });

  test('also holds rows of a later file, of more than fit one request', async () => {
    const rig = await unreadAndAsked({ phoneNumber: null, reference: null });
    await sleep(rig, dayMs);
    const batch = { ...otherRun(rig), batch_id: 'batch-3', run_id: 'run-3' };
    await rig.add(
      someRows(120).map((row) => ({ ...row, phone_number: `+2547130${String(10_000 + row.row_no)}` })),
      batch,
    );
    await rig.run();
    assert.deepEqual(new Set(await rig.states('batch-3')), new Set(['held']));
  });

  test('holds none if a row of the ledger has it', async () => {
    const rig = await unreadAndAsked({ phoneNumber: null, reference: null }, [aRow(3)], true);
    assert.deepEqual(await rig.states('batch-2'), ['completed']);
  });

  test('holds none if it has failed, or belongs to another program', async () => {
    for (const unread of [{ hasFailed: true }, { reference: 'an order of the shop' }]) {
      const rig = await unreadAndAsked({ ...unread, phoneNumber: null });
      assert.deepEqual(await rig.states('batch-2'), ['completed', 'held', 'completed']);
    }
  });
});

describe('the list of lost payments', () => {
  /** More lost payments than stand on a page, the last of them to the number of a row of run-2. */
  async function manyLost(policy = '{}') {
    const rig = await makeRig();
    for (let count = 1; count <= 120; count++) await payLost(rig, `run-1/lost-${count}`, aRow(count));
    await rig.add([aRow(120), aRow(999)], { ...otherRun(rig), policy });
    return rig;
  }
  const listOf = ({ service }: Rig) => service.list as NonNullable<typeof service.list>;
  const unavailable = {
    kind: 'unavailable',
    evidence: { httpStatus: 503, code: 'http_503', message: '', requestId: null },
  } as const;

  test('is read to its end before anything is sent, however long it is not answered', async () => {
    const rig = await manyLost();
    const list = listOf(rig);
    const startedAt = rig.clock.now();
    const outageMs = 3 * 3_600_000;
    Object.assign(rig.service, {
      list: async (query: Parameters<typeof list>[0]) =>
        query.page === 2 && rig.clock.now() < startedAt + outageMs ? unavailable : list(query),
    });
    await runRestored(rig);
    assert.deepEqual(await rig.states('batch-2'), ['held', 'completed']);
    const sent = rig.service.creates.filter(({ at }) => at >= startedAt);
    assert.equal(sent.length, 1);
    assert.ok(sent.every(({ at }) => at >= startedAt + outageMs));
  });

  /**
   * The list lies: `lie` changes what the page says that `asks` asks for instead. What is sent after the restore is
   * followed by a true one.
   */
  function lyingList(
    rig: Rig,
    lie: (page: ListPage, query: ListQuery) => Partial<ListPage>,
    asks: Partial<ListQuery> = {},
  ) {
    const list = listOf(rig);
    Object.assign(rig.service, {
      list: async (query: ListQuery) => {
        const isLost = rig.service.creates.length <= 120;
        const page = await list(isLost ? { ...query, ...asks } : query);
        return page.kind === 'page' && isLost ? { ...page, ...lie(page, query) } : page;
      },
    });
  }

  for (const [what, lie] of [
    ['names a total that is too small', () => ({ total: 3 })],
    ['says on each page that there is no more', () => ({ hasNext: false })],
    ['says for ever that there is more, and shows nothing more', () => ({ hasNext: true })],
  ] as const)
    test(`is read to its end if it ${what}`, async () => {
      const rig = await manyLost();
      lyingList(rig, lie);
      await runRestored(rig);
      assert.deepEqual(await rig.states('batch-2'), ['held', 'completed']);
      assert.equal((await lostIn(rig)).length, 120);
    });

  for (const [what, lie, asks] of [
    [
      'ends before the total that it names',
      ({ payments }, { page }) => ({ payments: page === 1 ? payments.slice(0, 7) : [], hasNext: false }),
      {},
    ],
    ['shows nothing of the total that it names', () => ({ payments: [], hasNext: false }), {}],
    ['shows the same page for ever', () => ({ hasNext: true }), { page: 1 }],
  ] as [string, (page: ListPage, query: ListQuery) => Partial<ListPage>, Partial<ListQuery>][])
    test(`that ${what} counts as unread: nothing is sent until a person continues without it`, async () => {
      const rig = await manyLost();
      lyingList(rig, lie, asks);
      const running = rig.runner({ restored: true }).run(patienceMs);
      await sleep(rig, dayMs);
      assert.equal(rig.service.creates.length, 120);
      assert.ok(rig.warnings.some((message) => message.includes('sends nothing before the service has listed')));
      await continueUnlisted(mary(rig), 'batch-2', 'asked');
      await rig.clock.drive(running);
      assert.deepEqual([await rig.states('batch-2'), rig.service.creates.length], [['held', 'held'], 120]);
    });

  test('that never ends is reported, and skipped once a person says so', async () => {
    const rig = await manyLost();
    const [charge] = rig.service.payments.values();
    lyingList(rig, (_, { page }) => ({
      payments: [{ ...(charge as ServicePayment), topupId: `made up ${page}`, reference: `run-1/made-up-${page}` }],
      hasNext: true,
    }));
    const running = rig.runner({ restored: true }).run(patienceMs);
    await sleep(rig, 180_000);
    assert.ok(rig.warnings.some((message) => message.includes('sends nothing before the service has listed')));
    await continueUnlisted(mary(rig), 'batch-2', 'asked');
    await rig.clock.drive(running);
    assert.deepEqual([await rig.states('batch-2'), rig.service.creates.length], [['held', 'held'], 120]);
  });

  test('is read to its end even if pages have fewer entries than requested', async () => {
    const rig = await manyLost();
    const list = listOf(rig);
    Object.assign(rig.service, { list: (query: Parameters<typeof list>[0]) => list({ ...query, perPage: 20 }) });
    await runRestored(rig);
    assert.deepEqual(await rig.states('batch-2'), ['held', 'completed']);
  });

  test('is continued by the next program from its last position', async () => {
    const rig = await manyLost();
    const list = listOf(rig);
    const froms: (number | null)[] = [];
    let isDown = true;
    Object.assign(rig.service, {
      list: async (query: Parameters<typeof list>[0]) => {
        froms.push(query.fromMs);
        return query.page === 2 && isDown ? unavailable : list(query);
      },
    });
    const first = rig.runner({ restored: true });
    const running = first.run(patienceMs);
    await sleep(rig, 600_000);
    first.stop();
    await rig.clock.drive(running);
    assert.equal((await lostIn(rig)).length, 100);
    assert.equal(rig.service.creates.length, 120);
    isDown = false;
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held', 'completed']);
    const places = [froms[0], (rig.service.charges[99]?.at ?? 0) - 1_000];
    assert.ok(froms.includes(places[1] ?? 0));
    const read = froms.length;
    await rig.add([aRow(998)], { ...otherRun(rig), batch_id: 'batch-3' });
    await rig.run();
    const again = froms.slice(read).filter((from) => places.includes(from ?? 0));
    assert.deepEqual([await rig.states('batch-3'), again], [['completed'], []]);
  });

  test('that can never be read is skipped once a person says so and why, and every row that may repeat a payment is held', async () => {
    const rig = await manyLost();
    const list = listOf(rig);
    Object.assign(rig.service, {
      list: async (query: Parameters<typeof list>[0]) => (query.page === 2 ? unavailable : list(query)),
    });
    const runner = rig.runner({ restored: true });
    const running = runner.run(patienceMs);
    await sleep(rig, dayMs);
    assert.equal(rig.service.creates.length, 120);
    await continueUnlisted(mary(rig), 'batch-2', 'asked under 0712 405 118');
    await rig.clock.drive(running);
    assert.deepEqual([await rig.states('batch-2'), rig.service.creates.length], [['held', 'held'], 120]);
    assert.match(
      (await rig.row(999, 'batch-2')).problems ?? '',
      /SENT_LATELY.*may have been sent the same after 2026-/,
    );
    const told = (await pageEvents(rig.db, 'batch-2', 0, 100)).find(({ kind }) => kind === 'batch.unlisted');
    assert.deepEqual([told?.actor, JSON.parse(told?.body ?? '').why], ['mary', 'asked under [number]']);
    await assert.rejects(continueUnlisted(mary(rig), 'batch-2', 'again'), { code: 'BATCH_STATE' });
    await releaseRows(mary(rig), 'batch-2', [999]);
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held', 'completed']);
  });

  test('that is skipped holds rows that may repeat a payment for a week, also if the policy compares no runs', async () => {
    const policy = '{"repeatWithinDays":0}';
    const rig = await manyLost(policy);
    Object.assign(rig.service, { list: async () => unavailable });
    const running = rig.runner({ restored: true }).run(patienceMs);
    await sleep(rig, dayMs);
    await continueUnlisted(mary(rig), 'batch-2', 'asked');
    await rig.clock.drive(running);
    assert.deepEqual([await rig.states('batch-2'), rig.service.creates.length], [['held', 'held'], 120]);
    assert.match(
      (await rig.row(999, 'batch-2')).problems ?? '',
      /SENT_LATELY.*may have been sent the same after 2026-/,
    );
    await releaseRows(mary(rig), 'batch-2', [999]);
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['held', 'completed']);
    for (const [batch_id, days, state] of [
      ['batch-3', 6, 'held'],
      ['batch-4', 2, 'completed'],
    ] as const) {
      await sleep(rig, days * dayMs);
      await rig.add([aRow(120)], { ...otherRun(rig), batch_id, run_id: batch_id, policy });
      await rig.run();
      assert.deepEqual(await rig.states(batch_id), [state]);
    }
  });

  test('that is skipped after a second restore as well may hold any payment once more', async () => {
    const rig = await manyLost();
    Object.assign(rig.service, { list: async () => unavailable });
    for (const rows of [[120, 999], [999]]) {
      const running = rig.runner({ restored: true }).run(patienceMs);
      await sleep(rig, dayMs);
      await continueUnlisted(mary(rig), 'batch-2', 'asked');
      await rig.clock.drive(running);
      assert.deepEqual(await rig.states('batch-2'), ['held', 'held']);
      await releaseRows(mary(rig), 'batch-2', rows);
    }
  });

  test('does not exist if the service has no list: nobody can skip it', async () => {
    const rig = await makeRig({ list: false });
    await rig.add([...someRows(1), aRow(2, { status: 'held' })]);
    await runRestored(rig);
    await assert.rejects(continueUnlisted(mary(rig), 'batch-1', 'a slip'), { code: 'BATCH_STATE' });
  });

  test('is not read if nothing was restored', async () => {
    const rig = await makeRig();
    await payLost(rig, 'run-1/ref-1');
    await rig.add(someRows(1), otherRun(rig));
    await rig.run();
    assert.deepEqual([await rig.states('batch-2'), await lostIn(rig)], [['completed'], []]);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { retryFailed } from '../../../src/engine/decisions/retry-failed.ts';
import type { ListQuery, ServicePayment } from '../../../src/gateway/contract/gateway.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { aRow } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';

const hour = 3_600_000;
/** Days go by in these tests: looking and renewing now and then is enough. */
const settings = { idlePollMs: hour, leaseTtlMs: 10 * hour };

/**
 * Three rows that ended, the second as failed, and a program that stays for `hours` after something happened at the
 * service.
 */
async function ended(happens: (rig: Rig) => void, hours: number, list = true) {
  const rig = await makeRig({ list, settings });
  rig.service.ends('run-1/ref-2', 'failed');
  await rig.add(someRows(3));
  await rig.run();
  const before = await Promise.all([1, 2, 3].map((rowNo) => rig.row(rowNo)));
  assert.deepEqual(
    before.map(({ status }) => status),
    ['completed', 'failed', 'completed'],
  );
  happens(rig);
  await stay(rig, hours * hour);
  const after = await Promise.all([1, 2, 3].map((rowNo) => rig.row(rowNo)));
  const asEnded = after.map((row) => ({
    ...row,
    contradicted: null,
    contradicted_at: null,
    contradicted_by: null,
    second_topup_id: null,
  }));
  assert.deepEqual(asEnded, before, 'a row that ended stays as it ended');
  const events = await rig.db.query<{ row_no: number; body: string }>(
    `SELECT row_no, body FROM events WHERE kind = 'row.changed_late' ORDER BY row_no`,
  );
  return { rig, events };
}

function paymentOf({ service }: Rig, reference: string): ServicePayment {
  const payment = [...service.payments.values()].find((one) => one.reference === reference);
  assert.ok(payment);
  return payment;
}

function contradicted({ db }: Rig): Promise<{ row_no: number; body: string }[]> {
  return db.query(`SELECT row_no, body FROM events WHERE kind = 'row.contradicted' ORDER BY seq`);
}

/** A person has the failed rows of batch 1 sent again. */
async function retry({ db, clock, service }: Rig, codes: string[] = []): Promise<void> {
  const asked = { gateway: service, limiter: makeOpenLimiter(clock) };
  await retryFailed({ db, clock, person: 'mary', through: 'cli' as const }, asked, 'batch-1', { codes });
}

/** A program that stays for `ms`. */
/** One row whose first payment failed, and whose second one arrived after a person retried it. */
async function paidAfterRetry(options: Parameters<typeof makeRig>[0]): Promise<Rig> {
  const rig = await makeRig(options);
  rig.service.ends('run-1/ref-1', 'failed');
  await rig.add(someRows(1));
  await rig.run();
  await rig.clock.drive(retry(rig));
  await rig.run();
  assert.deepEqual(await rig.states(), ['completed']);
  return rig;
}

async function stay(rig: Rig, ms: number): Promise<void> {
  const runner = rig.runner({ rereads: true });
  const running = runner.run(Number.POSITIVE_INFINITY);
  await rig.clock.drive(rig.clock.sleep(ms));
  runner.stop();
  await rig.clock.drive(running);
}

/** The service says otherwise of rows 1 and 2 than when they ended. */
function flips({ service }: Rig): void {
  service.ends('run-1/ref-1', 'failed');
  service.ends('run-1/ref-2', 'completed');
}

function failFirstRead({ service }: Rig): void {
  const { list, lookup } = service;
  const evidence = { httpStatus: 503, code: 'http_503', message: 'offline', requestId: null };
  let reads = 0;
  service.lookup = async (reference) => (reads++ === 0 ? { kind: 'unavailable', evidence } : lookup(reference));
  if (list)
    Object.assign(service, {
      list: async (query: ListQuery) => (reads++ === 0 ? { kind: 'unavailable', evidence } : list(query)),
    });
}

for (const [where, list] of [
  ['is read once more', true],
  ['of a service without a list is looked up row by row', false],
] as const) {
  describe(`a finished batch ${where}`, () => {
    test('is compared a day later: changes are recorded and reported', async () => {
      const { rig, events } = await ended(flips, 30, list);
      assert.deepEqual(
        events.map(({ row_no }) => row_no),
        [1, 2],
      );
      assert.match(events[0]?.body ?? '', /ended completed, and the service now says failed/);
      assert.equal(rig.warnings.filter((text) => text.includes('has changed since its row ended')).length, 2);
      assert.notEqual((await rig.batch()).reread_at, null);
    });

    test('is compared once, and not before a day is over', async () => {
      assert.equal((await ended(flips, 20, list)).events.length, 0);
      assert.equal((await ended(flips, 90, list)).events.length, 2);
    });

    test('is recorded as changed if the service no longer has a completed payment', async () => {
      const { events } = await ended(
        (rig) => void rig.service.payments.delete(paymentOf(rig, 'run-1/ref-3').topupId),
        30,
        list,
      );
      assert.equal(events.length, 1);
      assert.equal(events[0]?.row_no, 3);
      assert.match(events[0]?.body ?? '', /the row was completed, but the service now has nothing under its reference/);
    });

    test('is recorded as changed if the service has another payment instead', async () => {
      const { events } = await ended(
        (rig) => {
          paymentOf(rig, 'run-1/ref-3').topupId = 'another';
        },
        30,
        list,
      );
      assert.equal(events.length, 1);
      assert.match(events[0]?.body ?? '', /only another payment under its reference/);
    });

    test('is recorded as changed if a second payment is next to its own', async () => {
      const { rig } = await ended(
        (rig) => {
          const own = rig.service.payments.get(paymentOf(rig, 'run-1/ref-3').topupId);
          assert.ok(own);
          rig.service.payments.set('second', { ...own, topupId: 'second', key: 'second' });
        },
        30,
        list,
      );
      const [second, ...more] = await contradicted(rig);
      assert.equal(more.length, 0);
      assert.match(second?.body ?? '', /says completed of another payment of the row \(second\)/);
      assert.ok(rig.warnings.includes('the account is paused'));
      assert.equal(rig.warnings.length, 2);
    });

    test('is recorded as changed if an earlier payment of a row has arrived after all', async () => {
      const rig = await paidAfterRetry({ list, settings });
      rig.service.ends('run-1/ref-1', 'completed');
      await stay(rig, 30 * hour);
      const [earlier] = await contradicted(rig);
      const { topupId } = paymentOf(rig, 'run-1/ref-1');
      assert.ok(earlier?.body.includes(`says completed of another payment of the row (${topupId})`), earlier?.body);
    });

    for (const decision of ['skipped', 'cancelled'])
      test(`is recorded as changed if an earlier payment of a row that was ${decision} has arrived after all`, async () => {
        const rig = await makeRig({ list, settings });
        rig.service.ends('run-1/ref-1', 'failed');
        await rig.add(someRows(2));
        await rig.run();
        await rig.clock.drive(retry(rig));
        await rig.db.execute('UPDATE rows SET status = ? WHERE row_no = 1', [decision]);
        await rig.db.execute(`UPDATE batch_counts SET status = ? WHERE status = 'ready'`, [decision]);
        await rig.run();
        assert.deepEqual([await rig.states(), (await rig.batch()).status], [[decision, 'completed'], 'completed']);
        rig.service.ends('run-1/ref-1', 'completed');
        // The service's clock is ten minutes behind: no page shows the payment.
        for (const payment of rig.service.payments.values()) payment.createdAt = (payment.createdAt ?? 0) - 600_000;
        await stay(rig, 30 * hour);
        assert.deepEqual((await rig.row(1)).contradicted_by, paymentOf(rig, 'run-1/ref-1').topupId);
        assert.equal((await contradicted(rig)).length, 1);
      });

    test('leaves a payment of an earlier file to the row of that file', async () => {
      const rig = await makeRig({ list, settings });
      rig.service.ends('run-1/ref-1', 'failed');
      await rig.add(someRows(1));
      await rig.run();
      await rig.add([aRow(1), aRow(2)], { batch_id: 'batch-2' });
      await rig.db.execute(
        `UPDATE rows SET status = 'skipped', generation = 2 WHERE batch_id = 'batch-2' AND row_no = 1`,
      );
      await rig.db.execute(`UPDATE batch_counts SET count = 1 WHERE batch_id = 'batch-2' AND status = 'ready'`);
      await rig.db.execute(`INSERT INTO batch_counts (batch_id, status, count) VALUES ('batch-2', 'skipped', 1)`);
      await rig.run();
      assert.deepEqual(await rig.states('batch-2'), ['skipped', 'completed']);
      rig.service.ends('run-1/ref-1', 'completed');
      await stay(rig, 30 * hour);
      assert.deepEqual(
        [(await rig.row(1)).contradicted, (await rig.row(1, 'batch-2')).contradicted],
        ['completed', null],
      );
    });

    test('is read again if a read got no answer', async () => {
      const { events } = await ended(
        (rig) => {
          flips(rig);
          failFirstRead(rig);
        },
        30,
        list,
      );
      assert.deepEqual(
        events.map(({ row_no }) => row_no),
        [1, 2],
      );
      assert.match(events[0]?.body ?? '', /the service now says failed/);
    });

    test('is unchanged if the service no longer has a failed payment', async () => {
      const forget = (rig: Rig) => void rig.service.payments.delete(paymentOf(rig, 'run-1/ref-2').topupId);
      const { rig, events } = await ended(forget, 30, list);
      assert.deepEqual([events, rig.warnings], [[], []]);
    });

    test('is unchanged if nothing has changed', async () => {
      const { rig, events } = await ended(() => undefined, 30, list);
      assert.deepEqual([events, rig.warnings], [[], []]);
      assert.notEqual((await rig.batch()).reread_at, null);
    });
  });
}

describe('a finished batch whose payments the list shows at other times, because the clocks differ', () => {
  /** The service's clock is ten minutes behind. */
  const setBack = ({ service }: Rig) => {
    for (const payment of service.payments.values()) payment.createdAt = (payment.createdAt ?? 0) - 600_000;
  };

  test('is recorded as changed if a second payment is next to its own', async () => {
    const { rig } = await ended((rig) => {
      const own = rig.service.payments.get(paymentOf(rig, 'run-1/ref-3').topupId);
      assert.ok(own);
      rig.service.payments.set('second', { ...own, topupId: 'second', key: 'second' });
      setBack(rig);
    }, 30);
    assert.equal((await rig.row(3)).second_topup_id, 'second');
    assert.ok(rig.warnings.includes('the account is paused'));
  });

  test('is recorded as changed if an earlier payment of a row has arrived after all', async () => {
    const rig = await paidAfterRetry({ settings });
    rig.service.ends('run-1/ref-1', 'completed');
    setBack(rig);
    await stay(rig, 30 * hour);
    assert.equal((await rig.row(1)).second_topup_id, paymentOf(rig, 'run-1/ref-1').topupId);
  });
});

describe('a finished batch that is looked up row by row', () => {
  test('records no earlier payment that a person named as not arrived', async () => {
    const rig = await makeRig({ list: false, settings });
    rig.service.ends('run-1/ref-1', 'failed');
    await rig.add(someRows(1));
    await rig.run();
    Object.assign(paymentOf(rig, 'run-1/ref-1'), { serviceStatus: 'TIMEOUT' });
    await rig.clock.drive(retry(rig, ['failed', 'TIMEOUT']));
    await rig.run();
    assert.deepEqual(await rig.states(), ['completed']);
    await stay(rig, 30 * hour);
    assert.deepEqual(await contradicted(rig), []);
    assert.ok(rig.service.lookUps.slice(-2).includes('run-1/ref-1'), 'it was looked up');
  });

  test('records nothing for a row that was sent again, and paid, while the answer was on its way', async () => {
    const rig = await makeRig({ list: false, settings: { ...settings, idlePollMs: 60_000 } });
    rig.service.ends('run-1/ref-1', 'failed');
    await rig.add(someRows(1));
    await rig.run();
    await rig.clock.drive(rig.clock.sleep(24 * hour));
    const { lookup } = rig.service;
    rig.service.lookup = async (reference) => {
      rig.service.lookup = lookup;
      const outcome = await lookup(reference);
      await retry(rig);
      await rig.clock.sleep(hour);
      assert.deepEqual(await rig.states(), ['completed']);
      return outcome;
    };
    await stay(rig, 2 * hour);
    assert.deepEqual(
      await rig.db.query(`SELECT kind FROM events WHERE kind LIKE 'row.c%' AND kind <> 'row.complete'`),
      [],
    );
    assert.deepEqual(rig.warnings, []);
  });

  test('is read again if it ended again just when all of it had been read', async () => {
    const rig = await makeRig({ list: false, settings: { ...settings, idlePollMs: 60_000 } });
    rig.service.ends('run-1/ref-2', 'failed');
    await rig.add(someRows(2));
    await rig.run();
    await rig.clock.drive(rig.clock.sleep(24 * hour));
    const { query } = rig.db;
    rig.db.query = async (sql, params) => {
      const rows = await query(sql, params);
      if (!sql.includes('first_sent_at IS NOT NULL') || rows.length > 0) return rows as never;
      rig.db.query = query;
      await retry(rig);
      await rig.clock.sleep(hour);
      return rows as never;
    };
    await stay(rig, 2 * hour);
    assert.deepEqual(await rig.states(), ['completed', 'completed']);
    const { reread_at, completed_at } = await rig.batch();
    assert.ok((reread_at ?? 0) < (completed_at ?? 0));
    const before = rig.service.lookUps.length;
    await stay(rig, 26 * hour);
    assert.equal((await rig.batch()).reread_at, completed_at);
    assert.ok(rig.service.lookUps.slice(before).includes('run-1/ref-2~2'));
  });

  test('uses a quarter of the allowed reads, and continues after a restart from its last position', async () => {
    const rig = await makeRig({ list: false, settings });
    await rig.add(someRows(90));
    await rig.run();
    await rig.clock.drive(rig.clock.sleep(24 * hour));
    const before = rig.service.lookUps.length;
    for (const minutes of [1, 1, 30]) {
      await stay(rig, minutes * 60_000);
      const looked = rig.service.lookUps.length - before;
      if (minutes === 1) assert.ok(looked <= 62, `${looked} look-ups`);
    }
    const looked = rig.service.lookUps.slice(before);
    assert.deepEqual([looked.length, new Set(looked).size], [90, 90]);
    assert.notEqual((await rig.batch()).reread_at, null);
  });
});

describe('a finished batch that is read by the list', () => {
  test('looks up rows outside of its own time one by one', async () => {
    const { rig, events } = await ended((rig) => {
      flips(rig);
      const payment = paymentOf(rig, 'run-1/ref-1');
      payment.createdAt = (payment.createdAt ?? 0) - 48 * hour;
    }, 30);
    assert.deepEqual(
      events.map(({ row_no }) => row_no),
      [1, 2],
    );
    assert.deepEqual(rig.service.lookUps, ['run-1/ref-1']);
  });

  for (const [what, pageOf] of [
    ['an empty page', (page: number) => page],
    ['a page that was there before', () => 1],
  ] as const)
    test(`ends with ${what}, though the service says that there is more`, async () => {
      const rig = await makeRig({ settings });
      const { list } = rig.service;
      Object.assign(rig.service, {
        list: async (query: ListQuery) => {
          const outcome = await list?.({ ...query, page: pageOf(query.page) });
          return outcome?.kind === 'page' ? { ...outcome, hasNext: true } : outcome;
        },
      });
      await rig.add(someRows(3));
      await rig.run();
      assert.deepEqual(await rig.states(), ['completed', 'completed', 'completed']);
      await stay(rig, 30 * hour);
      assert.notEqual((await rig.batch()).reread_at, null);
    });

  test('records an earlier payment of a refused retry as another payment', async () => {
    const rig = await makeRig({ settings });
    rig.service.ends('run-1/ref-1', 'failed');
    rig.service.script('run-1/ref-1~2', 'refuse');
    await rig.add(someRows(1));
    await rig.run();
    await rig.clock.drive(retry(rig));
    await rig.run();
    assert.deepEqual(await rig.states(), ['failed']);
    rig.service.ends('run-1/ref-1', 'completed');
    await stay(rig, 30 * hour);
    assert.match((await contradicted(rig))[0]?.body ?? '', /says completed of another payment of the row/);
  });

  test('does not look up what the service has refused', async () => {
    const rig = await makeRig({ settings });
    rig.service.script('run-1/ref-2', 'refuse');
    await rig.add(someRows(3));
    await rig.run();
    await stay(rig, 30 * hour);
    assert.deepEqual(await rig.states(), ['completed', 'failed', 'completed']);
    assert.deepEqual(rig.service.lookUps, []);
    assert.notEqual((await rig.batch()).reread_at, null);
  });

  test('is read to its end after a restart, and nothing is recorded twice', async () => {
    const rig = await makeRig({ settings });
    await rig.add(someRows(250));
    await rig.run();
    await rig.clock.drive(rig.clock.sleep(24 * hour));
    const changed = [1, 120, 250];
    for (const rowNo of changed) rig.service.ends(`run-1/ref-${rowNo}`, 'failed');
    const noted = async () => {
      const events = await rig.db.query<{ row_no: number }>(
        `SELECT row_no FROM events WHERE kind = 'row.changed_late' ORDER BY seq`,
      );
      return events.map(({ row_no }) => row_no);
    };
    await stay(rig, 15);
    assert.deepEqual(await noted(), changed.slice(0, 2));
    await stay(rig, 60_000);
    assert.deepEqual(await noted(), changed);
    assert.deepEqual(rig.service.lookUps, []);
    assert.notEqual((await rig.batch()).reread_at, null);
    assert.deepEqual(await rig.db.query('SELECT * FROM rereads'), []);
  });

  test('records nothing of its pages twice if the program ends while the missing rows are looked up', async () => {
    const rig = await makeRig({ settings });
    await rig.add(someRows(3));
    await rig.run();
    await rig.clock.drive(rig.clock.sleep(24 * hour));
    for (const rowNo of [1, 2, 3]) {
      const payment = paymentOf(rig, `run-1/ref-${rowNo}`);
      if (rowNo > 1) payment.createdAt = (payment.createdAt ?? 0) - 48 * hour;
      rig.service.ends(`run-1/ref-${rowNo}`, 'failed');
    }
    for (const ms of [1_000, 60_000]) await stay(rig, ms);
    const events = await rig.db.query<{ row_no: number }>(
      `SELECT row_no FROM events WHERE kind = 'row.changed_late' ORDER BY seq`,
    );
    assert.deepEqual(
      events.map(({ row_no }) => row_no),
      [1, 2, 3],
    );
    assert.deepEqual(rig.service.lookUps, ['run-1/ref-2', 'run-1/ref-3']);
  });

  test('does not count as read if the program ends while it looks for rows that were on no page', async () => {
    const rig = await makeRig({ settings });
    await rig.add(someRows(3));
    await rig.run();
    await rig.clock.drive(rig.clock.sleep(24 * hour));
    const runner = rig.runner({ rereads: true });
    const { query } = rig.db;
    rig.db.query = (sql, params) => {
      if (sql.includes('first_sent_at IS NOT NULL')) runner.stop();
      return query(sql, params);
    };
    await rig.clock.drive(runner.run(Number.POSITIVE_INFINITY));
    rig.db.query = query;
    assert.equal((await rig.batch()).reread_at, null);
    await stay(rig, 60_000);
    assert.notEqual((await rig.batch()).reread_at, null);
  });
});

describe('finished batches', () => {
  test('take turns, so that a large one delays none', async () => {
    const rig = await makeRig({ list: false, settings });
    await rig.add(someRows(90));
    await rig.run();
    await rig.add([aRow(91), aRow(92)], { batch_id: 'batch-2', run_id: 'run-2' });
    await rig.run();
    await rig.clock.drive(rig.clock.sleep(24 * hour));
    const before = rig.service.lookUps.length;
    await stay(rig, 13_000);
    const looked = rig.service.lookUps.slice(before);
    assert.deepEqual(looked.slice(0, 4), ['run-1/ref-1', 'run-2/ref-91', 'run-1/ref-2', 'run-2/ref-92']);
    assert.deepEqual(
      [(await rig.batch()).reread_at === null, (await rig.batch('batch-2')).reread_at === null],
      [true, false],
    );
  });
});

describe('a finished batch', () => {
  test('is not looked up at another service, which would have none of it', async () => {
    const { rig, events } = await ended(({ db, service }) => {
      service.payments.clear();
      void db.execute(`UPDATE batches SET service = 'https://one.example (v2)'`);
    }, 30);
    assert.deepEqual([events, rig.warnings], [[], []]);
    assert.notEqual((await rig.batch()).reread_at, null);
  });

  test('reports a changed cost', async () => {
    const { events } = await ended(({ service }) => {
      for (const payment of service.payments.values()) {
        if (payment.reference === 'run-1/ref-3') payment.cost = { value: '1.50', currency: 'USD' };
      }
    }, 30);
    assert.equal(events.length, 1);
    assert.match(events[0]?.body ?? '', /cost 1 USD, and the service now says 1\.50 USD/);
  });

  test('shows at the row that its money was returned, if nothing was charged after all', async () => {
    const rig = await makeRig({ settings });
    await rig.add(someRows(1));
    await rig.run();
    for (const payment of rig.service.payments.values()) payment.cost = { value: '0', currency: 'USD' };
    await stay(rig, 30 * hour);
    const { status, cost, refunded_at, refund_amount, refund_currency } = await rig.row(1);
    assert.deepEqual([status, cost, refund_amount, refund_currency], ['completed', '1', '1', 'USD']);
    assert.notEqual(refunded_at, null);
  });
});

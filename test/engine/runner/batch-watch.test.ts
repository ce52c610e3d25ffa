import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pauseBatch, resumeBatch } from '../../../src/engine/batches/batch-commands.ts';
import { releaseRows } from '../../../src/engine/decisions/release-or-skip.ts';
import { resolveDoubt } from '../../../src/engine/decisions/resolve.ts';
import { retryFailed } from '../../../src/engine/decisions/retry-failed.ts';
import { waitsForFirstRows } from '../../../src/engine/forecast/can-progress.ts';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import { countRows } from '../../../src/ledger/batches/row-counts.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { aRow } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';

const minute = 60_000;
const policy = (fields: Record<string, unknown>) => ({ policy: JSON.stringify(fields) });

/** Runs the batch in a program that stays, for as long as the test says. */
function staying(rig: Rig) {
  const runner = rig.runner();
  const running = runner.run(Number.POSITIVE_INFINITY);
  return {
    after: (ms: number) => rig.clock.drive(rig.clock.sleep(ms)),
    stop: async () => {
      runner.stop();
      await rig.clock.drive(running);
    },
  };
}

async function resume(rig: Rig): Promise<void> {
  await resumeBatch({ db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const }, 'batch-1');
}

describe('the first rows (canary)', () => {
  test('are followed by the others only when each of them has ended', async () => {
    const rig = await makeRig({ settleMs: 10 * minute, settings: { idlePollMs: minute } });
    await rig.add(someRows(30), policy({ canary: { rows: 4 } }));
    const program = staying(rig);
    await program.after(5 * minute);
    assert.equal(rig.service.creates.length, 4);
    await program.after(30 * minute);
    await program.stop();
    assert.equal(rig.service.creates.length, 30);
    assert.equal((await rig.batch()).status, 'completed');
  });

  test('are sent at once until they have ended, without spreading over the window', async () => {
    const rig = await makeRig();
    await rig.add(someRows(200), policy({ canary: { rows: 4 } }));
    await rig.run();
    const [first] = rig.expected;
    assert.equal(first, 4);
    assert.ok(Math.max(...rig.expected) > 150, `${rig.expected}`);
    assert.equal(rig.expected.at(-1), 0);
  });

  test('pause the batch if one of them fails; a person who resumes it sends the others', async () => {
    const rig = await makeRig();
    rig.service.ends('run-1/ref-2', 'failed');
    await rig.add(someRows(30), policy({ canary: { rows: 4 } }));
    await rig.run();
    const batch = await rig.batch();
    assert.deepEqual([batch.status, batch.pause_reason], ['paused', 'guard_tripped']);
    assert.match(batch.pause_detail ?? '', /1 of the first 4 rows failed; airbatch sends these alone first/);
    assert.deepEqual(batch.pause_why, { code: 'PAUSE_FIRST_ROWS', values: { failed: '1', rows: '4' } });
    assert.equal(rig.service.creates.length, 4);
    await resume(rig);
    await rig.run();
    assert.equal(rig.service.creates.length, 30);
    assert.equal((await rig.batch()).status, 'completed');
  });

  test('are recorded as judged even if they are all rows of the batch', async () => {
    const rig = await makeRig();
    await rig.add(someRows(2), policy({ canary: { rows: 3 } }));
    await rig.run();
    const { status, canary_at } = await rig.batch();
    assert.equal(status, 'completed');
    const passed = (await pageEvents(rig.db, 'batch-1', 0, 100)).find(({ kind }) => kind === 'batch.canary_passed');
    assert.ok(passed);
    assert.equal(canary_at, passed.at);
  });

  test('that fail while nothing else may be sent do not pass: rows that are released or retried later wait', async () => {
    for (const how of ['released', 'retried']) {
      const rig = await makeRig();
      rig.service.ends('run-1/ref-1', 'failed');
      const others =
        how === 'released'
          ? someRows(9)
              .slice(2)
              .map((row) => ({ ...row, status: 'held' as const }))
          : [];
      await rig.add([...someRows(2), ...others], policy({ canary: { rows: 2 } }));
      await rig.run();
      const kinds = (await pageEvents(rig.db, 'batch-1', 0, 100)).map(({ kind }) => kind);
      assert.ok(!kinds.includes('batch.canary_passed'), how);
      const mary = { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const };
      const counts = await countRows(rig.db, 'batch-1');
      assert.equal(waitsForFirstRows(await rig.batch(), counts), false, 'they have ended');
      if (how === 'released') {
        await releaseRows(mary, 'batch-1', []);
        await rig.run();
        const { status, pause_detail } = await rig.batch();
        assert.deepEqual([status, rig.service.creates.length], ['paused', 2]);
        assert.match(pause_detail ?? '', /1 of the first 2 rows failed/);
        await resume(rig);
        await rig.run();
        assert.equal(rig.service.creates.length, 9);
      } else {
        assert.equal((await rig.batch()).status, 'completed');
        const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
        await rig.clock.drive(retryFailed(mary, service, 'batch-1', { codes: [] }));
        await rig.run();
      }
      assert.equal((await rig.batch()).status, 'completed');
    }
  });

  test('may fail as often as the policy says', async () => {
    const rig = await makeRig();
    rig.service.ends('run-1/ref-2', 'failed');
    await rig.add(someRows(30), policy({ canary: { rows: 4, failuresMax: 1 } }));
    await rig.run();
    assert.equal(rig.service.creates.length, 30);
  });

  test('do not delay a run if one of them is left to a person, whose decision lets the others pass', async () => {
    const rig = await makeRig();
    rig.service.script('run-1/ref-1', 'error_500', 'error_500', 'error_500');
    await rig.add(someRows(5), policy({ canary: { rows: 2 } }));
    const began = rig.clock.now();
    // A run that does not end would run on for as long as the clock is driven.
    await rig.clock.drive(Promise.race([rig.runner().run(36 * 60 * minute), rig.clock.sleep(72 * 60 * minute)]));
    assert.ok(rig.clock.now() < began + 72 * 60 * minute);
    assert.deepEqual(await rig.states(), ['in_doubt', 'completed', 'ready', 'ready', 'ready']);
    await resolveDoubt({ db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const }, 'batch-1', 1, {
      as: 'paid',
      evidence: 'seen',
    });
    await rig.run();
    assert.deepEqual(new Set(await rig.states()), new Set(['completed']));
  });

  test('stay as few across a restart, and rows that were never sent do not count', async () => {
    const rig = await makeRig({ settleMs: 10 * minute });
    rig.service.script('run-1/ref-1', 'lose_answer');
    rig.service.script('run-1/ref-3', 'unreachable');
    await rig.add(
      [...someRows(1), aRow(2, { status: 'held' }), ...someRows(30).slice(2)],
      policy({ canary: { rows: 4 } }),
    );
    const first = staying(rig);
    await first.after(1_000);
    await first.stop();
    const second = staying(rig);
    await second.after(5 * minute);
    await second.stop();
    const sent = new Set(rig.service.creates.map(({ reference }) => reference));
    assert.equal(sent.size, 4, [...sent].join());
    await rig.run();
    assert.equal(rig.service.charges.length, 29);
  });
});

describe('the number of first rows does not change', () => {
  const sentOf = ({ service }: Rig) => [...new Set(service.creates.map(({ reference }) => reference))];

  test('if the key of one of them has become too old to be sent', async () => {
    const rig = await makeRig({ settleMs: 10 * minute, settings: { idlePollMs: minute } });
    rig.service.script('run-1/ref-1', 'cannot_pay');
    await rig.add(someRows(6), policy({ canary: { rows: 2 } }));
    await rig.run();
    await rig.clock.drive(rig.clock.sleep(24 * 60 * minute));
    await resume(rig);
    const program = staying(rig);
    await program.after(5 * minute);
    // The refused one waits until the service has forgotten its key; nothing takes its place.
    // They arrive in any order.
    assert.deepEqual(sentOf(rig).sort(), ['run-1/ref-1', 'run-1/ref-2']);
    await program.after(100 * minute);
    await program.stop();
    assert.equal((await rig.batch()).status, 'completed');
  });

  test('if one of them was held while it was looked up after a restore', async () => {
    const rig = await makeRig();
    const { lookup } = rig.service;
    await rig.add([aRow(99, { row_ref: 'ref-1' })], { batch_id: 'batch-0' });
    await rig.run();
    await rig.add(someRows(5), { ...policy({ canary: { rows: 2 }, repeatWithinDays: 0 }), run_id: 'run-1' });
    await rig.db.execute(`DELETE FROM payments`);
    rig.service.lookup = async (reference) => {
      const row = await rig.row(1);
      if (reference === 'run-1/ref-1' && row.status === 'ready')
        await inUnit(rig.db, { clock: rig.clock, actor: 'engine' }, (unit) => unit.changeRow(row, 'hold', {}, {}));
      return lookup(reference);
    };
    const runner = rig.runner({ restored: true });
    await rig.clock.drive(Promise.race([runner.run(36 * 60 * minute), rig.clock.sleep(72 * 60 * minute)]));
    assert.deepEqual(await rig.states(), ['held', 'completed', 'completed', 'completed', 'completed']);
    assert.deepEqual(sentOf(rig).slice(0, 3).sort(), ['run-1/ref-1', 'run-1/ref-2', 'run-1/ref-3']);
  });

  test('if one of them has failed, and a person retries it while the others are in flight', async () => {
    const rig = await makeRig({ settleMs: 10 * minute, settings: { idlePollMs: minute } });
    rig.service.script('run-1/ref-1', 'refuse');
    await rig.add(someRows(6), policy({ canary: { rows: 2, failuresMax: 1 } }));
    const program = staying(rig);
    await program.after(minute);
    const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
    const actor = { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const };
    await rig.clock.drive(retryFailed(actor, service, 'batch-1', { codes: [] }));
    await program.after(5 * minute);
    assert.equal(sentOf(rig).length, 3);
    await program.after(60 * minute);
    await program.stop();
    assert.equal((await rig.batch()).status, 'completed');
  });
});

describe('the stop-loss', () => {
  const stopLoss = { stopLoss: { failurePercent: 20, rows: 10 } };

  test('pauses the batch if too many of the last rows failed, and gives the reason', async () => {
    const rig = await makeRig({ settleMs: 10, paceMs: 200 });
    for (let rowNo = 21; rowNo <= 200; rowNo++) rig.service.ends(`run-1/ref-${rowNo}`, 'failed');
    await rig.add(someRows(400), policy(stopLoss));
    await rig.run();
    const batch = await rig.batch();
    assert.deepEqual([batch.status, batch.pause_reason], ['paused', 'guard_tripped']);
    assert.match(batch.pause_detail ?? '', /[3-9] of the last 10 rows failed, more than 20%/);
    const { failed, ...limits } = batch.pause_why?.values ?? {};
    assert.deepEqual([batch.pause_why?.code, limits], ['PAUSE_FAILURES', { rows: '10', percent: '20' }]);
    assert.ok(Number(failed) > 2);
    // What was on its way, and what the reads had not told yet, was sent before; nothing after.
    assert.ok(rig.service.creates.length < 100, `${rig.service.creates.length} rows were sent`);
    const sent = rig.service.creates.length;
    await rig.run();
    assert.equal(rig.service.creates.length, sent);
  });

  test('sends no row from the moment it is known, before the pause is written', async () => {
    const rig = await makeRig({ paceMs: 2 });
    for (const row of someRows(5)) rig.service.script(`run-1/${row.row_ref}`, 'refuse');
    await rig.add(someRows(100), policy({ stopLoss: { failurePercent: 10, rows: 5 } }));
    await rig.run();
    assert.equal((await rig.batch()).pause_reason, 'guard_tripped');
    // The failures are known once the units that write them are durable; it takes a tenth of a second until the pause
    // is written.
    assert.ok(rig.service.creates.length < 25, `${rig.service.creates.length} rows were sent`);
  });

  test('allows failures that are far apart, and starts again for a person who resumes', async () => {
    const thin = await makeRig();
    for (let rowNo = 5; rowNo <= 100; rowNo += 10) thin.service.ends(`run-1/ref-${rowNo}`, 'failed');
    await thin.add(someRows(100), policy(stopLoss));
    await thin.run();
    assert.equal((await thin.batch()).status, 'completed');

    // What a program saw before the pause does not count after it: the next rows are seen with none of these.
    const rig = await makeRig({ settleMs: 10, paceMs: 20_000 });
    for (const rowNo of [8, 9, 10]) rig.service.ends(`run-1/ref-${rowNo}`, 'failed');
    await rig.add(someRows(30), policy(stopLoss));
    const program = staying(rig);
    await program.after(10 * minute);
    const batch = await rig.batch();
    assert.deepEqual([batch.status, batch.pause_reason], ['paused', 'guard_tripped']);
    await resume(rig);
    await program.after(20 * minute);
    await program.stop();
    assert.equal((await rig.batch()).status, 'completed');
  });
});

describe('the cost of rows', () => {
  test('pauses the batch if it differs from that of equal rows', async () => {
    const rig = await makeRig({ settleMs: minute });
    const rows = Array.from({ length: 40 }, (_, index) => aRow(index + 1, { amount: '100' }));
    await rig.add(rows, policy({ costDeviationPercent: 10, canary: { rows: 3 } }));
    const program = staying(rig);
    await program.after(2_000);
    for (const payment of rig.service.payments.values()) {
      if (payment.reference === 'run-1/ref-3') payment.cost = { value: '1.2', currency: 'USD' };
    }
    await program.after(10 * minute);
    await program.stop();
    const batch = await rig.batch();
    assert.deepEqual([batch.status, batch.pause_reason], ['paused', 'guard_tripped']);
    assert.match(batch.pause_detail ?? '', /row 3 cost USD 1\.20, and row \d of the same cost USD 1\.00$/);
    const { other_row, ...values } = batch.pause_why?.values ?? {};
    assert.deepEqual(values, { row: '3', cost: '1.2', other_cost: '1', currency: 'USD' });
    assert.match(`${batch.pause_why?.code} ${other_row}`, /^PAUSE_COST [12]$/);
    assert.equal(rig.service.creates.length, 3);
  });

  test('does not pause the batch if equal rows cost nothing', async () => {
    const rig = await makeRig({ paceMs: 1_000 });
    const { create } = rig.service;
    rig.service.create = async (request) => {
      const outcome = await create(request);
      for (const payment of rig.service.payments.values()) payment.cost = { value: '0', currency: 'USD' };
      return outcome;
    };
    const rows = Array.from({ length: 20 }, (_, index) => aRow(index + 1, { amount: '100' }));
    await rig.add(rows, policy({ costDeviationPercent: 10 }));
    await rig.run();
    assert.deepEqual([(await rig.batch()).status, rig.service.charges.length], ['completed', 20]);
  });

  test('pauses the batch if it exceeds the approved sum, in the currency of the approval', async () => {
    const spend = async (currency: string, fields: Record<string, unknown> = {}) => {
      const rig = await makeRig({ paceMs: 200 });
      const approved_plan = JSON.stringify({ sums: { [currency]: '10' }, rows: 200, products: 0, asked: false });
      await rig.add(someRows(200), policy(fields));
      await rig.db.execute('UPDATE batches SET approved_plan = ?', [approved_plan]);
      await rig.run();
      return rig;
    };
    const rig = await spend('USD');
    const batch = await rig.batch();
    assert.deepEqual([batch.status, batch.pause_reason], ['paused', 'guard_tripped']);
    assert.match(batch.pause_detail ?? '', /USD 1\d\.00 were spent, and USD 10\.00 were approved/);
    const { spent, ...values } = batch.pause_why?.values ?? {};
    assert.deepEqual([batch.pause_why?.code, values], ['PAUSE_SPENT', { approved: '10', currency: 'USD', why: '' }]);
    assert.match(spent ?? '', /^1\d$/);
    assert.ok(rig.service.charges.length < 60, `${rig.service.charges.length} rows were sent`);
    assert.equal((await (await spend('KES')).batch()).status, 'completed');
    assert.equal((await (await spend('USD', { spendingPercentMax: null })).batch()).status, 'completed');
  });

  const mary = (rig: Rig) => ({ db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const });
  const approvedFor = (rig: Rig, sum: string, products = 0) => {
    const approved_plan = JSON.stringify({ sums: { USD: sum }, rows: 1, products, asked: false });
    return rig.db.execute('UPDATE batches SET approved_plan = ?', [approved_plan]);
  };

  test('is confirmed by the person who resumes the batch: it may spend as much again, and stops then', async () => {
    const rig = await makeRig({ paceMs: 200 });
    await rig.add(someRows(200), policy({}));
    await approvedFor(rig, '60');
    const sent: number[] = [];
    for (let runs = 0; (await rig.batch()).status !== 'completed'; runs += 1) {
      assert.ok(runs < 4, 'each person who resumed it was stopped at once');
      if (runs > 0) await resume(rig);
      await rig.run();
      sent.push(rig.service.charges.length);
    }
    assert.equal(sent.length, 4, `${sent}`);
    for (const [at, charged] of sent.slice(0, -1).entries())
      assert.ok(charged > 60 * (at + 1) && charged < 85 * (at + 1), `${sent}`);
  });

  test('may be spent only as much again after a person has looked, if products were bought before', async () => {
    const rig = await makeRig({ paceMs: 200 });
    const asked = (rowNo: number) =>
      rowNo <= 60 ? { amount: null, currency: null, product_id: '102' } : { amount: '0.1', currency: 'USD' };
    await rig.add(
      Array.from({ length: 200 }, (_, index) => aRow(index + 1, asked(index + 1))),
      policy({}),
    );
    await approvedFor(rig, '20', 60);
    for (const looks of [1, 2]) {
      if (looks > 1) await resume(rig);
      await rig.run();
      assert.equal((await rig.batch()).pause_reason, 'guard_tripped');
      const spent = rig.service.charges.length - 60;
      assert.ok(spent > 20 * looks && spent < 20 * looks + 25 * looks, `${spent} after ${looks}`);
    }
  });

  test('exceeds the approved sum only beyond what a person has released since', async () => {
    const asked = (rowNo: number, status: 'ready' | 'held') => aRow(rowNo, { amount: '1', currency: 'USD', status });
    const rig = await makeRig({ paceMs: 200 });
    await rig.add(
      Array.from({ length: 100 }, (_, index) => asked(index + 1, index < 50 ? 'ready' : 'held')),
      policy({}),
    );
    await approvedFor(rig, '50');
    await releaseRows(mary(rig), 'batch-1', []);
    await rig.run();
    assert.deepEqual([(await rig.batch()).status, rig.service.charges.length], ['completed', 100]);
  });

  test('does not exceed the approved sum because of products, whose prices an approval does not contain', async () => {
    const asked = (rowNo: number) =>
      rowNo <= 50 ? { amount: null, currency: null, product_id: '102' } : { amount: '1', currency: 'USD' };
    const rig = await makeRig({ paceMs: 200 });
    await rig.add(
      Array.from({ length: 100 }, (_, index) => aRow(index + 1, asked(index + 1))),
      policy({}),
    );
    await approvedFor(rig, '50', 50);
    await rig.run();
    assert.deepEqual([(await rig.batch()).status, rig.service.charges.length], ['completed', 100]);
    const dear = await makeRig({ paceMs: 200 });
    await dear.add(
      Array.from({ length: 100 }, (_, index) =>
        aRow(index + 1, { ...asked(index + 1), amount: index < 50 ? null : '0.5' }),
      ),
      policy({}),
    );
    await approvedFor(dear, '25', 50);
    await dear.run();
    const { pause_detail, pause_why } = await dear.batch();
    assert.match(pause_detail ?? '', /USD \d+\.00 were spent, products not counted, and USD 25\.00 were approved/);
    assert.equal(pause_why?.values.why, 'products');
  });
});

describe('a balance that is too low for the whole batch', () => {
  const rows = [aRow(1, { amount: '150', currency: 'USD' }), aRow(2, { amount: '150', currency: 'USD' })];

  test('prevents its start if the policy says so, and shows what is missing', async () => {
    const rig = await makeRig();
    rig.service.purse.opening = 200;
    await rig.add(rows, policy({ shortBalance: 'pause' }));
    await rig.run();
    const batch = await rig.batch();
    assert.deepEqual([batch.status, batch.pause_reason], ['paused', 'insufficient_balance']);
    assert.match(batch.pause_detail ?? '', /USD 100\.00 are missing for the whole batch; nothing was sent/);
    assert.deepEqual(batch.pause_why, { code: 'PAUSE_SHORT', values: { missing: 'USD 100', others: '' } });
    assert.equal(rig.service.creates.length, 0);
    await resume(rig);
    await rig.run();
    assert.equal(rig.service.charges.length, 2);
  });

  test('also prevents its start if an earlier batch needs the rest of the money', async () => {
    const rig = await makeRig();
    rig.service.purse.opening = 500;
    await rig.add(rows, policy({ shortBalance: 'pause' }));
    const others = rows.map((row) => ({ ...row, phone_number: `+25471299900${row.row_no}` }));
    await rig.add(others, {
      ...policy({ shortBalance: 'pause' }),
      batch_id: 'batch-2',
      run_id: 'run-2',
      created_at: 2_000,
    });
    await rig.run();
    assert.deepEqual([(await rig.batch()).status, (await rig.batch()).pause_detail], ['completed', null]);
    const { status, pause_detail, pause_why } = await rig.batch('batch-2');
    assert.equal(status, 'paused');
    assert.equal(pause_why?.values.others, 'USD 300');
    assert.match(
      pause_detail ?? '',
      /USD 100\.00 are missing for the whole batch \(other batches still need USD 300\.00\)/,
    );
  });

  test('otherwise lets it start and send as far as the money reaches', async () => {
    const rig = await makeRig();
    rig.service.purse.opening = 200;
    await rig.add(rows);
    await rig.run();
    assert.equal(rig.service.charges.length, 2);
  });
});

test('a batch that a person has paused sends nothing, whatever its guards say', async () => {
  const rig = await makeRig({ settleMs: 10 * minute });
  await rig.add(someRows(30), policy({ canary: { rows: 4 } }));
  const program = staying(rig);
  await program.after(minute);
  await pauseBatch({ db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const }, 'batch-1', 'month-end');
  await program.after(60 * minute);
  await program.stop();
  assert.deepEqual([rig.service.creates.length, (await rig.batch()).pause_reason], [4, 'by_person']);
});

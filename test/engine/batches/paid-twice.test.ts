import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseBatch, resumeBatch } from '../../../src/engine/batches/batch-commands.ts';
import { retryFailed } from '../../../src/engine/decisions/retry-failed.ts';
import { openPausesOfAccount } from '../../../src/ledger/batches/pauses.ts';
import { noteSecondPayment } from '../../../src/ledger/reporting/contradictions.ts';
import { inUnit, type Unit } from '../../../src/ledger/unit-of-work.ts';
import { verdictOf } from '../../../src/reports/sentences/verdict.ts';
import { batchSummary } from '../../../src/reports/summary/summary.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';

for (const [service, list] of [
  ['with a list', true],
  ['without a list', false],
] as const)
  test(`a second payment of a row that has not failed halts the account, and both are named (a service ${service})`, async () => {
    const rig = await makeRig({ list, settleMs: 30_000 });
    await rig.add(someRows(1));
    await rig.add(someRows(3), { batch_id: 'batch-2', run_id: 'run-2', created_at: 2 });
    await rig.db.execute(`UPDATE rows SET phone_number = '+25471299900' || row_no WHERE batch_id = 'batch-2'`);
    await rig.db.execute(`UPDATE rows SET next_action_at = ${rig.clock.now() + 120_000} WHERE batch_id = 'batch-2'`);
    const running = rig.runner().run(60_000);
    await rig.clock.drive(rig.clock.sleep(5_000));
    const [first] = [...rig.service.payments.values()].filter(({ reference }) => reference === 'run-1/ref-1');
    assert.ok(first);
    rig.service.payments.set('second', { ...first, key: 'another', topupId: 'second' });
    if (!list) {
      const { lookup } = rig.service;
      rig.service.read = ({ reference }) => lookup(reference);
    }
    await rig.clock.drive(running);
    const { status, second_topup_id, topup_id } = await rig.row(1);
    assert.deepEqual([status, second_topup_id], ['completed', 'second']);
    const { pause_reason, pause_detail } = await rig.batch('batch-2');
    assert.equal(pause_reason, 'service_mismatch');
    assert.match(
      pause_detail ?? '',
      new RegExp(`row 1 of batch batch-1 may have been paid twice, by ${topup_id} and second`),
    );
    assert.deepEqual(await rig.states('batch-2'), ['ready', 'ready', 'ready']);
    const summary = await batchSummary(rig.db, 'batch-1');
    assert.deepEqual(summary.paid_twice, { rows: 1, first: [{ row: 1, topup_id, second_topup_id: 'second' }] });
    const { tone, details } = verdictOf(summary);
    assert.notEqual(tone, 'good');
    assert.match(details.join('\n'), new RegExp(`paid twice: the service has the payments ${topup_id} and second`));
  });

test('a second payment that a person has looked at does not halt the account again when the program is restarted', async () => {
  const rig = await makeRig();
  rig.service.ends('run-1/ref-2', 'open');
  await rig.add(someRows(2));
  const program = async (ms: number) => {
    const staying = rig.runner();
    const running = staying.run(Number.POSITIVE_INFINITY);
    await rig.clock.drive(rig.clock.sleep(ms));
    staying.stop();
    await rig.clock.drive(running);
  };
  await program(1_000);
  const first = [...rig.service.payments.values()].find(({ reference }) => reference === 'run-1/ref-1');
  assert.ok(first);
  rig.service.payments.set('second', { ...first, key: 'another', topupId: 'second' });
  await program(60_000);
  assert.deepEqual(
    [(await rig.row(1)).second_topup_id, (await rig.batch()).pause_reason],
    ['second', 'service_mismatch'],
  );
  await resumeBatch({ ...rig, person: 'mary', through: 'cli' }, 'batch-1');
  await program(60_000);
  assert.equal((await rig.batch()).status, 'running');
});

test('a second payment that a person has looked at does not halt the account again when its batch is read a day later', async () => {
  const hour = 3_600_000;
  const rig = await makeRig({ settings: { idlePollMs: hour, leaseTtlMs: 10 * hour } });
  rig.service.ends('run-1/ref-2', 'open');
  await rig.add(someRows(2));
  const staying = rig.runner({ rereads: true });
  const running = staying.run(Number.POSITIVE_INFINITY);
  await rig.clock.drive(rig.clock.sleep(1_000));
  const first = [...rig.service.payments.values()].find(({ reference }) => reference === 'run-1/ref-1');
  assert.ok(first);
  rig.service.payments.set('second', { ...first, key: 'another', topupId: 'second' });
  await rig.clock.drive(rig.clock.sleep(hour));
  assert.equal((await rig.batch()).pause_reason, 'service_mismatch');
  await resumeBatch({ ...rig, person: 'mary', through: 'cli' }, 'batch-1');
  rig.service.ends('run-1/ref-2', 'completed');
  await rig.clock.drive(rig.clock.sleep(60 * hour));
  staying.stop();
  await rig.clock.drive(running);
  const { status, reread_at } = await rig.batch();
  assert.deepEqual([status, reread_at !== null], ['completed', true]);
  assert.deepEqual(await openPausesOfAccount(rig.db, 'main'), []);
});

for (const [what, ends, reference, second, paid] of [
  ['a second payment of a paid row', 'completed', 'run-1/ref-1', { topupId: 'second' }, { second_topup_id: 'second' }],
  ['that a failed row has arrived', 'failed', 'run-1/ref-1', { state: 'completed' }, { contradicted: 'completed' }],
  ['a payment of a refused row', null, 'run-1/ref-1', { topupId: 'second' }, { contradicted: 'completed' }],
  ['nothing about another service', 'completed', 'run-1/ref-1', { topupId: 'second' }, {}],
] as const)
  test(`the list that is read for other rows shows ${what}, also of a batch that has ended`, async () => {
    const rig = await makeRig();
    if (ends === null) rig.service.script(reference, 'refuse');
    else rig.service.ends(reference, ends);
    await rig.add(someRows(2));
    await rig.run();
    const sample = [...rig.service.payments.values()].find((one) => one.reference === reference);
    const other = sample ?? [...rig.service.payments.values()].find((one) => one.reference !== reference);
    assert.ok(other);
    await addLater(rig, 'batch-2', 2);
    rig.service.ends('batch-2/ref-2', 'open');
    const isHere = Object.keys(paid).length > 0;
    if (!isHere)
      await rig.db.execute(`UPDATE batches SET service = 'https://other.example' WHERE batch_id = 'batch-1'`);
    const staying = rig.runner();
    const running = staying.run(Number.POSITIVE_INFINITY);
    await rig.clock.drive(rig.clock.sleep(1_000));
    const shown = { ...other, key: 'another', reference, serviceStatus: 'completed', createdAt: rig.clock.now() };
    rig.service.ends(reference, 'completed');
    rig.service.payments.set(second.topupId ?? other.topupId, { ...shown, ...second });
    await rig.clock.drive(rig.clock.sleep(60_000));
    staying.stop();
    await rig.clock.drive(running);
    const { second_topup_id, contradicted } = await rig.row(1);
    assert.deepEqual({ second_topup_id, contradicted }, { second_topup_id: null, contradicted: null, ...paid });
    const isPaidTwice = second_topup_id !== null;
    assert.equal((await rig.batch('batch-2')).pause_reason, isPaidTwice ? 'service_mismatch' : null);
    const noted = await rig.db.values("SELECT 1 FROM events WHERE kind = 'row.contradicted'");
    assert.equal(noted.length, isHere ? 1 : 0);
  });

for (const end of ['completed', 'failed'] as const)
  test(`an earlier payment that the list shows as completed while the next one is in doubt counts once that has ${end}`, async () => {
    const rig = await makeRig();
    rig.service.ends('run-1/ref-1', 'failed');
    rig.service.ends('run-1/ref-2', 'open');
    rig.service.ends('run-1/ref-1~2', end);
    rig.service.script('run-1/ref-1~2', 'lose_answer');
    await rig.add(someRows(2));
    const staying = rig.runner();
    const running = staying.run(Number.POSITIVE_INFINITY);
    await rig.clock.drive(rig.clock.sleep(20_000));
    const first = [...rig.service.payments.values()].find(({ reference }) => reference === 'run-1/ref-1');
    assert.deepEqual(await rig.states(), ['failed', 'accepted']);
    const mary = { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const };
    const asked = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
    await rig.clock.drive(retryFailed(mary, asked, 'batch-1', { codes: [] }));
    staying.nudge();
    await rig.clock.drive(rig.clock.sleep(10_000));
    assert.deepEqual(await rig.states(), ['in_doubt', 'accepted']);
    // The list shows this for as long as row 2 is followed.
    rig.service.ends('run-1/ref-1', 'completed');
    await rig.clock.drive(rig.clock.sleep(40_000));
    rig.service.ends('run-1/ref-2', 'completed');
    await rig.clock.drive(rig.clock.sleep(20_000));
    assert.deepEqual(await rig.states(), ['in_doubt', 'completed']);
    await rig.clock.drive(rig.clock.sleep(600_000));
    staying.stop();
    await rig.clock.drive(running);
    const { status, second_topup_id, contradicted_by } = await rig.row(1);
    const isPaid = end === 'completed';
    assert.deepEqual(
      [status, second_topup_id, contradicted_by],
      isPaid ? [end, first?.topupId, null] : [end, null, first?.topupId],
    );
    assert.equal((await openPausesOfAccount(rig.db, 'main')).length, isPaid ? 1 : 0);
  });

/** A runner that stays, with two rows: the first has failed, the second is still open. */
async function firstFailed() {
  const rig = await makeRig();
  rig.service.ends('run-1/ref-1', 'failed');
  rig.service.ends('run-1/ref-2', 'open');
  await rig.add(someRows(2));
  const staying = rig.runner();
  const running = staying.run(Number.POSITIVE_INFINITY);
  await rig.clock.drive(rig.clock.sleep(20_000));
  return { rig, staying, running };
}

for (const status of ['ready', 'held', 'skipped', 'cancelled'] as const)
  test(`an earlier payment that the list shows as completed counts as one of a row that is ${status} by now`, async () => {
    const { rig, staying, running } = await firstFailed();
    const first = [...rig.service.payments.values()].find(({ reference }) => reference === 'run-1/ref-1');
    // A ready row has its turn later.
    await rig.db.execute(
      'UPDATE rows SET status = ?, generation = 2, topup_id = NULL, next_action_at = ? WHERE row_no = 1',
      [status, rig.clock.now() + 3_600_000],
    );
    rig.service.ends('run-1/ref-1', 'completed');
    await rig.clock.drive(rig.clock.sleep(60_000));
    staying.stop();
    await rig.clock.drive(running);
    const row = await rig.row(1);
    const isHeld = status === 'held' || status === 'ready';
    assert.deepEqual([row.status, row.contradicted], [isHeld ? 'held' : status, 'completed']);
    assert.equal(row.contradicted_by, status === 'ready' ? null : first?.topupId);
    assert.equal(/MAY_BE_PAID/.test(row.problems ?? ''), isHeld);
    const kind = status === 'ready' ? 'row.hold' : 'row.contradicted';
    const noted = await rig.db.values('SELECT 1 FROM events WHERE kind = ?', [kind]);
    assert.equal(noted.length, 1, 'once, however often it is listed');
    assert.equal(rig.warnings.filter((text) => text.includes('contradicts')).length, 1);
  });

test('a retried row is not sent once the list has shown its first payment as completed, though its look-up lags', async () => {
  const { rig, staying, running } = await firstFailed();
  const mary = { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const };
  const { lookup } = rig.service;
  const asked = { gateway: { ...rig.service, lookup }, limiter: makeOpenLimiter(rig.clock) };
  // The runner may begin with the row before the person's command has ended.
  rig.service.lookup = async (reference) => {
    const outcome = await lookup(reference);
    if (reference !== 'run-1/ref-1') return outcome;
    // The answer is half a minute under way.
    rig.service.ends('run-1/ref-1', 'completed');
    await rig.clock.sleep(30_000);
    return outcome;
  };
  await rig.clock.drive(retryFailed(mary, asked, 'batch-1', { codes: [] }));
  staying.nudge();
  await rig.clock.drive(rig.clock.sleep(60_000));
  staying.stop();
  await rig.clock.drive(running);
  assert.deepEqual([await rig.states(), rig.service.charges.length], [['held', 'accepted'], 2]);
});

for (const [what, ended] of [
  ['once', false],
  ['not at all if its batch has ended', true],
] as const)
  test(`a row that a person ended against the service, and that the list shows each time, is reported ${what}`, async () => {
    const rig = await makeRig();
    if (!ended) rig.service.ends('run-1/ref-2', 'open');
    await rig.add(someRows(2));
    const staying = rig.runner();
    const running = staying.run(Number.POSITIVE_INFINITY);
    await rig.clock.drive(rig.clock.sleep(10_000));
    await rig.db.execute("UPDATE rows SET status = 'failed', failure_code = 'RESOLVED_NOT_PAID' WHERE row_no = 1");
    if (ended) {
      await addLater(rig, 'batch-2', 1);
      rig.service.ends('batch-2/ref-1', 'open');
      staying.nudge();
      await rig.clock.drive(rig.clock.sleep(5_000));
      for (const payment of rig.service.payments.values()) payment.createdAt = rig.clock.now();
    }
    await rig.clock.drive(rig.clock.sleep(60_000));
    staying.stop();
    await rig.clock.drive(running);
    const { service_status, contradicted } = await rig.row(1);
    assert.deepEqual([service_status, contradicted, rig.service.lists.length > 2], ['completed', null, true]);
    const noted = await rig.db.values("SELECT 1 FROM events WHERE kind = 'row.contradicted'");
    assert.equal(noted.length, ended ? 0 : 1);
  });

/**
 * Batch 1 has ended, and a second payment of its first row is seen when it is read again a day later: no batch is open
 * then.
 */
async function seenLate() {
  const hour = 3_600_000;
  const rig = await makeRig({ settings: { idlePollMs: hour, leaseTtlMs: 10 * hour } });
  await rig.add(someRows(1));
  await rig.run();
  const first = [...rig.service.payments.values()].find(({ reference }) => reference === 'run-1/ref-1');
  assert.ok(first);
  rig.service.payments.set('second', { ...first, key: 'another', topupId: 'second' });
  const staying = rig.runner({ rereads: true });
  const running = staying.run(Number.POSITIVE_INFINITY);
  await rig.clock.drive(rig.clock.sleep(30 * hour));
  staying.stop();
  await rig.clock.drive(running);
  assert.equal((await rig.row(1)).second_topup_id, 'second');
  return rig;
}

/** A batch that pays `count` people whom no other batch pays. */
async function addLater(rig: Rig, name: string, count: number): Promise<void> {
  const rows = someRows(count).map((row) => ({
    ...row,
    phone_number: `+2547${name.length}12${name.slice(-1)}990${row.row_no}`,
  }));
  await rig.add(rows, { batch_id: name, run_id: name, created_at: rig.clock.now() });
}

test('a second payment that is found while no batch is open halts the account until a person resumes the next one', async () => {
  const rig = await seenLate();
  await addLater(rig, 'batch-2', 2);
  await rig.run();
  const { status, pause_reason, pause_detail, pause_why } = await rig.batch('batch-2');
  assert.deepEqual([status, pause_reason], ['paused', 'service_mismatch']);
  assert.match(pause_detail ?? '', /row 1 of batch batch-1 may have been paid twice, by .+ and second/);
  const values = { row: '1', batch: 'batch-1', topup_id: 'second' };
  assert.deepEqual(pause_why, { code: 'PAUSE_PAID_TWICE', values }, 'also after the halt was read from the ledger');
  assert.deepEqual(await rig.states('batch-2'), ['ready', 'ready']);

  await addLater(rig, 'batch-3', 1);
  await rig.run();
  assert.equal((await rig.batch('batch-3')).pause_reason, 'service_mismatch', 'nobody has looked yet');

  await resumeBatch({ ...rig, person: 'mary', through: 'cli' }, 'batch-2');
  await addLater(rig, 'batch-4', 1);
  await rig.run();
  assert.deepEqual(await rig.states('batch-2'), ['completed', 'completed']);
  assert.deepEqual(await rig.states('batch-4'), ['completed']);
  assert.deepEqual(await rig.states('batch-3'), ['ready'], 'each paused batch is resumed by itself');
});

for (const by of ['the list', 'another program'] as const)
  test(`a second reason to halt the account, found by ${by}, is shown, too: the person who resumes sees both`, async () => {
    const rig = await makeRig();
    rig.service.ends('run-1/ref-3', 'open');
    await rig.add(someRows(3));
    const staying = rig.runner();
    const running = staying.run(Number.POSITIVE_INFINITY);
    await rig.clock.drive(rig.clock.sleep(10_000));
    const details: (string | null)[] = [];
    // Rows arrive in any order.
    const paid = Map.groupBy(rig.service.payments.values(), ({ reference }) => reference);
    for (const at of [0, 1]) {
      const [payment] = paid.get(`run-1/ref-${at + 1}`) ?? [];
      assert.ok(payment);
      const second = { ...payment, key: `${at}`, topupId: `again-${at + 1}`, serviceStatus: 'completed' };
      const row = await rig.row(at + 1);
      const note = (unit: Unit) => noteSecondPayment(unit, row, second);
      if (at === 0 || by === 'the list') rig.service.payments.set(second.topupId, second);
      else await inUnit(rig.db, { clock: rig.clock, actor: 'reconcile' }, note);
      await rig.clock.drive(rig.clock.sleep(700_000));
      details.push((await rig.batch()).pause_detail);
    }
    staying.stop();
    await rig.clock.drive(running);
    for (const [at, detail] of details.entries())
      assert.match(detail ?? '', new RegExp(`row ${at + 1} of batch batch-1 .*, by .+ and again-${at + 1}$`));
    const pauses = await rig.db.values("SELECT seq FROM events WHERE kind = 'batch.pause'");
    assert.equal(pauses.length, 2, 'people are notified of both, and once of each');
  });

test('resuming a batch that is paused for another reason does not end the halt', async () => {
  const rig = await seenLate();
  await addLater(rig, 'batch-2', 1);
  await pauseBatch({ ...rig, person: 'mary', through: 'cli' }, 'batch-2', 'not today');
  await resumeBatch({ ...rig, person: 'mary', through: 'cli' }, 'batch-2');
  await rig.run();
  assert.equal((await rig.batch('batch-2')).pause_reason, 'service_mismatch');
  assert.deepEqual(await rig.states('batch-2'), ['ready']);
});

/**
 * Row 1 fails; later the service shows `live` as completed: its own payment ("own") or others, each when it is read
 * again.
 */
async function failedAndLive(live: readonly string[], list: boolean) {
  const hour = 3_600_000;
  const rig = await makeRig({ list, settings: { idlePollMs: hour, leaseTtlMs: 10 * hour } });
  rig.service.ends('run-1/ref-1', 'failed');
  await rig.add(someRows(1));
  await rig.run();
  const [own] = [...rig.service.payments.values()];
  assert.ok(own);
  const arrive = () => {
    rig.service.ends('run-1/ref-1', 'completed');
    rig.service.payments.clear();
    for (const name of live)
      rig.service.payments.set(
        name === 'own' ? own.topupId : name,
        name === 'own' ? own : { ...own, key: name, topupId: name },
      );
  };
  const read = async () => {
    await rig.db.execute('UPDATE batches SET reread_at = NULL');
    const staying = rig.runner({ rereads: true });
    const running = staying.run(Number.POSITIVE_INFINITY);
    await rig.clock.drive(rig.clock.sleep(30 * hour));
    staying.stop();
    await rig.clock.drive(running);
  };
  arrive();
  await read();
  return { rig, own: own.topupId, read };
}

for (const list of [true, false])
  for (const live of [
    ['own', 'second'],
    ['second', 'own'],
    ['second', 'third'],
  ])
    test(`a failed row with two payments that arrived later is paid twice: ${live.join(', ')}, ${list ? 'with' : 'without'} a list`, async () => {
      const { rig, own, read } = await failedAndLive(live, list);
      const { status, topup_id, contradicted, second_topup_id } = await rig.row(1);
      assert.deepEqual([status, topup_id, contradicted], ['failed', own, 'completed']);
      assert.ok(second_topup_id !== null && live.includes(second_topup_id), `${second_topup_id}`);
      const summary = await batchSummary(rig.db, 'batch-1');
      assert.equal(summary.paid_twice?.rows, 1);
      const events = await lateEvents(rig);
      await read();
      assert.equal(await lateEvents(rig), events, 'what is known is noted once');
      await addLater(rig, 'batch-2', 2);
      await rig.run();
      assert.equal((await rig.batch('batch-2')).pause_reason, 'service_mismatch');
      assert.deepEqual(await rig.states('batch-2'), ['ready', 'ready']);
    });

async function lateEvents(rig: Rig): Promise<number> {
  const events = await rig.db.query(`SELECT 1 FROM events WHERE kind IN ('row.contradicted', 'row.changed_late')`);
  return events.length;
}

for (const list of [true, false])
  test(`a failed row with one payment that arrived later is not paid twice (${list ? 'with' : 'without'} a list)`, async () => {
    for (const live of [['own'], ['second']]) {
      const { rig, read } = await failedAndLive(live, list);
      await read();
      assert.deepEqual([(await rig.row(1)).contradicted, (await rig.row(1)).second_topup_id], ['completed', null]);
      await addLater(rig, 'batch-2', 2);
      await rig.run();
      assert.deepEqual(await rig.states('batch-2'), ['completed', 'completed']);
    }
  });

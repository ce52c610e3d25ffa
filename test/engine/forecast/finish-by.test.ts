import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RateOutlook } from '../../../src/core/time/rate-outlook.ts';
import { reorderBatch } from '../../../src/engine/batches/reorder.ts';
import { boostNeeded, forecast } from '../../../src/engine/forecast/forecast.ts';
import type { Sending } from '../../../src/engine/forecast/sending.ts';
import { endingMs, sendingOrder } from '../../../src/engine/forecast/sending-order.ts';
import { storedPace } from '../../../src/ledger/accounts/pace.ts';
import type { Priority } from '../../../src/ledger/batches/batches.ts';
import type { Limiter } from '../../../src/limiter/limiter.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { aRow, idlePace } from '../../support/ledger.ts';
import { idleUsage, makeOpenLimiter } from '../../support/open-limiter.ts';

const second = 1_000;
const minute = 60 * second;
const now = Date.UTC(2026, 10, 20, 9);

/** One creation a second, for ever. */
const aSecondEach: RateOutlook = { ...idleUsage.outlook, left: 0, evenly: true, nextAt: now, until: now };
const pace = { ...idlePace, outlook: aSecondEach };

/** Batches as "name priority rows", with "by" so many minutes from now, and "!" where they are pressed. */
function line(...texts: string[]): Sending[] {
  return texts.map((text) => {
    const [, batch = '', priority = '', rows, by, pressed] =
      /^(\S+) (\S+) (\d+)(?: by (-?\d+))?( !)?$/.exec(text) ?? [];
    return {
      batch,
      priority: priority as Priority,
      finish_by: by === undefined ? null : now + Number(by) * minute,
      boosted_at: pressed ? now : null,
      ready: Number(rows),
      firstAlone: false,
    };
  });
}

describe('the batches of an account are sent', () => {
  const inOrder = line(
    'small urgent 5',
    'hurried normal 5 by 60 !',
    'calmer normal 5 by 90 !',
    'promo bulk 5 by 10 !',
    'plain normal 5',
    'last bulk 5',
  );
  test('urgent ones first, then boosted ones by priority and time, then the others by priority', () => {
    assert.deepEqual(inOrder.toReversed().sort(sendingOrder), inOrder);
  });

  test('in turns if they are equal', () => {
    for (const [one, other] of [
      ['a urgent 5 by 10 !', 'b urgent 5'],
      ['a normal 5 by 10 !', 'b normal 9 by 10 !'],
      ['a normal 5 by 10', 'b normal 5'],
      ['a bulk 5', 'b bulk 5 by 99'],
    ] as const) {
      const [a, b] = line(one, other);
      assert.ok(a && b);
      assert.equal(sendingOrder(a, b), 0, `${one}, ${other}`);
    }
  });
});

describe('a batch is sent first to meet its deadline', () => {
  for (const [what, texts, pressed] of [
    ['not while it needs less than four fifths of the time that is left', ['a bulk 400 by 9', 'b normal 900'], []],
    ['once it needs more', ['a bulk 410 by 9', 'b normal 900'], ['a']],
    ['when it is late', ['a bulk 1 by -5', 'b normal 900'], ['a']],
    ['when what goes before it then would make it late', ['a bulk 200 by 9', 'b normal 300 by 60'], ['a']],
    ['with what is urgent before it', ['a normal 200 by 9', 'b urgent 300'], ['a']],
    ['whatever comes behind it then', ['a normal 200 by 9', 'b bulk 300 by 9'], ['b']],
    ['with its like, which are to be done by the same time', ['a bulk 210 by 9', 'b bulk 210 by 9'], ['a', 'b']],
    ['never where it is urgent: nothing goes before it', ['a urgent 900 by 9', 'b normal 5'], []],
    ['once: one that does is not told of again', ['a bulk 500 by 9 !', 'b normal 900'], []],
  ] as [string, string[], string[]][])
    test(what, () => {
      assert.deepEqual(boostNeeded(line(...texts), pace, now), pressed);
    });

  test('but not by an unknown pace, while the service cannot be reached', () => {
    assert.deepEqual(
      boostNeeded(line('a bulk 500 by 9'), { ...pace, gate: { throttle: null, unreachableSince: now } }, now),
      [],
    );
  });
});

describe('a forecast of the last row of each batch', () => {
  const sentAfter = (...texts: string[]) =>
    Object.fromEntries(
      [...forecast(line(...texts), pace, now)].map(([batch, { sentMs }]) => [batch, Math.round(sentMs / second)]),
    );

  test('follows the order and the turns of the batches', () => {
    const sent = sentAfter('a urgent 20', 'b normal 30', 'c normal 300', 'd bulk 70');
    assert.deepEqual(sent, { a: 19, b: 79, c: 349, d: 419 });
  });

  test('includes batches that will be boosted on the way', () => {
    // It is lifted once 300 rows take more than four fifths of what is left: 405 s before its time.
    const texts = ['promo bulk 300 by 10', 'payroll normal 2000'];
    assert.deepEqual(sentAfter(...texts), { promo: 496, payroll: 2_299 });
    assert.equal(forecast(line(...texts), pace, now).get('promo')?.boostedMs, 196 * second);
  });

  test('is fast for thousands of files, with one deadline, and with one for each', () => {
    const one = Array.from({ length: 3_000 }, (_, index) => `f${index} normal ${1 + (index % 50)} by 600`);
    const own = Array.from({ length: 4_000 }, (_, index) => `f${index} normal ${10 + index} by ${600_000 + index}`);
    for (const many of [one, own]) {
      const begun = process.cpuUsage();
      assert.equal(forecast(line(...many, 'big normal 90000'), pace, now).size, many.length + 1);
      // What it takes itself: what others do on the machine meanwhile is not counted.
      const { user, system } = process.cpuUsage(begun);
      assert.ok(user + system < 2_000_000, `${user + system} µs`);
    }
  });
});

/** An engine that sends one row a second, and knows it. */
async function steadyRig() {
  const rig = await makeRig({ settings: { idlePollMs: second, leaseTtlMs: 15 * second } });
  const start = () => {
    const open = makeOpenLimiter(rig.clock, { paceMs: second });
    const outlook = () => ({ ...aSecondEach, nextAt: rig.clock.now(), until: rig.clock.now() });
    const limiter: Limiter = { ...open, usage: () => ({ ...idleUsage, outlook: outlook() }) };
    const runner = rig.runner({ limiter });
    const running = runner.run(Number.POSITIVE_INFINITY);
    return async () => {
      runner.stop();
      await rig.clock.drive(running);
    };
  };
  const after = (ms: number) => rig.clock.drive(rig.clock.sleep(ms));
  return { ...rig, start, after };
}

type Add = [id: string, priority: Priority, rows: number, byMinutes?: number];

async function add(rig: Rig, [id, priority, count, byMinutes]: Add, digit: number): Promise<void> {
  const rows = someRows(count).map((row) => ({ ...row, phone_number: `+2547${digit}${1_000_000 + row.row_no}` }));
  const finish_by = byMinutes === undefined ? null : rig.clock.now() + byMinutes * minute;
  await rig.add(rows, { batch_id: id, run_id: id, priority, finish_by });
}

/** How many rows of a run were sent, and in which second after `from` the first and the last of them. */
function sentOf({ service }: Rig, runId: string, from: number) {
  const own = service.creates.filter(({ reference }) => reference.startsWith(`${runId}/`));
  const times = own.map(({ at }) => Math.round((at - from) / second));
  return { rows: own.length, first: times[0] ?? null, last: times.at(-1) ?? null };
}

describe('a batch with a deadline', () => {
  test('is sent after the others as long as possible, then first, and is done in time without starving them', async () => {
    const rig = await steadyRig();
    await add(rig, ['payroll', 'normal', 600], 1);
    await add(rig, ['promo', 'bulk', 120, 5], 2);
    const from = rig.clock.now();
    const stop = rig.start();
    await rig.after(15 * minute);
    const promo = sentOf(rig, 'promo', from);
    assert.equal(promo.rows, 120);
    // 120 rows are four fifths of 150 s, which with the 30 of the last rows' ends begin 180 s before the time.
    assert.ok(promo.first !== null && promo.first >= 118 && promo.first <= 125, `${promo.first}`);
    assert.ok(promo.last !== null && promo.last - promo.first <= 121, `${promo.last}`);
    const { status, completed_at, finish_by } = await rig.batch('promo');
    assert.equal(status, 'completed');
    assert.ok((completed_at ?? 0) < (finish_by ?? 0));
    const payroll = sentOf(rig, 'payroll', from);
    assert.deepEqual([payroll.rows, payroll.first], [600, 0]);
    await stop();
  });

  test('takes its normal turn if it is done in time that way', async () => {
    const rig = await steadyRig();
    await add(rig, ['payroll', 'normal', 60], 1);
    await add(rig, ['promo', 'bulk', 30, 60], 2);
    const from = rig.clock.now();
    const stop = rig.start();
    await rig.after(3 * minute);
    const [payroll, promo] = [sentOf(rig, 'payroll', from), sentOf(rig, 'promo', from)];
    assert.ok((promo.first ?? 0) > (payroll.last ?? 0));
    assert.equal((await rig.batch('promo')).boosted_at, null);
    await stop();
  });

  test('is sent before another with a later deadline, and both are in time', async () => {
    const rig = await steadyRig();
    await add(rig, ['later', 'normal', 200, 9], 1);
    await add(rig, ['sooner', 'normal', 200, 5], 2);
    await add(rig, ['plain', 'normal', 500], 3);
    const stop = rig.start();
    await rig.after(10 * minute);
    for (const id of ['later', 'sooner']) {
      const { completed_at, finish_by } = await rig.batch(id);
      assert.ok((completed_at ?? Infinity) < (finish_by ?? 0), id);
    }
    await stop();
  });

  test('does not delay a few urgent rows, however late it is', async () => {
    const rig = await steadyRig();
    await add(rig, ['late', 'normal', 600, 1], 1);
    const stop = rig.start();
    await rig.after(2 * minute);
    assert.notEqual((await rig.batch('late')).boosted_at, null);
    const rows = [1, 2, 3].map((rowNo) => aRow(rowNo, { phone_number: `+25475${1_000_000 + rowNo}` }));
    await rig.add(rows, { batch_id: 'urgent', run_id: 'urgent', priority: 'urgent' });
    const from = rig.clock.now();
    await rig.after(6 * second);
    const urgent = sentOf(rig, 'urgent', from);
    assert.deepEqual([urgent.rows, (urgent.last ?? 99) <= 5], [3, true], JSON.stringify(urgent));
    await stop();
  });

  test('stays boosted after a restart, though the rest would be done in time behind the others', async () => {
    const rig = await steadyRig();
    await add(rig, ['payroll', 'normal', 900], 1);
    await add(rig, ['promo', 'bulk', 120, 5], 2);
    const from = rig.clock.now();
    const stop = rig.start();
    await rig.after(220 * second);
    const before = sentOf(rig, 'promo', from).rows;
    assert.ok(before > 60 && before < 120, `${before}`);
    await stop();
    const again = rig.clock.now();
    const stopAgain = rig.start();
    await rig.after(70 * second);
    const after = rig.service.creates.filter(({ at }) => at > again).map(({ reference }) => reference.split('/')[0]);
    assert.equal(sentOf(rig, 'promo', from).rows, 120);
    assert.ok(after.includes('payroll'));
    assert.ok(!after.slice(0, after.lastIndexOf('promo')).includes('payroll'), after.join());
    await stopAgain();
  });

  test('moves to the place that a person gives it within a second or so, while it is sent', async () => {
    const rig = await steadyRig();
    await add(rig, ['payroll', 'normal', 600], 1);
    await add(rig, ['promo', 'bulk', 60], 2);
    const stop = rig.start();
    await rig.after(20 * second);
    const { db, clock } = rig;
    const ann = { db, clock, person: 'ann', through: 'cli' as const };
    const sent = async () => {
      const from = clock.now();
      await rig.after(12 * second);
      const latest = rig.service.creates.filter(({ at }) => at > from + 2 * second);
      return new Set(latest.map(({ reference }) => reference.split('/')[0]));
    };
    await reorderBatch(ann, 'promo', { finishBy: clock.now() + minute });
    assert.deepEqual(await sent(), new Set(['promo']));
    assert.notEqual((await rig.batch('promo')).boosted_at, null);
    await reorderBatch(ann, 'promo', { finishBy: null });
    assert.deepEqual(await sent(), new Set(['payroll']));
    await reorderBatch(ann, 'promo', { priority: 'urgent' });
    assert.deepEqual(await sent(), new Set(['promo']));
    await stop();
  });

  test('is recorded as late as long as the forecast says so', async () => {
    const rig = await steadyRig();
    await add(rig, ['late', 'normal', 600, 5], 1);
    await add(rig, ['fine', 'bulk', 10, 60], 2);
    const stop = rig.start();
    await rig.after(10 * second);
    const late = async () => (await storedPace(rig.db, 'main', rig.clock.now()))?.late ?? {};
    assert.deepEqual(Object.keys(await late()), ['late']);
    const { since, doneAt } = (await late()).late ?? { since: 0, doneAt: 0 };
    await rig.after(60 * second);
    assert.equal((await late()).late?.since, since);
    const { finish_by } = await rig.batch('late');
    assert.ok(Math.abs(doneAt - ((finish_by ?? 0) - 5 * minute + 600 * second + endingMs)) < 10 * second);
    await rig.db.execute(`UPDATE batches SET finish_by = finish_by + 3600000 WHERE batch_id = 'late'`);
    await rig.after(13 * second);
    assert.deepEqual(await late(), {});
    await stop();
  });
});

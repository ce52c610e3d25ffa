import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { makePicker } from '../../../src/engine/runner/picker.ts';
import { type BatchRecord, findBatch } from '../../../src/ledger/batches/batches.ts';
import type { NewRow, RowRecord } from '../../../src/ledger/rows/rows.ts';
import { inUnit, type Unit } from '../../../src/ledger/unit-of-work.ts';
import { aBatch, addBatch, aRow, memoryLedger } from '../../support/ledger.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const apartMs = 65_000;
const phone_number = '+254712000001';

/** A picker of one running batch; `turns` takes so many times what is due, a spacing apart. */
async function setUp(
  rows: readonly NewRow[],
  rowsAlone?: ReadonlyMap<string, number>,
  lastSendTimeTo: () => Promise<number> = async () => 0,
) {
  const clock = makeVirtualClock();
  const db = await memoryLedger();
  await addBatch(db, clock, aBatch(), rows);
  const batch: BatchRecord = { ...((await findBatch(db, 'batch-1')) as BatchRecord), status: 'running' };
  const picker = makePicker(db, clock, { sameNumberSpacingMs: apartMs, lastSendTimeTo });
  picker.setBatches([batch], rowsAlone);
  const take = async (count = 10) => (await picker.take(count)).map(({ row_no }) => row_no);
  const turns = async (count: number) => {
    const taken: number[][] = [];
    for (let turn = 0; turn < count; turn++) {
      await clock.drive(clock.sleep(apartMs));
      taken.push(await take());
    }
    return taken;
  };
  return { clock, db, batch, picker, take, turns };
}

type Place = Awaited<ReturnType<typeof setUp>>;

const toOneNumber = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => aRow(from + index, { phone_number }));

const readAgain: readonly [string, (place: Place) => unknown][] = [
  ['its batch goes on after a pause', ({ picker, batch }) => [picker.setBatches([]), picker.setBatches([batch])]],
  ['all is read again', ({ picker }) => picker.rescan()],
];

describe('the picker', () => {
  test('says that more rows can be sent while rows are being taken, without waiting for their turn', async () => {
    const compared = Promise.withResolvers<number>();
    const { picker } = await setUp([aRow(1), aRow(2)], undefined, () => compared.promise);
    assert.equal(await picker.available(1), 1);
    const taking = picker.take(1);
    const available = picker.available(1);
    assert.equal(await Promise.race([available, turn('it waits')]), 1);
    compared.resolve(0);
    assert.equal((await taking).length, 1);
  });

  test('spaces rows to one number, in file order, with others between them', async () => {
    const { clock, picker, take, turns } = await setUp([...toOneNumber(1, 4), aRow(5), aRow(6)]);
    assert.deepEqual(await take(), [1, 5, 6]);
    assert.equal(picker.nextAt(), clock.now() + apartMs);
    assert.deepEqual(await turns(4), [[2], [3], [4], []]);
    assert.equal(picker.nextAt(), null);
  });

  for (const [what, again] of readAgain)
    test(`takes a row once if ${what} while it is compared with what was sent to its number`, async () => {
      const asked = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<number>();
      const place = await setUp([aRow(1, { phone_number })], undefined, () => {
        asked.resolve();
        return answered.promise;
      });
      const first = place.take();
      await asked.promise;
      again(place);
      answered.resolve(place.clock.now());
      assert.deepEqual([await first, await place.take()], [[], []]);
      await place.clock.drive(place.clock.sleep(apartMs));
      const [row] = await place.picker.take(1);
      assert.ok(row);
      // It was refused, and waits for a day.
      place.picker.putBack(row, place.clock.now() + 86_400_000);
      assert.deepEqual(await place.turns(3), [[], [], []]);
    });

  for (const [what, again] of readAgain)
    test(`takes a row once if ${what}, and it is returned before it is read`, async () => {
      const place = await setUp([aRow(1)]);
      const { db, clock, picker, turns } = place;
      const [row] = await picker.take(1);
      assert.ok(row);
      again(place);
      // It was refused, and waits for a day.
      const at = clock.now() + 86_400_000;
      await db.execute('UPDATE rows SET next_action_at = ?', [at]);
      picker.putBack(row, at);
      assert.deepEqual(await turns(3), [[], [], []]);
      await clock.drive(clock.sleep(86_400_000));
      const later = await picker.take(1);
      assert.equal(later[0]?.row_no, 1);
      await db.execute(`UPDATE rows SET status = 'completed'`);
      picker.settled(later);
      assert.deepEqual(await turns(2), [[], []]);
    });

  test('counts the spacing from the time a row is sent, which may be long after it was picked', async () => {
    const { clock, picker, take } = await setUp(toOneNumber(1, 2));
    const [first] = await picker.take(1);
    assert.ok(first);
    await clock.drive(clock.sleep(40_000));
    picker.sending(first);
    await clock.drive(clock.sleep(apartMs - 1));
    assert.deepEqual(await take(), []);
    await clock.drive(clock.sleep(1));
    assert.deepEqual(await take(), [2]);
  });

  test('counts a single row of those to one number as due, however many wait', async () => {
    const { clock, picker, take } = await setUp(toOneNumber(1, 1_000));
    assert.deepEqual(await take(), [1]);
    await clock.drive(clock.sleep(apartMs));
    assert.equal(await picker.available(100), 1);
  });

  test('passes over a row that was skipped while it waited', async () => {
    const { db, take, turns } = await setUp(toOneNumber(1, 5));
    assert.deepEqual(await take(), [1]);
    await db.execute(`UPDATE rows SET status = 'skipped' WHERE row_no IN (3, 4)`);
    assert.deepEqual(await turns(3), [[2], [5], []]);
  });

  test('picks another of the first rows if one was skipped while it waited', async () => {
    const { db, take, turns } = await setUp([...toOneNumber(1, 3), aRow(4), aRow(5)], new Map([['batch-1', 3]]));
    assert.deepEqual(await take(), [1]);
    await db.execute(`UPDATE rows SET status = 'skipped' WHERE row_no = 3`);
    assert.deepEqual(await turns(2), [[2, 4], []]);
  });

  test('picks a row in doubt before those that were never sent', async () => {
    const { clock, picker, take, turns } = await setUp(toOneNumber(1, 3));
    const [first] = await picker.take(1);
    assert.deepEqual(await take(), []);
    picker.putBack({ ...(first as RowRecord), status: 'in_doubt' }, clock.now());
    // Its number was sent to a moment ago, so that it waits as well.
    assert.deepEqual(await take(), []);
    assert.deepEqual(await turns(4), [[1], [2], [3], []]);
  });

  test('picks rows in doubt after all others if asked to, and otherwise before', async () => {
    const { clock, picker } = await setUp([1, 2, 3, 4].map((row) => aRow(row)));
    const taken = await picker.take(2);
    const [first, second] = taken as [RowRecord, RowRecord];
    await clock.drive(clock.sleep(apartMs));
    picker.putBack({ ...first, status: 'in_doubt' }, clock.now());
    picker.putBack(second, clock.now());
    const rowNos = async (doubtsLast: boolean) => (await picker.take(1, doubtsLast)).map(({ row_no }) => row_no);
    assert.deepEqual([await rowNos(true), await rowNos(true), await rowNos(false)], [[2], [3], [1]]);
    assert.deepEqual([await rowNos(true), await rowNos(true)], [[4], []]);
  });

  for (const [what, again] of readAgain)
    test(`picks each row once, in file order, if ${what}`, async () => {
      const place = await setUp(toOneNumber(1, 5));
      assert.deepEqual([await place.take(), await place.turns(1)], [[1], [[2]]]);
      await place.db.execute(`UPDATE rows SET status = 'completed' WHERE row_no <= 2`);
      again(place);
      assert.deepEqual(await place.take(), []);
      assert.deepEqual(await place.turns(4), [[3], [4], [5], []]);
    });

  test('picks a row in flight for nobody else, even after everything is read again, until it is returned or settled', async () => {
    const { clock, picker, take } = await setUp([aRow(1), aRow(2)]);
    const taken = await picker.take(2);
    picker.rescan();
    assert.deepEqual(await take(), []);
    picker.putBack(taken[0] as RowRecord, clock.now() + apartMs);
    assert.deepEqual(await take(), []);
    await clock.drive(clock.sleep(apartMs));
    const again = await picker.take(10);
    assert.deepEqual(
      again.map(({ row_no }) => row_no),
      [1],
    );
    picker.settled([...taken, ...again]);
    await clock.drive(clock.sleep(apartMs));
    picker.rescan();
    // A batch that was paused meanwhile goes on: what is still ready then is given out again.
    assert.deepEqual(await take(), [1, 2]);
  });

  test('picks a row that was returned and picked again for nobody else when its first owner settles its rows', async () => {
    const { clock, picker, take } = await setUp([aRow(1), aRow(2)]);
    const taken = await picker.take(2);
    picker.putBack(taken[0] as RowRecord, clock.now());
    await clock.drive(clock.sleep(apartMs));
    assert.deepEqual(await take(), [1]);
    picker.settled(taken);
    picker.rescan();
    await clock.drive(clock.sleep(apartMs));
    assert.deepEqual(await take(), [2]);
  });

  test('picks the rows in line behind one in flight, even if everything was read again meanwhile', async () => {
    const { clock, picker, take, turns } = await setUp(toOneNumber(1, 3));
    const [first] = await picker.take(1);
    picker.rescan();
    await picker.available(10);
    picker.putBack(first as RowRecord, clock.now());
    assert.deepEqual(await take(), []);
    // Row 1 is out for as long as it takes, and stands at the head of the line as well, as it was read.
    assert.deepEqual(await turns(4), [[1], [2], [3], []]);
  });

  test('picks no other of the first rows if one of them is in doubt, and not sent again', async () => {
    const { clock, db, picker, take } = await setUp([aRow(1), aRow(2)], new Map([['batch-1', 1]]));
    const taken = await picker.take(1);
    const doubt = (unit: Unit) => unit.changeRow(taken[0] as RowRecord, 'doubt', {}, {});
    picker.putBack((await inUnit(db, { clock, actor: 'engine' }, doubt)) as RowRecord, clock.now());
    picker.settled(taken);
    await clock.drive(clock.sleep(apartMs));
    assert.deepEqual(await take(), [1]);
    assert.deepEqual(await take(), []);
  });

  test('picks no other of the first rows if one of them comes back unsent while the ledger is read', async () => {
    const { clock, db, picker, take } = await setUp([aRow(1), aRow(2)], new Map([['batch-1', 1]]));
    const change = (row: RowRecord, event: 'send' | 'unsent') =>
      inUnit(db, { clock, actor: 'engine' }, (unit) => unit.changeRow(row, event, {}, {})) as Promise<RowRecord>;
    const taken = await picker.take(1);
    const sending = await change(taken[0] as RowRecord, 'send');
    picker.settled(taken);
    const { query } = db;
    db.query = async (sql, params) => {
      if (!sql.includes('batch_counts')) return query(sql, params);
      db.query = query;
      picker.putBack(await change(sending, 'unsent'), clock.now() + 1);
      return query(sql, params);
    };
    assert.deepEqual(await take(), []);
    await clock.drive(clock.sleep(apartMs));
    assert.deepEqual(await take(), [1]);
  });

  test('counts the ready rows once a batch was read to its end, with those in flight and in line', async () => {
    const { clock, picker } = await setUp([...toOneNumber(1, 3), aRow(4), aRow(5)]);
    assert.equal(picker.known('batch-1'), Number.POSITIVE_INFINITY);
    const [first] = await picker.take(2);
    assert.equal(picker.known('batch-1'), 5);
    picker.settled([first as RowRecord]);
    assert.equal(picker.known('batch-1'), 4);
    picker.putBack(first as RowRecord, clock.now());
    assert.equal(picker.known('batch-1'), 5);
  });

  test('picks the first rows in their order after everything is read again', async () => {
    const { clock, picker, take } = await setUp([aRow(1), aRow(2), aRow(3)], new Map([['batch-1', 1]]));
    const [first] = await picker.take(1);
    picker.putBack(first as RowRecord, clock.now());
    await clock.drive(clock.sleep(apartMs));
    picker.rescan();
    assert.deepEqual(await take(), [1]);
  });

  for (const [priority, turns] of [
    ['urgent', '2222222222'],
    ['normal', '2121212121'],
  ] as const)
    test(`picks rows of a batch that is ${priority}, however many of another one wait`, async () => {
      // Ten rows to each of a hundred numbers, one after the other: from the first minute on one of them is always due.
      const many = Array.from({ length: 1_000 }, (_, index) =>
        aRow(index + 1, { phone_number: `+25471200${1_000 + Math.floor(index / 10)}` }),
      );
      const { clock, db, batch, picker } = await setUp(many);
      const takeOne = async () => {
        const [row] = await picker.take(1);
        await clock.drive(clock.sleep(1_000));
        return row?.batch_id.at(-1);
      };
      for (let second = 0; second < 100; second++) assert.equal(await takeOne(), '1');
      const ofSecond = { batch_id: 'batch-2', run_id: 'run-2', priority };
      const rows = Array.from({ length: 10 }, (_, index) =>
        aRow(index + 1, { batch_id: 'batch-2', phone_number: `+25473300${1_000 + index}` }),
      );
      await addBatch(db, clock, aBatch(ofSecond), rows);
      picker.setBatches([batch, { ...((await findBatch(db, 'batch-2')) as BatchRecord), status: 'running' }]);
      const taken: (string | undefined)[] = [];
      for (let second = 0; second < 11; second++) taken.push(await takeOne());
      assert.ok(taken.join('').includes(turns), taken.join(''));
    });

  test('knows when the next row is due among two hundred thousand', async () => {
    const { clock, picker } = await setUp([aRow(1)]);
    const [row] = await picker.take(1);
    for (let count = 0; count < 200_000; count++) picker.putBack(row as RowRecord, clock.now() + 200_000 - count);
    assert.equal(picker.nextAt(), clock.now() + 1);
  });
});

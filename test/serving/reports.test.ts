import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AirbatchError } from '../../src/core/basics/errors.ts';
import { batchesWithoutReports } from '../../src/operations/working/missing-reports.ts';
import type { Session } from '../../src/runtime/session/session.ts';
import { makeReportWriter } from '../../src/serving/reports.ts';
import { startMs, testClock, testLedger, writeSampleBatch } from '../reports/fixture.ts';
import { giveBack } from '../reports/late.ts';
import { folderOf } from '../support/folder.ts';

/** A clock on which the test ends each sleep: files are read and written meanwhile, which takes as long as it takes. */
function handClock() {
  const sleepers = new Map<() => void, number>();
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        sleepers.delete(wake);
        resolve();
      };
      sleepers.set(wake, ms);
      signal?.addEventListener('abort', wake);
    });
  let now = startMs + 120_000;
  return {
    clock: { ...testClock(), now: () => now, sleep },
    set: (ms: number) => {
      now = ms;
    },
    /** How long the one that sleeps next is to sleep (ms). */
    async asleep() {
      do await nextTurn();
      while (sleepers.size === 0);
      return [...sleepers.values()];
    },
    wake: () => {
      for (const wake of sleepers.keys()) wake();
    },
  };
}

/** The report writer of a program that stays, for the sample batch. */
async function writer(t: TestContext) {
  const folder = folderOf(t);
  const out = join(folder, 'reports');
  const { clock, asleep, wake, set } = handClock();
  const ledger = await testLedger(t);
  await writeSampleBatch(ledger);
  let isAway = false;
  const beThere = () => {
    if (isAway) throw new AirbatchError('LEDGER_IO', 'the connection was lost');
  };
  const db: typeof ledger = {
    ...ledger,
    async query(sql, params) {
      beThere();
      return ledger.query(sql, params);
    },
    async snapshot(work) {
      beThere();
      return ledger.snapshot(work);
    },
  };
  const setAway = (now: boolean) => {
    isAway = now;
  };
  const unwritable: string[] = [];
  const places: { since: number | null } = { since: clock.now() };
  const logged: string[] = [];
  const there = Promise.withResolvers<void>();
  const config = { out, anchors: [] };
  const warned: string[] = [];
  const log = {
    info: (message: string) => void logged.push(message),
    warn: (message: string) => void warned.push(message),
  };
  const session = { db, clock, log, config, ledgerPath: join(folder, 'ledger.db'), person: 'amina' };
  const reports = makeReportWriter(session as unknown as Session, null, {
    written: async () => there.resolve(),
    onUnwritable: ({ code }) => void unwritable.push(code),
    oursSince: () => places.since,
  });
  const isThere = () => existsSync(join(out, 'B-1', 'manifest.sig'));
  const missing = () => batchesWithoutReports(session as unknown as Session);
  const hands = { asleep, wake, set, setAway };
  return { db, out, reports, unwritable, logged, warned, isThere, there: there.promise, missing, places, ...hands };
}

test('a place that cannot be used is named when the program starts', async (t) => {
  const { out, reports, unwritable, warned } = await writer(t);
  writeFileSync(out, 'a file where the folder should be');
  reports.writeMissing();
  await reports.stop();
  assert.deepEqual(warned, ['the place of the reports cannot be used now; payments continue']);
  assert.deepEqual(unwritable, ['FOLDER_UNWRITABLE']);
});

test('reports that cannot be written are retried with growing delays, until the folder is writable', async (t) => {
  const { out, reports, unwritable, isThere, there, asleep, wake } = await writer(t);
  writeFileSync(out, 'a file where the folder should be');
  assert.equal(reports.areWritten(), true);
  reports.write('B-1');
  for (const seconds of [5, 10, 20, 40, 80, 160, 300, 300]) {
    assert.deepEqual(await asleep(), [seconds * 1_000]);
    assert.equal(reports.areWritten(), false);
    wake();
  }
  await asleep();
  assert.deepEqual(unwritable, Array(9).fill('FOLDER_UNWRITABLE'));
  rmSync(out);
  wake();
  await there;
  await reports.stop();
  assert.deepEqual([reports.areWritten(), isThere()], [true, true]);
});

test('reports during which the ledger was away are written once it is back', { timeout: 20_000 }, async (t) => {
  const { reports, unwritable, isThere, there, setAway, asleep, wake } = await writer(t);
  setAway(true);
  reports.write('B-1');
  assert.deepEqual(await asleep(), [5_000]);
  assert.deepEqual([isThere(), reports.missing()], [false, 1]);
  setAway(false);
  wake();
  await there;
  await reports.stop();
  assert.deepEqual([reports.missing(), isThere(), unwritable], [0, true, []]);
});

test('a file in the place of the batch’s folder is the same kind of trouble', async (t) => {
  const { out, reports, isThere, there, asleep, wake } = await writer(t);
  mkdirSync(out);
  writeFileSync(join(out, 'B-1'), '');
  reports.write('B-1');
  await asleep();
  assert.equal(reports.areWritten(), false);
  rmSync(join(out, 'B-1'));
  wake();
  await there;
  await reports.stop();
  assert.deepEqual([reports.areWritten(), isThere()], [true, true]);
});

test('a program that is stopping does not wait for the folder, and the next one knows what is missing', async (t) => {
  const { out, reports, isThere, asleep, missing } = await writer(t);
  writeFileSync(out, '');
  reports.write('B-1');
  await asleep();
  await reports.stop();
  rmSync(out);
  const [unreported, ...others] = await missing();
  assert.deepEqual([isThere(), unreported?.batchId, unreported?.out, others], [false, 'B-1', out, []]);
});

test('reports that another machine left out are written once its account is worked for here', async (t) => {
  const { reports, places, isThere, there, asleep, wake } = await writer(t);
  places.since = null;
  reports.keep();
  await asleep();
  assert.equal(isThere(), false);
  places.since = startMs + 120_000;
  wake();
  await there;
  await reports.stop();
  assert.equal(isThere(), true);
});

test('the reports of a batch that ends here wait until its details are read, however long that takes', async (t) => {
  const { reports, places, isThere, there, asleep, set } = await writer(t);
  places.since = startMs;
  set(startMs + 3_600_000);
  reports.keep();
  await asleep();
  assert.deepEqual([reports.missing(), isThere()], [0, false]);
  reports.write('B-1');
  await there;
  await reports.stop();
  assert.equal(isThere(), true);
});

test('a late change waits for its quiet minute, also on the day of the end and after a restart', async (t) => {
  const { db, reports, logged, asleep, wake, set, there } = await writer(t);
  reports.write('B-1');
  await there;
  await giveBack(db, 2, { hours: 1 });
  set(startMs + 3_600_000 + 30_000);
  reports.keep();
  await asleep();
  assert.deepEqual([reports.missing(), logged], [0, ['a batch is completed']]);
  set(startMs + 3_600_000 + 61_000);
  wake();
  await asleep();
  await reports.stop();
  assert.deepEqual(logged, ['a batch is completed', 'airbatch has written a new version of the reports of a batch']);
});

test('reports that wait for others are counted once, and are not queued again', async (t) => {
  const { out, reports, asleep, wake, there } = await writer(t);
  writeFileSync(out, '');
  reports.write('B-1');
  await asleep();
  reports.write('B-2');
  assert.equal(reports.missing(), 2);
  reports.keep();
  assert.equal(reports.missing(), 2);
  rmSync(out);
  wake();
  await there;
  await reports.stop();
});

test('a ledger that stays away is logged once, and once when it is back', { timeout: 20_000 }, async (t) => {
  const { reports, warned, logged, setAway, asleep, wake } = await writer(t);
  setAway(true);
  reports.keep();
  for (const _minute of [1, 2, 3]) {
    await asleep();
    wake();
  }
  await asleep();
  const unchecked = 'late status changes could not be checked; airbatch tries again';
  assert.deepEqual([warned, logged], [[unchecked], []]);
  setAway(false);
  for (const _minute of [1, 2, 3]) {
    wake();
    await asleep();
  }
  await reports.stop();
  assert.deepEqual(warned, [unchecked]);
  assert.equal(logged.filter((message) => message === 'late status changes are checked again').length, 1);
});

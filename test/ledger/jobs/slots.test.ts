import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import {
  claimSlot,
  endSlot,
  failSlot,
  findSlot,
  forgetFutureSkips,
  insertSlot,
  knownDueTimes,
  listSlots,
  openSlots,
  renewSlot,
  reopenSlot,
  type SlotState,
} from '../../../src/ledger/jobs/slots.ts';
import { memoryLedger } from '../../support/ledger.ts';

const job = 'payroll';
const insert = (db: Database, dueAt: number, state: SlotState, ofJob = job) =>
  insertSlot(db, { job: ofJob, due_at: dueAt, state, detail: null });

async function withSlots(...slots: [dueAt: number, state: SlotState][]): Promise<Database> {
  const db = await memoryLedger();
  for (const [dueAt, state] of slots) await insert(db, dueAt, state);
  return db;
}

const claim = (db: Database, holder: string, dueAt: number, { now = 1_000, deadHolder = null as string | null } = {}) =>
  claimSlot(db, { job, dueAt, holder, now, expiresAt: now + 100, deadHolder });
const goOn = (db: Database, holder: string) => renewSlot(db, { job, dueAt: 100, holder, expiresAt: 5_000 });
const end = (db: Database, holder: string, state: SlotState = 'done') =>
  endSlot(db, { job, dueAt: 100, holder, now: 2_000, state, detail: holder });

const timesOf = (slots: readonly { due_at: number }[]) => slots.map(({ due_at }) => due_at);

describe('the slots of a job', () => {
  test('are decided once each', async () => {
    const db = await withSlots([100, 'skipped']);
    assert.equal(await insert(db, 100, 'due'), false);
    assert.equal((await findSlot(db, job, 100))?.state, 'skipped');
    assert.equal(await insert(db, 100, 'due', 'another job'), true);
  });

  test('are read after one moment and up to another', async () => {
    const db = await withSlots([100, 'done'], [200, 'due'], [300, 'done'], [400, 'due']);
    assert.deepEqual(await knownDueTimes(db, job, 100, 300), new Set([200, 300]));
  });

  test('are returned in order if they are running or due by now', async () => {
    const db = await withSlots([400, 'due'], [300, 'due'], [200, 'due'], [100, 'done'], [500, 'due']);
    assert.ok(await claim(db, 'one', 500));
    assert.deepEqual(timesOf(await openSlots(db, job, 300)), [200, 300, 500]);
  });

  test('are forgotten if they are in the future and were skipped', async () => {
    const db = await withSlots([100, 'skipped'], [200, 'skipped'], [300, 'skipped'], [400, 'due']);
    assert.equal(await forgetFutureSkips(db, job, 200), 1);
    assert.deepEqual(timesOf(await listSlots(db, job, 10)), [400, 200, 100]);
  });
});

describe('a slot', () => {
  test('is claimed by one process, and by another only after that one has ended; it began when it was first claimed', async () => {
    const db = await withSlots([100, 'due']);
    assert.equal(await claim(db, 'one', 100), true);
    for (const holder of ['one', 'two']) assert.equal(await claim(db, holder, 100), false);
    assert.equal(await claim(db, 'two', 100, { deadHolder: 'three' }), false);
    assert.equal(await claim(db, 'two', 100, { now: 1_500, deadHolder: 'one' }), true);
    const { holder, started_at, expires_at } = (await findSlot(db, job, 100)) ?? {};
    assert.deepEqual([holder, started_at, expires_at], ['two', 1_000, 1_600]);
  });

  for (const [running, other] of [
    [100, 200],
    [200, 100],
  ] as const)
    test(`is not claimed while the ${running < other ? 'earlier' : 'later'} one of its job is running`, async () => {
      const db = await withSlots([100, 'due'], [200, 'due']);
      await insert(db, other, 'due', 'another job');
      assert.equal(await claim(db, 'one', running), true);
      assert.equal(await claim(db, 'two', other), false);
      const ofOther = { job: 'another job', dueAt: other, holder: 'two', now: 1, expiresAt: 2, deadHolder: null };
      assert.equal(await claimSlot(db, ofOther), true);
    });

  test('is continued and ended by its owner, and not after that', async () => {
    const db = await withSlots([100, 'due']);
    await claim(db, 'one', 100);
    assert.deepEqual([await goOn(db, 'two'), await end(db, 'two')], [false, false]);
    assert.deepEqual([await goOn(db, 'one'), await end(db, 'one')], [true, true]);
    assert.deepEqual([await goOn(db, 'one'), await end(db, 'one', 'failed')], [false, false]);
    const { state, detail, expires_at, ended_at } = (await findSlot(db, job, 100)) ?? {};
    assert.deepEqual([state, detail, expires_at, ended_at], ['done', 'one', 5_000, 2_000]);
  });

  test('that is given back has not ended', async () => {
    const db = await withSlots([100, 'due']);
    await claim(db, 'one', 100);
    assert.equal(await end(db, 'one', 'due'), true);
    assert.equal((await findSlot(db, job, 100))?.ended_at, null);
    assert.equal(await claim(db, 'two', 100), true);
  });

  for (const [ended, reopened, failed] of [
    ['failed', 'due', 'failed'],
    ['skipped', 'due', 'skipped'],
    ['done', 'done', 'failed'],
    ['due', 'due', 'due'],
  ] as const)
    test(`that is ${ended} is ${reopened} where a person wants it run after all, and ${failed} where it brought less than it was to`, async () => {
      for (const [change, state] of [
        [(db: Database) => reopenSlot(db, job, 100), reopened],
        [(db: Database) => failSlot(db, { job, dueAt: 100, detail: 'rows are missing', now: 3_000 }), failed],
      ] as const) {
        const db = await withSlots([100, 'due']);
        await claim(db, 'one', 100);
        await end(db, 'one', ended);
        await change(db);
        const slot = await findSlot(db, job, 100);
        const endedAt = ended === 'done' && state === 'failed' ? 3_000 : 2_000;
        assert.deepEqual([slot?.state, slot?.ended_at], [state, state === 'due' ? null : endedAt]);
      }
    });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { insertSlot, type SlotState } from '../../../src/ledger/jobs/slots.ts';
import { jobState } from '../../../src/ledger/schema/state-columns.ts';
import { slotByHand } from '../../../src/operations/slots/slot-by-hand.ts';
import { defineJob } from '../../../src/runtime/jobs/define-job.ts';
import { memoryLedger } from '../../support/ledger.ts';

const job = defineJob({
  name: 'payroll',
  schedule: { cron: '0 9 25 * *', timeZone: 'Africa/Nairobi' },
  source: { kind: 'folder', folder: 'payroll' },
});
const now = Date.parse('2026-11-22T10:20:30Z');
const thisMinute = Date.parse('2026-11-22T10:20:00Z');
const october = Date.parse('2026-10-25T06:00:00Z');

describe('a slot that is run by hand', () => {
  test('is one of this minute if the job is new: nobody is responsible for earlier ones', async () => {
    const slot = await slotByHand(await memoryLedger(), job, now);
    assert.deepEqual(slot, { dueAt: thisMinute, why: 'new', lastDueAt: null });
  });

  for (const [state, expected] of [
    ['done', { dueAt: thisMinute, why: 'extra', lastDueAt: october }],
    ['failed', { dueAt: october, why: 'failed', lastDueAt: null }],
    ['skipped', { dueAt: october, why: 'missed', lastDueAt: null }],
    ['due', { dueAt: october, why: 'due', lastDueAt: null }],
  ] as [SlotState, object][]) {
    test(`follows from the last due time if that is ${state}, however many other slots there are`, async () => {
      const db = await memoryLedger();
      await insertSlot(db, { job: 'payroll', due_at: october, state, detail: null });
      // A year of slots by hand since then, which name no due time.
      for (let at = 1; at <= 1_500; at++)
        await insertSlot(db, { job: 'payroll', due_at: october + at * 60_000, state: 'done', detail: null });
      assert.deepEqual(await slotByHand(db, job, now), expected);
    });
  }

  test('is the last due time if nothing ran then, and the job was known', async () => {
    const db = await memoryLedger();
    await jobState.lookedAt.write(db, 'payroll', october - 1);
    assert.deepEqual(await slotByHand(db, job, now), { dueAt: october, why: 'missed', lastDueAt: null });
    await jobState.lookedAt.write(db, 'payroll', october + 1);
    assert.equal((await slotByHand(db, job, now)).dueAt, thisMinute);
  });
});

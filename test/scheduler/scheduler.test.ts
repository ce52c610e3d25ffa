import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { listSlots } from '../../src/ledger/slots.ts';
import { defineJob } from '../../src/scheduler/define-job.ts';
import { makeScheduler, type SlotOutcome } from '../../src/scheduler/scheduler.ts';
import { memoryLedger } from '../support/ledger.ts';

const minute = 60_000;
const start = Date.UTC(2026, 10, 20, 9);

const job = defineJob({
  name: 'every-hour',
  schedule: { cron: '0 * * * *', timeZone: 'UTC', catchUp: 'all' },
  source: { kind: 'file', file: 'x.csv' },
});

/** A ledger, a clock that is set by hand, and schedulers whose slots end when the test says so. */
async function place() {
  const db = await memoryLedger();
  let now = start - minute;
  const clock = { ...systemClock, now: () => now };
  const alive = new Set<string>();
  const begun: { holder: string; dueAt: number; end: (outcome: SlotOutcome) => void }[] = [];
  const warnings: string[] = [];
  const scheduler = (holder: string) => {
    alive.add(holder);
    return makeScheduler({
      db,
      clock,
      log: { info: () => undefined, warn: (message) => void warnings.push(message) },
      jobs: [job],
      holder,
      isDead: (name) => !alive.has(name),
      runSlot: (_job, dueAt) => new Promise((resolve) => void begun.push({ holder, dueAt, end: resolve })),
    });
  };
  const settle = async () => {
    for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { db, begun, warnings, scheduler, settle, alive, to: (ms: number) => (now = start + ms) };
}

const states = async (db: Awaited<ReturnType<typeof place>>['db']) =>
  (await listSlots(db, job.name, 10)).map(({ state }) => state).reverse();

describe('a scheduler', () => {
  test('never runs a job beside itself: the next slot waits for the end of the one before', async () => {
    const { db, begun, scheduler, settle, to } = await place();
    const [one, two] = [scheduler('one'), scheduler('two')];
    await one.look();
    to(minute);
    await Promise.all([one.look(), two.look()]);
    await settle();
    to(61 * minute);
    await Promise.all([one.look(), two.look()]);
    await settle();
    assert.equal(begun.length, 1);
    assert.deepEqual(await states(db), ['running', 'due']);
    begun[0]?.end({ outcome: 'done', detail: 'ok' });
    await settle();
    await two.look();
    await settle();
    assert.deepEqual(
      begun.map(({ dueAt }) => dueAt),
      [start, start + 60 * minute],
    );
  });

  test('takes up what a dead process left running, and leaves a living one its own', async () => {
    const { begun, scheduler, settle, alive, to } = await place();
    const one = scheduler('one');
    await one.look();
    to(minute);
    await one.look();
    await settle();
    const two = scheduler('two');
    await two.look();
    await settle();
    assert.deepEqual(
      begun.map(({ holder }) => holder),
      ['one'],
    );
    alive.delete('one');
    await two.look();
    await settle();
    assert.deepEqual(
      begun.map(({ holder }) => holder),
      ['one', 'two'],
    );
    assert.equal(begun[1]?.dueAt, begun[0]?.dueAt);
  });

  test('asks again for what is not there yet, and records what has failed', async () => {
    const { db, begun, warnings, scheduler, settle, to } = await place();
    const one = scheduler('one');
    await one.look();
    to(minute);
    await one.look();
    await settle();
    begun[0]?.end({ outcome: 'wait', detail: 'still being written' });
    await settle();
    assert.deepEqual(await states(db), ['due']);
    await one.look();
    await settle();
    assert.equal(begun.length, 2);
    begun[1]?.end({ outcome: 'failed', detail: 'there is no file' });
    await settle();
    assert.deepEqual(await states(db), ['failed']);
    assert.equal((await listSlots(db, job.name, 1))[0]?.detail, 'there is no file');
    assert.deepEqual(warnings, ['a job has failed']);
    await one.look();
    await settle();
    assert.equal(begun.length, 2, 'a slot that has failed is for a person');
  });

  test('begins nothing once it is stopped, and waits for what runs', async () => {
    const { begun, scheduler, settle, to } = await place();
    const one = scheduler('one');
    await one.look();
    to(minute);
    await one.look();
    await settle();
    let stopped = false;
    const stopping = one.stop().then(() => (stopped = true));
    await settle();
    assert.equal(stopped, false);
    to(61 * minute);
    await one.look();
    begun[0]?.end({ outcome: 'done', detail: '' });
    await stopping;
    await settle();
    assert.equal(begun.length, 1);
  });
});

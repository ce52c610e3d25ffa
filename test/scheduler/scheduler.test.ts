import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AirbatchError } from '../../src/core/basics/errors.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { claimSlot, dropSlots, endSlot, insertSlot, lastSlotOver, listSlots } from '../../src/ledger/jobs/slots.ts';
import type { RequireSlot, SlotOutcome } from '../../src/operations/slots/claimed-slot.ts';
import { defineJob } from '../../src/runtime/jobs/define-job.ts';
import { makeScheduler, type Scheduler } from '../../src/scheduler/scheduler.ts';
import { dueSlots } from '../support/due-slots.ts';
import { memoryLedger } from '../support/ledger.ts';
import { settled } from '../support/ledger-work.ts';

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
  let monotonic = 0;
  const sleepers = new Set<{ until: number; wake: () => void }>();
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((wake) => {
      if (signal?.aborted) return wake();
      sleepers.add({ until: monotonic + ms, wake });
      signal?.addEventListener('abort', () => wake());
    });
  const clock = { ...systemClock, now: () => now, monotonic: () => monotonic, sleep };
  const alive = new Set<string>();
  let isSilent = false;
  const begun: {
    holder: string;
    dueAt: number;
    requireSlot: RequireSlot;
    end: (outcome: SlotOutcome) => void;
    fail: (error: Error) => void;
  }[] = [];
  const warnings: string[] = [];
  const scheduler = (holder: string, jobs = [job]) => {
    alive.add(holder);
    return makeScheduler({
      db,
      clock,
      log: { info: () => undefined, warn: (message) => void warnings.push(message) },
      jobs,
      runDue: dueSlots(
        { db, clock, holder, isDead: (name) => !alive.has(name) },
        (_job, dueAt, requireSlot) =>
          new Promise((resolve, reject) => void begun.push({ holder, dueAt, requireSlot, end: resolve, fail: reject })),
      ),
    });
  };
  const settle = () => settled();
  const to = (ms: number) => {
    // As on a real machine, it is no whole number.
    monotonic += Math.max(0, start + ms - now) + 0.3;
    now = start + ms;
    for (const sleeper of sleepers) {
      if (sleeper.until > monotonic || isSilent) continue;
      sleepers.delete(sleeper);
      sleeper.wake();
    }
  };
  /** One look, and everything that it begins ends well. */
  const lookAndEnd = async (scheduler: Scheduler) => {
    await scheduler.look();
    await settle();
    for (let ended = 0; ended < begun.length; ended++) {
      begun[ended]?.end({ outcome: 'done', detail: 'ok' });
      await settle();
    }
  };
  /** A scheduler whose first slot has begun. */
  const begin = async () => {
    const one = scheduler('one');
    await one.look();
    await settle();
    to(minute);
    await one.look();
    await settle();
    return one;
  };
  /** A scheduler with two due slots, of which the first has begun. */
  const beginTwo = async () => {
    const one = scheduler('one');
    await one.look();
    await settle();
    to(61 * minute);
    await one.look();
    await settle();
    return one;
  };
  const ran = () => begun.map(({ dueAt }) => (dueAt - start) / minute);
  return {
    db,
    begun,
    warnings,
    scheduler,
    begin,
    beginTwo,
    settle,
    lookAndEnd,
    ran,
    alive,
    silence: () => (isSilent = true),
    to,
  };
}

const states = async (db: Awaited<ReturnType<typeof place>>['db']) =>
  (await listSlots(db, job.name, 10)).map(({ state }) => state).reverse();

describe('a scheduler', () => {
  test('never runs a job twice at once: the next slot waits for the end of the one before', async () => {
    const { db, begun, scheduler, settle, to } = await place();
    const [one, two] = [scheduler('one'), scheduler('two')];
    await one.look();
    await settle();
    to(minute);
    await Promise.all([one.look(), two.look()]);
    await settle();
    for (let at = 3; at <= 61; at += 2) {
      to(at * minute);
      await settle();
    }
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

  test('takes over the slot of a dead process, and not of a living one', async () => {
    const { begun, scheduler, begin, settle, alive } = await place();
    await begin();
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

  test('takes over the slot of a silent process of another machine, whose end nobody can see', async () => {
    const { db, begun, scheduler, begin, settle, silence, to } = await place();
    await begin();
    const two = scheduler('two');
    const look = async (at: number) => {
      to(at * minute);
      await settle();
      await two.look();
      await settle();
      return begun.map(({ holder }) => holder);
    };
    for (let at = 3; at < 30; at += 2) assert.deepEqual(await look(at), ['one'], 'it goes on');
    silence();
    assert.deepEqual(await look(38), ['one']);
    assert.deepEqual(await look(41), ['one', 'two']);
    // It goes on as if nothing had been: what it would bring now is brought by the other.
    await assert.rejects(
      db.transact(async (tx) => begun[0]?.requireSlot(tx)),
      { code: 'FENCED' },
    );
    await db.transact(async (tx) => begun[1]?.requireSlot(tx));
    begun[0]?.end({ outcome: 'failed', detail: 'of the one that had been silent' });
    await settle();
    assert.deepEqual(await states(db), ['running'], 'what it brings is no longer asked for');
    begun[1]?.end({ outcome: 'done', detail: 'ok' });
    await settle();
    assert.deepEqual(await states(db), ['done']);
  });

  for (const [what, expiresAt] of [
    ['for no time, as an earlier version does', null],
    ['for longer than it could, since its clock was ahead', start + 60 * minute],
  ] as const)
    test(`takes over the slot of a process that may be alive ${what}`, async () => {
      const { db, begun, begin, settle, alive } = await place();
      const one = await begin();
      begun[0]?.end({ outcome: 'wait', detail: 'still being written' });
      await settle();
      alive.add('another');
      await db.execute(`UPDATE slots SET state = 'running', holder = 'another', expires_at = ?`, [expiresAt]);
      await one.look();
      await settle();
      assert.equal(begun.length, 2);
    });

  test('waits for a file that is not there yet, and records a failure', async () => {
    const { db, begun, warnings, begin, settle } = await place();
    const one = await begin();
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

  test('starts nothing after it is stopped, and waits for running jobs', async () => {
    const { begun, beginTwo, settle, to } = await place();
    const one = await beginTwo();
    let stopped = false;
    const stopping = one.stop().then(() => (stopped = true));
    await settle();
    assert.equal(stopped, false);
    to(121 * minute);
    await one.look();
    begun[0]?.end({ outcome: 'done', detail: '' });
    await stopping;
    await settle();
    assert.equal(begun.length, 1);
  });

  test('runs the slots of a job in order: one that waits holds back the later ones', async () => {
    const { begun, beginTwo, settle, lookAndEnd, ran } = await place();
    const one = await beginTwo();
    begun[0]?.end({ outcome: 'wait', detail: 'still being written' });
    await settle();
    assert.deepEqual(ran(), [0]);
    await lookAndEnd(one);
    assert.deepEqual(ran(), [0, 0, 60]);
  });

  test('starts with the next due time of a changed schedule, not with earlier ones', async () => {
    const { scheduler, lookAndEnd, ran, to } = await place();
    await lookAndEnd(scheduler('one'));
    to(1 * minute);
    await lookAndEnd(scheduler('one'));
    to(50 * minute);
    await lookAndEnd(scheduler('one'));
    // Ten past nine has passed, and the slot of nine has run.
    const changed = defineJob({ ...job, schedule: { ...job.schedule, cron: '10 * * * *' } });
    to(51 * minute);
    await lookAndEnd(scheduler('two', [changed]));
    assert.deepEqual(ran(), [0]);
    to(71 * minute);
    await lookAndEnd(scheduler('two', [changed]));
    assert.deepEqual(ran(), [0, 70]);
  });

  for (const [catchUp, expected] of [
    ['all', [0, 60, 180]],
    ['last', [60, 180]],
  ] as const)
    test(`is not held back by a slot that a person ran ahead of time, and does not run it again: ${catchUp}`, async () => {
      const { db, scheduler, lookAndEnd, ran, to } = await place();
      const one = scheduler('one', [defineJob({ ...job, schedule: { ...job.schedule, catchUp } })]);
      await lookAndEnd(one);
      const ahead = { job: job.name, dueAt: start + 120 * minute, holder: 'by hand', now: start - minute };
      await db.transact(async (tx) => {
        await insertSlot(tx, { job: job.name, due_at: ahead.dueAt, state: 'due', detail: null });
        assert.ok(await claimSlot(tx, { ...ahead, expiresAt: start, deadHolder: null }));
        assert.ok(await endSlot(tx, { ...ahead, state: 'done', detail: 'by hand' }));
      });
      for (const at of [130, 181]) {
        to(at * minute);
        await lookAndEnd(one);
      }
      assert.deepEqual(ran(), expected);
    });

  test('runs a slightly late slot, and reports missed ones, if it catches up with nothing', async () => {
    const { warnings, scheduler, lookAndEnd, ran, to } = await place();
    const one = scheduler('one', [defineJob({ ...job, schedule: { ...job.schedule, catchUp: 'none' } })]);
    for (const at of [-1, 5, 66]) {
      to(at * minute);
      await lookAndEnd(one);
    }
    assert.deepEqual(ran(), [0]);
    assert.deepEqual(warnings, ['a job missed slots; they will not run']);
  });

  test('runs nothing again when a fast clock is corrected, and forgets what it missed because of it', async () => {
    const last = defineJob({ ...job, schedule: { ...job.schedule, catchUp: 'last' } });
    const { db, scheduler, lookAndEnd, ran, to } = await place();
    const one = scheduler('one', [last]);
    await lookAndEnd(one);
    to(185 * minute);
    await lookAndEnd(one);
    assert.deepEqual(await states(db), ['skipped', 'skipped', 'skipped', 'done']);
    to(-minute);
    await lookAndEnd(one);
    for (const at of [0, 60, 120, 180, 240]) {
      to(at * minute + 1_000);
      await lookAndEnd(one);
    }
    assert.deepEqual(ran(), [180, 0, 60, 120, 240]);
  });

  for (const catchUp of ['all', 'last'] as const)
    test(`pays for no time before it knew the job, if its machine started with a slow clock: ${catchUp}`, async () => {
      const { db, warnings, scheduler, lookAndEnd, ran, to } = await place();
      const one = scheduler('one', [defineJob({ ...job, schedule: { ...job.schedule, catchUp } })]);
      for (const at of [-1, 1, 2]) {
        to(at * minute);
        await lookAndEnd(one);
      }
      assert.deepEqual(ran(), [0]);
      to(-190 * minute);
      await lookAndEnd(one);
      to(10 * minute);
      await lookAndEnd(one);
      assert.deepEqual(ran(), [0]);
      // What fell due since it is known is caught up with, as always.
      to(70 * minute);
      await lookAndEnd(one);
      assert.deepEqual(ran(), [0, 60]);
      assert.deepEqual(await states(db), ['skipped', 'skipped', 'skipped', 'done', 'done']);
      assert.deepEqual(warnings, ['a job missed slots; they will not run']);
    });

  test('never runs a dropped slot again, however far the clock is set back', async () => {
    const { db, scheduler, to, lookAndEnd, ran } = await place();
    const one = scheduler('one');
    await one.look();
    for (const hour of [1, 2, 3, 4]) {
      to(hour * 60 * minute);
      await lookAndEnd(one);
    }
    assert.deepEqual(ran(), [0, 60, 120, 180, 240]);
    const until = await lastSlotOver(db, job.name, start + 240 * minute);
    assert.equal(until, start + 180 * minute);
    assert.equal(await dropSlots(db, { job: job.name, until, before: start + 240 * minute }, 100), 4);
    to(-1_000 * 60 * minute);
    await lookAndEnd(one);
    for (let hour = -10; hour <= 5; hour++) {
      to(hour * 60 * minute);
      await lookAndEnd(one);
    }
    assert.deepEqual(ran(), [0, 60, 120, 180, 240, 300]);
  });

  test('retries a slot a minute after temporary trouble, and gives it up after an hour', async () => {
    const { db, begun, scheduler, settle, to } = await place();
    const one = scheduler('one');
    await one.look();
    await settle();
    const unreachable = new AirbatchError('SERVICE_UNREACHABLE', 'no answer');
    const lookAt = async (at: number) => {
      to(at);
      await one.look();
      await settle();
    };
    await lookAt(minute);
    begun[0]?.fail(unreachable);
    await settle();
    await lookAt(minute + 30_000);
    assert.equal(begun.length, 1, 'not at the next look');
    await lookAt(2 * minute + 1);
    assert.equal(begun.length, 2);
    begun[1]?.fail(unreachable);
    await settle();
    assert.deepEqual(await states(db), ['due']);
    await lookAt(58 * minute);
    begun[2]?.fail(new Error('something else'));
    await settle();
    assert.deepEqual(await states(db), ['failed'], 'other trouble is for a person at once');
    await lookAt(61 * minute);
    begun[3]?.fail(unreachable);
    await settle();
    await lookAt(63 * minute);
    to(122 * minute);
    begun[4]?.fail(unreachable);
    await settle();
    assert.deepEqual(await states(db), ['failed', 'failed']);
    const [last] = await listSlots(db, job.name, 1);
    assert.equal(last?.detail, 'no answer (it was tried again for 61 minutes)');
    assert.deepEqual(JSON.parse(last.reasons ?? ''), [
      { code: 'SLOT_TROUBLE', values: { code: 'SERVICE_UNREACHABLE', error: 'no answer' } },
      { code: 'SLOT_RETRIED', values: { minutes: '61' } },
    ]);
  });

  test('counts the hour of trouble from its beginning, however long the slot waited before', async () => {
    const { db, begun, scheduler, settle, to } = await place();
    const one = scheduler('one');
    await one.look();
    await settle();
    const lookAt = async (at: number) => {
      to(at);
      await one.look();
      await settle();
    };
    await lookAt(minute);
    begun[0]?.end({ outcome: 'wait', detail: 'still being written: x.csv' });
    await settle();
    await lookAt(59 * minute);
    begun[1]?.end({ outcome: 'failed', detail: 'the share is away', mayPass: true });
    await settle();
    for (const at of [62, 100]) {
      await lookAt(at * minute);
      begun.at(-1)?.fail(new AirbatchError('FILE_UNREADABLE', 'the share is away'));
      await settle();
      assert.deepEqual(await states(db), ['due']);
    }
    await lookAt(102 * minute);
    begun.at(-1)?.end({ outcome: 'done', detail: 'ok' });
    await settle();
    assert.deepEqual(await states(db), ['done']);
    await lookAt(103 * minute);
    assert.deepEqual(await states(db), ['done', 'running'], 'what fell due meanwhile');
  });

  const isAway = new AirbatchError('FILE_UNREADABLE', 'the share is away');

  test('counts the hour of trouble across restarts, without the time in which nothing ran', async () => {
    const { db, begun, scheduler, settle, to } = await place();
    const lookAt = async (one: Scheduler, at: number) => {
      to(at * minute);
      await one.look();
      await settle();
    };
    const tryIn = async (holder: string, minutes: readonly number[], outcome?: SlotOutcome) => {
      const one = scheduler(holder, [{ ...job, schedule: { ...job.schedule, catchUp: 'last' } }]);
      for (const at of minutes) {
        await lookAt(one, at);
        if (outcome) begun.at(-1)?.end(outcome);
        else begun.at(-1)?.fail(isAway);
        await settle();
      }
    };
    await scheduler('one').look();
    await tryIn('two', [1, 3, 31]);
    // It is ended in order in the middle of a try.
    await tryIn('three', [40], { outcome: 'wait', detail: 'stopped: no answer', mayPass: true });
    await tryIn('four', [50, 55]);
    const [waiting] = await listSlots(db, job.name, 1);
    assert.deepEqual([waiting?.state, waiting?.detail], ['due', 'the share is away']);
    await tryIn('five', [600, 626]);
    const [first] = (await listSlots(db, job.name, 20)).reverse();
    assert.equal(first?.detail, 'the share is away (it was tried again for 61 minutes)');
    assert.equal(first?.state, 'failed');
  });

  test('lets no slots of a job pile up while one of them has trouble, also if somebody else ends that one', async () => {
    const { db, begun, scheduler, settle, to } = await place();
    const everyMinute = {
      ...job,
      schedule: { cron: '* * * * *', timeZone: 'UTC', catchUp: 'last' as const },
    };
    const one = scheduler('one', [everyMinute]);
    await one.look();
    await settle();
    for (let at = 0; at <= 40; at += 0.5) {
      to(at * minute);
      await one.look();
      await settle();
      begun.at(-1)?.fail(isAway);
      await settle();
    }
    assert.deepEqual(await states(db), ['due']);
    const claim = { job: job.name, dueAt: start, holder: 'a person', now: start, deadHolder: null };
    assert.ok(await claimSlot(db, { ...claim, expiresAt: start + minute }));
    assert.ok(await endSlot(db, { ...claim, state: 'done', detail: 'by hand' }));
    for (const at of [42, 42.1]) {
      to(at * minute);
      await one.look();
      await settle();
    }
    begun.at(-1)?.end({ outcome: 'done', detail: 'ok' });
    await settle();
    const slots = (await listSlots(db, job.name, 100)).reverse();
    assert.deepEqual([slots.at(0)?.state, slots.at(-1)?.state, slots.length], ['done', 'done', 43]);
    assert.ok(slots.slice(1, -1).every(({ state }) => state === 'skipped'));
  });

  for (const code of [
    'ACCOUNT_BUSY',
    'CREDENTIALS_REJECTED',
    'FENCED',
    'FILE_UNREADABLE',
    'LEDGER_BUSY',
    'LEDGER_FULL',
    'LEDGER_IO',
    'LEDGER_SYNC',
  ] as const)
    test(`retries a slot that met ${code}`, async () => {
      const { db, begun, begin, settle } = await place();
      await begin();
      begun[0]?.fail(new AirbatchError(code, 'for now'));
      await settle();
      assert.deepEqual(await states(db), ['due']);
    });

  test('continues with a slot if its progress cannot be written for a while', async () => {
    const { db, begun, begin, settle, to } = await place();
    await begin();
    const { transact } = db;
    db.transact = () => Promise.reject(new AirbatchError('LEDGER_FULL', 'the disk is full'));
    to(5 * minute);
    await settle();
    db.transact = transact;
    begun[0]?.end({ outcome: 'done', detail: 'ok' });
    await settle();
    assert.deepEqual(await states(db), ['done']);
  });

  test('takes over its own slot again if its result could not be written', async () => {
    const { db, begun, warnings, begin, settle } = await place();
    const one = await begin();
    const { transact } = db;
    db.transact = () => Promise.reject(new AirbatchError('LEDGER_FULL', 'the disk is full'));
    begun[0]?.end({ outcome: 'done', detail: 'ok' });
    await settle();
    db.transact = transact;
    assert.deepEqual(await states(db), ['running']);
    assert.deepEqual(warnings, ['a job could not run; airbatch tries again']);
    await one.look();
    await settle();
    assert.equal(begun.length, 2);
    begun[1]?.end({ outcome: 'done', detail: 'brought before' });
    await settle();
    assert.deepEqual(await states(db), ['done']);
  });
});

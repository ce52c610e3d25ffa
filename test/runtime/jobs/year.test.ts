import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { listSlots } from '../../../src/ledger/jobs/slots.ts';
import { defineJob, type Job } from '../../../src/runtime/jobs/define-job.ts';
import { makeScheduler, type Scheduler } from '../../../src/scheduler/scheduler.ts';
import { makeSeededRandom } from '../../simulation/seeded-random.ts';
import { dueSlots } from '../../support/due-slots.ts';
import { memoryLedger } from '../../support/ledger.ts';
import { settled } from '../../support/ledger-work.ts';

const minute = 60_000;
const hour = 60 * minute;
const yearStart = Date.UTC(2027, 0, 1);
const yearEnd = Date.UTC(2028, 0, 1);

/**
 * Monthly and weekly jobs whose times fall into the hours that daylight saving skips, and into those that come twice.
 */
const schedules: [zone: string, monthly: string, weekly: string][] = [
  ['Africa/Nairobi', '0 9 25 * *', '0 17 * * 5'],
  ['Europe/Berlin', '30 2 28 * *', '30 2 * * 0'],
  ['America/New_York', '30 2 14 * *', '30 1 * * 0'],
  ['Australia/Lord_Howe', '15 2 3 * *', '45 1 * * 0'],
];

function jobs(catchUp: Job['schedule']['catchUp']): Job[] {
  return schedules.flatMap(([timeZone, monthly, weekly]) => {
    const name = timeZone.toLowerCase().replace(/[^a-z]/g, '-');
    const source = { kind: 'file', file: 'x.csv' } as const;
    return [
      defineJob({ name: `monthly-${name}`, schedule: { cron: monthly, timeZone, catchUp }, source }),
      defineJob({ name: `weekly-${name}`, schedule: { cron: weekly, timeZone, catchUp }, source }),
    ];
  });
}

const localDate = (at: number, timeZone: string) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(at);
const localTime = (at: number, timeZone: string) =>
  new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at);

/** The days of the year on which a job is due, counted on the calendar alone. */
function expectedDays({ schedule }: Job): string[] {
  const [, , day, , weekday] = schedule.cron.split(' ');
  const days: string[] = [];
  for (let at = Date.UTC(2027, 0, 1, 12); at < yearEnd; at += 24 * hour) {
    const date = new Date(at);
    const isDue = day === '*' ? date.getUTCDay() === Number(weekday) : date.getUTCDate() === Number(day);
    if (isDue) days.push(date.toISOString().slice(0, 10));
  }
  return days;
}

/** Lives through a year: `step` says what happens next. Returns what each slot's job brought, in order. */
async function liveAYear(all: readonly Job[], seed: number, options: { crashes: boolean; sleepy: boolean }) {
  const db = await memoryLedger();
  const random = makeSeededRandom(seed);
  let now = yearStart - 25 * hour;
  // Who has died wakes no more: every other slot ends before it would say that it goes on.
  const sleep = (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((wake) => (signal?.aborted ? wake() : signal?.addEventListener('abort', () => wake())));
  const clock = { ...systemClock, now: () => now, sleep };
  const log = { info: () => undefined, warn: () => undefined };
  const brought: { job: string; dueAt: number }[] = [];
  const alive = new Set<string>();
  let lives = 0;
  let crashing = 0;
  const begin = (): { scheduler: Scheduler; holder: string } => {
    lives += 1;
    const holder = `test/${lives}`;
    alive.add(holder);
    const scheduler = makeScheduler({
      db,
      clock,
      log,
      jobs: all,
      runDue: dueSlots({ db, clock, holder, isDead: (name) => !alive.has(name) }, async (job, dueAt) => {
        if (options.crashes && (!alive.has(holder) || random.percent(20))) {
          crashing += 1;
          alive.delete(holder);
          // The process dies here: nothing was brought, and nobody hears of it again.
          return new Promise(() => undefined);
        }
        brought.push({ job: job.name, dueAt });
        return { outcome: 'done', detail: '' };
      }),
    });
    return { scheduler, holder };
  };
  let pair = [begin(), begin()];
  while (now < yearEnd + 2 * hour) {
    now +=
      random.percent(3) && options.sleepy ? random.between(1, 20) * 24 * hour : random.between(5, 24 * 60) * minute;
    // A clock that is set back runs nothing again.
    if (random.percent(5)) now -= random.between(1, 180) * minute;
    if (random.percent(10)) {
      for (const { holder } of pair) alive.delete(holder);
      pair = [begin(), begin()];
    }
    pair = pair.map((one) => (alive.has(one.holder) ? one : begin()));
    const looks = pair.flatMap(({ scheduler }) => (random.percent(30) ? [scheduler, scheduler] : [scheduler]));
    await Promise.all(looks.map((scheduler) => scheduler.look()));
    // Until the work that the look began has ended, or died.
    await settled(60);
  }
  const last = begin();
  for (let round = 0; round < 20; round++) {
    for (const { holder } of pair) alive.delete(holder);
    if (!alive.has(last.holder)) Object.assign(last, begin());
    await last.scheduler.look();
    await settled(60);
  }
  const slots = await Promise.all(all.map(async (job) => listSlots(db, job.name, 1_000)));
  await db.close();
  return { brought, slots: slots.flat(), crashing, lives };
}

function daysOf(job: Job, times: readonly number[]): string[] {
  return times
    .filter((at) => at >= yearStart - 14 * hour && at < yearEnd + 14 * hour)
    .map((at) => localDate(at, job.schedule.timeZone))
    .filter((day) => day.startsWith('2027'))
    .sort();
}

describe('a year of jobs', () => {
  test('runs each slot exactly once, through restarts, crashes, doubled triggers and clocks set back', async () => {
    const all = jobs('all');
    const { brought, crashing, lives } = await liveAYear(all, 7, { crashes: true, sleepy: true });
    assert.ok(crashing > 10 && lives > 50, `${crashing} crashes, ${lives} lives`);
    for (const job of all) {
      const times = brought.filter((one) => one.job === job.name).map(({ dueAt }) => dueAt);
      assert.equal(new Set(times).size, times.length, `${job.name} ran a slot twice`);
      assert.deepEqual(daysOf(job, times), expectedDays(job), job.name);
    }
  });

  test('follows the local clock of each zone, also if an hour is skipped or repeated', async () => {
    const all = jobs('all');
    const { brought } = await liveAYear(all, 8, { crashes: false, sleepy: false });
    const timesOf = (name: string) => {
      const job = all.find((one) => one.name === name) as Job;
      const times = brought.filter((one) => one.job === name).map(({ dueAt }) => dueAt);
      return new Map(times.map((at) => [localDate(at, job.schedule.timeZone), localTime(at, job.schedule.timeZone)]));
    };
    const berlin = timesOf('weekly-europe-berlin');
    assert.equal(berlin.get('2027-03-28'), '03:00', 'the skipped hour is caught right after the gap');
    assert.deepEqual(
      new Set([...berlin].filter(([day]) => day !== '2027-03-28').map(([, time]) => time)),
      new Set(['02:30']),
    );
    assert.equal(timesOf('monthly-america-new-york').get('2027-03-14'), '03:00');
    assert.equal(timesOf('monthly-australia-lord-howe').get('2027-10-03'), '02:30');
    assert.deepEqual(new Set(timesOf('weekly-america-new-york').values()), new Set(['01:30']));
    assert.deepEqual(new Set(timesOf('monthly-africa-nairobi').values()), new Set(['09:00']));
  });

  test('catches up with only the last missed slot, or with none, and records the others', async () => {
    for (const catchUp of ['last', 'none'] as const) {
      const all = jobs(catchUp);
      const { brought, slots } = await liveAYear(all, 9, { crashes: false, sleepy: true });
      for (const job of all) {
        const ran = brought.filter((one) => one.job === job.name).map(({ dueAt }) => dueAt);
        const skipped = slots.filter((slot) => slot.job === job.name && slot.state === 'skipped');
        assert.equal(new Set(ran).size, ran.length);
        const known = daysOf(job, [...ran, ...skipped.map(({ due_at }) => due_at)]);
        assert.deepEqual(known, expectedDays(job), `${job.name} ${catchUp}`);
        for (const { detail } of skipped) assert.match(detail ?? '', /missed while no program was running/);
      }
      const shares = slots.filter(({ state }) => state === 'skipped').length;
      assert.ok(shares > 0, catchUp);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dueTimes, dueTimesMax, isEverDue, lastDueTime, nextDueTimes } from '../../../src/runtime/jobs/due-times.ts';
import { makeSeededRandom } from '../../simulation/seeded-random.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const schedule = (cron: string, timeZone: string) => ({ cron, timeZone });
const iso = (times: readonly number[]) => times.map((at) => new Date(at).toISOString().slice(0, 16));

/** In each zone, a day on which the clock is set forward or back; Troll by two hours, Lord Howe by half of one. */
const changes: [zone: string, day: string][] = [
  ['Africa/Nairobi', '2027-03-28'],
  ['Europe/Berlin', '2027-03-28'],
  ['Europe/Berlin', '2027-10-31'],
  ['America/New_York', '2027-03-14'],
  ['America/New_York', '2027-11-07'],
  ['Australia/Lord_Howe', '2027-04-03'],
  ['Australia/Lord_Howe', '2027-10-02'],
  ['Africa/Cairo', '2027-04-30'],
  ['Africa/Cairo', '2027-10-28'],
  ['America/Santiago', '2027-09-05'],
  ['Antarctica/Troll', '2027-03-28'],
  ['Antarctica/Troll', '2027-10-31'],
];

/**
 * Another way to the same times: watches the wall minute by minute, and takes what it shows for the first time or
 * leaps over.
 */
function watched(minutes: readonly number[], hours: readonly number[], timeZone: string, from: number, to: number) {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const wallAt = (at: number) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
  const times: number[] = [];
  let shown = wallAt(from);
  for (let at = from + minute; at <= to; at += minute) {
    const now = wallAt(at);
    let isDue = false;
    for (; shown < now; ) {
      shown += minute;
      const wall = new Date(shown);
      isDue ||= minutes.includes(wall.getUTCMinutes()) && hours.includes(wall.getUTCHours());
    }
    if (isDue) times.push(at);
  }
  return times;
}

describe('due times', () => {
  for (const [zone, date] of changes)
    test(`follow the local clock around ${date} in ${zone}`, () => {
      const random = makeSeededRandom(Date.parse(date));
      const from = Date.parse(`${date}T00:00Z`) - day;
      const to = from + 3 * day;
      for (let round = 0; round < 12; round++) {
        const some = (count: number, below: number) => [
          ...new Set(Array.from({ length: count }, () => random.between(0, below - 1))),
        ];
        const minutes = some(random.between(1, 6), 60);
        const hours = random.percent(50) ? some(3, 4) : some(random.between(1, 24), 24);
        const cron = `${minutes.join(',')} ${hours.join(',')} * * *`;
        const expected = watched(minutes, hours, zone, from, to);
        assert.deepEqual(iso(dueTimes(schedule(cron, zone), from, to)), iso(expected), `${cron} ${zone}`);
        assert.deepEqual(iso(nextDueTimes(schedule(cron, zone), from, expected.length)), iso(expected), cron);
        // In pieces of any length, each is in one piece.
        const pieces: number[] = [];
        for (let at = from; at < to; ) {
          const end = Math.min(to, at + random.between(1, 400 * minute));
          pieces.push(...dueTimes(schedule(cron, zone), at, end));
          at = end;
        }
        assert.deepEqual(iso(pieces), iso(expected), `${cron} ${zone} in pieces`);
      }
    });

  test('inside a gap are due right after it, all together and once', () => {
    const gap = (cron: string) =>
      iso(dueTimes(schedule(cron, 'Europe/Berlin'), Date.UTC(2027, 2, 28), Date.UTC(2027, 2, 28, 12)));
    assert.deepEqual(gap('30 2 * * *'), ['2027-03-28T01:00']);
    assert.deepEqual(gap('10,20,40 2 * * *'), ['2027-03-28T01:00']);
    assert.deepEqual(gap('0 2,3 * * *'), ['2027-03-28T01:00']);
  });

  test('in the repeated hour are due once, also when asked during its second time', () => {
    const zone = schedule('30 2 * * *', 'Europe/Berlin');
    const first = Date.UTC(2027, 9, 31, 0, 30);
    assert.deepEqual(dueTimes(zone, first - 1, first), [first]);
    assert.deepEqual(dueTimes(zone, first, first + 12 * hour), []);
    // 02:15 is shown for the second time: 02:30 was already.
    assert.equal(lastDueTime(zone, first + 45 * minute), first);
    assert.deepEqual(nextDueTimes(zone, first + 45 * minute, 1), [first + 25 * hour]);
  });

  test('are the same in every time zone of the machine', (t) => {
    const { TZ } = process.env;
    t.after(() => {
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    });
    process.env.TZ = 'Pacific/Apia';
    const payroll = schedule('0 9 25 * *', 'Africa/Nairobi');
    const from = Date.UTC(2027, 0, 1);
    assert.deepEqual(iso(dueTimes(payroll, from, from + 31 * day)), ['2027-01-25T06:00']);
    assert.deepEqual(iso(nextDueTimes(payroll, from, 1)), ['2027-01-25T06:00']);
  });

  test('of a day that few months have exist in those months only, and of an impossible day never', () => {
    const year = (cron: string) => dueTimes(schedule(cron, 'UTC'), Date.UTC(2027, 0, 1), Date.UTC(2028, 0, 1)).length;
    assert.equal(year('0 9 31 * *'), 7);
    assert.equal(year('0 9 29 2 *'), 0);
    assert.deepEqual([isEverDue('0 9 29 2 *'), isEverDue('0 9 31 2 *')], [true, false]);
    assert.equal(lastDueTime(schedule('0 9 31 2 *', 'UTC'), Date.UTC(2027, 0, 1)), null);
  });

  test('that are too many are cut to the last of them', () => {
    const to = Date.UTC(2027, 0, 1);
    const times = dueTimes(schedule('* * * * *', 'Africa/Nairobi'), to - 365 * day, to);
    assert.deepEqual([times.length, times.at(-1)], [dueTimesMax, to]);
  });
});

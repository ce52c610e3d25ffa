import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { dayOf, endOf, startOf } from '../../../src/console/forms/days.ts';

const { TZ } = process.env;
after(() => {
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

const days: [zone: string, day: string, start: string, end: string][] = [
  ['Africa/Nairobi', '2026-11-26', '2026-11-25T21:00:00.000Z', '2026-11-26T21:00:00.000Z'],
  // Clocks are put on, and back: the days have 23 and 25 hours.
  ['Europe/Lisbon', '2026-03-29', '2026-03-29T00:00:00.000Z', '2026-03-29T23:00:00.000Z'],
  ['Europe/Lisbon', '2026-10-25', '2026-10-24T23:00:00.000Z', '2026-10-26T00:00:00.000Z'],
  // There, the first hour of the day is left out.
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z'],
  ['Africa/Lagos', '2026-12-31', '2026-12-30T23:00:00.000Z', '2026-12-31T23:00:00.000Z'],
];

for (const [zone, day, start, end] of days)
  test(`${day} in ${zone} ends when the next day begins`, () => {
    process.env.TZ = zone;
    assert.deepEqual([new Date(startOf(day)).toISOString(), new Date(endOf(day)).toISOString()], [start, end]);
    assert.equal(dayOf(startOf(day)), day);
    assert.equal(dayOf(endOf(day) - 1), day);
  });

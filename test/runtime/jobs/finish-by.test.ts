import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defineJob } from '../../../src/runtime/jobs/define-job.ts';
import { finishByOfSlot } from '../../../src/runtime/jobs/finish-by.ts';

const jobOf = (finishBy: string | null, timeZone: string) =>
  defineJob({
    name: 'payroll',
    schedule: { cron: '0 9 25 * *', timeZone },
    source: { kind: 'folder', folder: 'payroll' },
    finishBy,
  });

describe('the deadline for the batches of a job', () => {
  for (const [what, finishBy, timeZone, slot, expected] of [
    ['is the time of the same day in its own zone', '17:00', 'Africa/Nairobi', '09:00+03:00', '2026-11-25T14:00'],
    ['is of the next day where that time has passed', '08:00', 'Africa/Nairobi', '09:00+03:00', '2026-11-26T05:00'],
    ['is after the slot, never at it', '09:00', 'Africa/Nairobi', '09:00+03:00', '2026-11-26T06:00'],
    [
      'is of the day that its zone has, not of that in UTC',
      '02:00',
      'Africa/Nairobi',
      '01:00+03:00',
      '2026-11-24T23:00',
    ],
  ] as const)
    test(what, () => {
      const at = finishByOfSlot(jobOf(finishBy, timeZone), Date.parse(`2026-11-25T${slot}`));
      assert.equal(new Date(at ?? 0).toISOString().slice(0, 16), expected);
    });

  for (const [what, finishBy, slot, expected] of [
    ['on the day when the clock goes forward before it', '17:00', '2027-03-28T00:30Z', '2027-03-28T15:00'],
    ['on the evening before that', '08:00', '2027-03-27T20:00Z', '2027-03-28T06:00'],
    ['right after the gap where that skips it', '02:30', '2027-03-28T00:30Z', '2027-03-28T01:00'],
    ['on the day when the clock goes back before it', '17:00', '2027-10-31T00:15Z', '2027-10-31T16:00'],
    ['the first of two that the clock then shows', '02:30', '2027-10-31T00:15Z', '2027-10-31T00:30'],
    ['of the next day between the two', '02:30', '2027-10-31T00:45Z', '2027-11-01T01:30'],
  ] as const)
    test(`follows the local clock ${what}`, () => {
      const at = finishByOfSlot(jobOf(finishBy, 'Europe/Berlin'), Date.parse(slot));
      assert.equal(new Date(at ?? 0).toISOString().slice(0, 16), expected);
    });

  test('is absent if the job has none', () => {
    assert.equal(finishByOfSlot(jobOf(null, 'UTC'), 0), null);
  });
});

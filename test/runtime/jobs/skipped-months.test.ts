import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { skippedMonthText } from '../../../src/runtime/jobs/skipped-months.ts';

const now = Date.UTC(2026, 10, 20, 9);
const messagesOf = (cron: string) =>
  skippedMonthText({ schedule: { cron, timeZone: 'Africa/Nairobi', catchUp: 'last' } }, now);

describe('months that a job leaves out', () => {
  test('are reported: those that have no such day', () => {
    assert.equal(messagesOf('0 9 30 * *'), 'it is not due in 2027-02, since there is no such day');
    assert.match(
      String(messagesOf('0 9 31 * *')),
      /^it is not due in 2027-02, 2027-04, 2027-06, 2027-09, 2027-11, 2028-02, /,
    );
    assert.match(String(messagesOf('0 9 29 * *')), /2027-02,/);
  });

  for (const cron of [
    '0 9 28 * *',
    '0 9 L * *',
    '0 9 15,31 * *',
    '0 9 * * *',
    '* * * * *',
    '0 9 31 1,7 *',
    '0 9 31 * 5',
    '0 9 25 */3 *',
  ])
    test(`are not reported for "${cron}"`, () => assert.equal(messagesOf(cron), null));
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defineJob, type JobInput } from '../../../src/runtime/jobs/define-job.ts';
import { sharedRunIdText } from '../../../src/runtime/jobs/shared-run-id.ts';

const now = Date.UTC(2026, 10, 20, 9);

function messagesOf(
  cron: string,
  runId: string,
  source: JobInput['source'] = { kind: 'file', file: 'x.csv' },
): string | null {
  const schedule = { cron, timeZone: 'Africa/Nairobi' };
  return sharedRunIdText(defineJob({ name: 'bonus', schedule, source, runId }), now);
}

describe('slots that share a run id', () => {
  test('are reported with the run id, in the time zone of the job', () => {
    assert.equal(
      messagesOf('0 1 * * 5', '{job}-{slot:yyyy-MM}'),
      'the slots of 2026-12-04 01:00 and 2026-12-11 01:00 have the same run id, "bonus-2026-12": the second does not pay anybody whom the first has paid',
    );
  });

  for (const [cron, runId] of [
    ['0 9 25 * *', '{job}'],
    ['0 9 25 * *', '{job}-{slot:yyyy}'],
    ['0 9 25 * *', '{job}-{slot:MM}'],
    ['0 9 1,15 * *', '{job}-{slot:yyyy-MM}'],
    ['0 9 * * *', '{job}-{slot:MM-dd}'],
    ['0 9,17 * * *', '{job}-{slot:yyyy-MM-dd}'],
    ['0 * * * *', '{job}-{slot:MM-dd HH}'],
    ['*/30 * * * *', '{job}-{slot:yyyy-MM-dd HH}'],
    ['* * * * *', '{job}-{slot:HH:mm}'],
    ['0 * * * *', '{job}-{slot:yyyy-dd HH}'],
  ] as const)
    test(`are found for "${cron}" and "${runId}"`, () => assert.ok(messagesOf(cron, runId)));

  for (const [cron, runId] of [
    ['0 9 25 * *', '{job}-{slot:yyyy-MM}'],
    ['0 9 29 2 *', '{job}-{slot:yyyy}'],
    ['0 9 * * 5', '{job}-{slot:yyyy-MM-dd}'],
    ['*/30 * * * *', '{job}-{slot:yyyy-MM-dd HH:mm}'],
  ] as const)
    test(`are not reported for "${cron}" and "${runId}"`, () => assert.equal(messagesOf(cron, runId), null));

  test('are not reported for a job that pays nothing', () => {
    assert.equal(messagesOf('0 9 * * *', '{job}', { kind: 'reconciliation' }), null);
  });
});

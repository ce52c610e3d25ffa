import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { doubtWhy, waitingReason } from '../../../src/core/state/doubt-texts.ts';

const inDoubt = { status: 'in_doubt', failure_code: 'timeout', next_action_at: 1_000 } as const;
const codeOf = (row: Parameters<typeof waitingReason>[0], stored: string | null = null) =>
  waitingReason(row, stored)?.code ?? null;

describe('why a row that was sent has no result', () => {
  test('follows from the row while it is looked up, or overdue', () => {
    assert.equal(codeOf(inDoubt), 'DOUBT_OPEN');
    assert.equal(codeOf({ ...inDoubt, failure_code: 'interrupted' }), 'DOUBT_INTERRUPTED');
    assert.equal(codeOf({ status: 'accepted', failure_code: 'overdue', next_action_at: 1 }), 'ROW_OVERDUE');
    assert.equal(codeOf({ ...inDoubt, status: 'failed' }), null);
  });

  test('is what was stored once the row is left to a person, and unknown of an earlier version', () => {
    const left = { ...inDoubt, next_action_at: null };
    const { reason } = doubtWhy('DOUBT_NOT_FOUND', { times: 4 }, 'not found');
    assert.deepEqual(waitingReason(left, JSON.stringify(reason)), { code: 'DOUBT_NOT_FOUND', values: { times: '4' } });
    assert.equal(waitingReason(left, null), null);
    // A row that was left to a person before, and is looked up again.
    assert.equal(codeOf(inDoubt, JSON.stringify(reason)), 'DOUBT_OPEN');
  });
});

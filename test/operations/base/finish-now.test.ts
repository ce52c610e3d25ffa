import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { finishLine } from '../../../src/cli/text/finish-line.ts';
import type { BatchRecord } from '../../../src/ledger/batches/batches.ts';
import type { AccountNow } from '../../../src/operations/base/account-now.ts';
import { finishNow } from '../../../src/operations/base/finish-now.ts';
import { aBatch } from '../../support/ledger.ts';

const now = Date.UTC(2026, 10, 20, 9);
const minute = 60_000;

/** A batch of which is foreseen, in minutes from now, when it is done; null: nothing. */
function shown(fields: Partial<BatchRecord>, doneIn: number | null = null, pressedIn: number | null = null) {
  const batch = { ...aBatch({ status: 'running', ...fields }), audit_seq: 0, audit_head: '' };
  const foreseen = new Map(
    doneIn === null
      ? []
      : [[batch.batch_id, { sentMs: 0, doneMs: doneIn * minute, boostedMs: pressedIn && pressedIn * minute }]],
  );
  const account: AccountNow = {
    worker: null,
    pace: null,
    gate: { isOpen: true },
    sending: [],
    isListUnread: false,
    foreseen: () => foreseen,
  };
  const json = finishNow(batch, account, now);
  return { words: finishLine({ ...json, status: batch.status }), json };
}

describe('the finish time of a batch with a deadline', () => {
  const finish_by = now + 60 * minute;
  for (const [what, fields, doneIn, words, inTime] of [
    ['in time', {}, 40, 'done about 2026-11-20 09:40 UTC, 20 min early (due 2026-11-20 10:00 UTC)', true],
    [
      'in time because it goes first',
      { boosted_at: now },
      40,
      'done about 2026-11-20 09:40 UTC, 20 min early (due 2026-11-20 10:00 UTC); airbatch sends it before the others for that',
      true,
    ],
    ['late', {}, 180, 'done about 2026-11-20 12:00 UTC, 2 h late (due 2026-11-20 10:00 UTC)', false],
    ['not known', {}, null, 'to be done by 2026-11-20 10:00 UTC; when it will finish is not known now', null],
    [
      'paused',
      { status: 'paused' },
      40,
      'to be done by 2026-11-20 10:00 UTC; when it will finish is not known now',
      null,
    ],
    ['past', { finish_by: now - minute }, null, 'late: it was to be done by 2026-11-20 08:59 UTC', false],
    [
      'done in time',
      { status: 'completed', completed_at: now },
      null,
      'done 2026-11-20 09:00 UTC, 1 h early (due 2026-11-20 10:00 UTC)',
      true,
    ],
    [
      'done late',
      { status: 'completed', completed_at: finish_by + 30 * minute },
      null,
      'done 2026-11-20 10:30 UTC, 30 min late (due 2026-11-20 10:00 UTC)',
      false,
    ],
    ['given up', { status: 'cancelled' }, null, null, null],
  ] as [string, Partial<BatchRecord>, number | null, string | null, boolean | null][])
    test(`is shown: ${what}`, () => {
      const one = shown({ finish_by, ...fields }, doneIn);
      assert.deepEqual([one.words, one.json.in_time], [words, inTime]);
    });

  test('is shown with the time from which the batch is sent first', () => {
    const { words, json } = shown({ finish_by }, 40, 15);
    assert.match(words ?? '', /\(due 2026-11-20 10:00 UTC\); airbatch sends it before the others for that, in 15 min$/);
    assert.deepEqual([json.goes_first, json.goes_first_in_ms], [false, 15 * minute]);
  });

  test('is absent without a deadline', () => {
    const { words, json } = shown({}, 40);
    assert.equal(words, null);
    const done_at = '2026-11-20T09:40:00.000Z';
    assert.deepEqual(json, { finish_by: null, done_at, in_time: null, goes_first: false, goes_first_in_ms: null });
  });
});

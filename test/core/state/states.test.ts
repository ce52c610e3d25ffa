import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as batch from '../../../src/core/state/batch-state.ts';
import * as row from '../../../src/core/state/row-state.ts';

describe('the states of a row', () => {
  test('never lead from in_doubt to ready: a row that may have been charged is never simply sent again', () => {
    for (const event of ['unsent', 'release', 'retry'] as const) {
      assert.throws(() => row.transition('in_doubt', event), /in_doubt cannot/, event);
    }
  });

  test('leave a terminal state only by an explicit retry after a failure', () => {
    const events = [
      'release',
      'hold',
      'skip',
      'cancel',
      'send',
      'unsent',
      'doubt',
      'accept',
      'complete',
      'fail',
      'retry',
    ] as const;
    const leads = (state: row.RowState, event: row.RowEvent) => {
      try {
        return row.transition(state, event) !== undefined;
      } catch {
        return false;
      }
    };
    const moves = row.rowStates
      .filter(row.isTerminal)
      .flatMap((state) => events.filter((event) => leads(state, event)).map((event) => `${state} ${event}`));
    assert.deepEqual(moves, ['failed retry']);
  });

  test('refuse a move that the table does not have', () => {
    assert.throws(() => row.transition('completed', 'fail'), /completed cannot fail/);
    assert.equal(row.transition('sending', 'doubt'), 'in_doubt');
  });
});

describe('the states of a batch', () => {
  test('send nothing before approval', () => {
    const starting = batch.batchStates.filter((state) => batch.can(state, 'start'));
    assert.deepEqual(starting, ['approved']);
    assert.throws(() => batch.transition('validated', 'start'), /validated cannot start/);
  });

  test('never leave rejected and cancelled', () => {
    for (const state of ['rejected', 'cancelled'] as const) {
      assert.equal(
        batch.can(state, 'resume') || batch.can(state, 'approve') || batch.can(state, 'reopen'),
        false,
        state,
      );
    }
  });
});

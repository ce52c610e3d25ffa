import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseWhy } from '../../../src/core/state/pause-texts.ts';
import { makeOpenBatches, type OpenBatch } from '../../../src/engine/runner/open-batches.ts';

const failures = pauseWhy('PAUSE_FIRST_ROWS', { failed: 1, rows: 4 }, 'too many failures');

test('the first reason for which a guard stopped a batch stays until the batch continues', () => {
  const batches = makeOpenBatches();
  assert.equal(batches.whyStopped('b-1'), null);
  batches.stop('b-1', failures);
  batches.stop('b-1', pauseWhy('PAUSE_FIRST_ROWS', { failed: 2, rows: 4 }, 'more failures'));
  assert.deepEqual([batches.whyStopped('b-1'), batches.whyStopped('b-2')], [failures, null]);
  batches.unstop('b-1');
  assert.equal(batches.whyStopped('b-1'), null);
});

test('a pause of the account is new once for each reason, until a batch continues', () => {
  const batches = makeOpenBatches();
  assert.deepEqual(
    ['money', 'money', 'credentials'].map((reason) => batches.notePause(reason)),
    [true, false, true],
  );
  batches.forgetPauses();
  assert.ok(batches.notePause('money'));
});

test('an iteration over the batches of an account sees them as they were at its beginning', () => {
  const batches = makeOpenBatches();
  const [one, two] = [{}, {}] as [OpenBatch, OpenBatch];
  batches.replace(new Map([['b-1', one]]), new Map([['b-2', two]]));
  const before = batches.all();
  batches.stop('b-1', failures);
  batches.replace(new Map(), new Map());
  assert.deepEqual([[...before.keys()], batches.get('b-1'), batches.moved().size], [['b-1'], undefined, 0]);
  assert.equal(batches.whyStopped('b-1'), failures, 'a batch that is read anew stays stopped');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAttended, watchAttention } from '../../src/console/api/attention.ts';
import { refresh } from '../../src/console/api/query-client.ts';

test('a hidden page sends no requests by itself until somebody comes back', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const page = new EventTarget();
  let returns = 0;
  t.after(watchAttention(page, () => void returns++));
  page.dispatchEvent(new Event('keydown'));
  assert.deepEqual([isAttended(), refresh(10_000)(), returns], [true, 10_000, 0]);
  t.mock.timers.tick(5 * 60_000);
  assert.deepEqual([isAttended(), refresh(10_000)()], [false, false]);
  page.dispatchEvent(new Event('pointermove'));
  assert.deepEqual([isAttended(), returns], [true, 1]);
});

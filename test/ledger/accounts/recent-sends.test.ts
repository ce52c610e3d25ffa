import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addRecentSends, recentSends } from '../../../src/ledger/accounts/recent-sends.ts';
import { findRow } from '../../../src/ledger/rows/rows.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { aBatch, addBatch, aRow, memoryLedger } from '../../support/ledger.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const windowMs = 60_000;
const at = Date.UTC(2026, 10, 20, 9);

test('the requests of an account in the last window are known to its next program, and older ones are not', async () => {
  const db = await memoryLedger();
  const add = (account: string, now: number, count = 1) =>
    db.transact((tx) => addRecentSends(tx, { account, now, windowMs, count }));
  const read = (now: number) => recentSends(db, { account: 'main', now, windowMs });
  for (let second = 0; second < 150; second++) await add('main', at + second * 1_000 + 300);
  await add('main', at + 149_400, 4);
  await add('other', at + 149_400);
  const found = await read(at + 150_000);
  assert.deepEqual(found.at(-1), { agoMs: 0, count: 5 });
  assert.deepEqual(found[0], { agoMs: 59_000, count: 1 });
  assert.equal(found.length, 60);
  assert.deepEqual(await read(at + 209_500), [{ agoMs: 59_500, count: 5 }]);
  assert.deepEqual(await read(at + 210_000), []);
  assert.equal((await read(at - 3_600_000)).length, 64, 'the clock was set back: all may be of the last window');
});

test('a row that is being sent counts as sent now', async () => {
  const db = await memoryLedger();
  const clock = makeVirtualClock(at);
  await addBatch(db, clock, aBatch({ status: 'running' }), [aRow(1), aRow(2)]);
  const row = await findRow(db, 'batch-1', 2);
  assert.ok(row);
  await inUnit(db, { clock, actor: 'engine' }, (unit) => unit.changeRow(row, 'send', {}, {}));
  assert.deepEqual(await recentSends(db, { account: 'main', now: at, windowMs }), [{ agoMs: 0, count: 1 }]);
});

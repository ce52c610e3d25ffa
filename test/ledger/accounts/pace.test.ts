import assert from 'node:assert/strict';
import { test } from 'node:test';
import { savePace, storedPace } from '../../../src/ledger/accounts/pace.ts';
import { takeLease } from '../../../src/ledger/schema/lease-table.ts';
import { idlePace, memoryLedger } from '../../support/ledger.ts';

test('a pace is shown as long as its writer holds the account, however long that is', async () => {
  const db = await memoryLedger();
  const hold = async (holder: string, now: number, ttlMs: number) => {
    const held = await takeLease(db, { account: 'main', holder, now, ttlMs, deadHolder: null });
    assert.ok(held);
    return held.fence;
  };
  const note = async (fence: number) => {
    const pace = { ...idlePace, fence, used: 7 };
    await savePace(db, 'main', pace);
    return pace;
  };
  assert.equal(await storedPace(db, 'main', 1_000), null, 'nobody has it');
  const first = await hold('first', 1_000, 300_000);
  assert.equal(await storedPace(db, 'main', 1_000), null, 'nothing was noted yet');
  const noted = await note(first);
  assert.deepEqual(await storedPace(db, 'main', 300_999), noted);
  assert.equal(await storedPace(db, 'main', 301_000), null, 'its hold has run out');
  const second = await hold('second', 400_000, 15_000);
  assert.equal(await storedPace(db, 'main', 400_000), null, 'it is that of the holder before');
  assert.deepEqual(await note(second), await storedPace(db, 'main', 400_000));
});
